"""Judgements per subtopic, from rows of (topic, subtopic, docno, level): the qrels of diversity tasks.

They have the four columns of any qrels, ``topic subtopic docno level``, and a document may be judged for
several subtopics of a topic. Measures without subtopics take the highest level that a document has for any of
them, as ndeval does for its plain average precision (https://github.com/trec-web/trec-web-2014,
``ndeval.c``).
"""

from __future__ import annotations

import numpy as np
from msgspec.structs import replace

from crosscheck.formats.duplicates import find_duplicate
from crosscheck.model import IdArray, IntArray, Qrels, Subtopics

__all__ = ["find_repeated", "numbered", "per_subtopic"]


def numbered(names: IdArray) -> tuple[IntArray, tuple[bytes, ...]]:
    """The subtopic number of each row, counted from 0 in order of first appearance, and the names in that
    order."""
    different, first, inverse = np.unique(names, return_index=True, return_inverse=True)
    order = np.argsort(first)
    number = np.empty(len(first), np.int64)
    number[order] = np.arange(len(first))
    return number[inverse], tuple(different[order].tolist())


def find_repeated(
    docnos: IdArray, offsets: IntArray, subtopics: IntArray | None = None
) -> tuple[int, int] | None:
    """The first repeated docno of a topic, or of a subtopic if there are subtopics.

    Result as for :func:`~crosscheck.formats.duplicates.find_duplicate`.
    """
    if subtopics is None:
        return find_duplicate(docnos, offsets)
    topic = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    order = np.lexsort((subtopics, topic))
    topic, of_row = topic[order], subtopics[order]
    starts = np.flatnonzero((np.diff(topic, prepend=-1) != 0) | (np.diff(of_row, prepend=-1) != 0))
    pair = find_duplicate(docnos[order], np.append(starts, len(order)))
    return None if pair is None else (int(order[pair[0]]), int(order[pair[1]]))


def per_subtopic(rows: Qrels, subtopics: IntArray, names: tuple[bytes, ...]) -> Qrels:
    """Qrels with each document once per topic, and its levels per subtopic.

    Args:
        rows: one row per judgement, so that a document may occur several times under a topic.
        subtopics: the number of the subtopic of each row; no document occurs twice under the same subtopic.
        names: name of each subtopic, by number.
    """
    topic = rows.topic_numbers
    if len(np.unique(topic * len(names) + subtopics)) == len(rows.topics):
        one = "each query has a single subtopic, which measures over subtopics treat as the whole topic"
        return replace(rows, notes=(*rows.notes, one))
    _, name = np.unique(rows.docnos, return_inverse=True)
    _, first, row_of = np.unique(topic * len(name) + name, return_index=True, return_inverse=True)
    # A document is at the position of its first judgement.
    place = np.empty(len(first), np.int64)
    place[np.argsort(first)] = np.arange(len(first))
    document = place[row_of]
    kept = np.sort(first)
    rels = rows.rels[kept]
    np.maximum.at(rels, document, rows.rels)
    order = np.lexsort((subtopics, document))
    highest = f"{len(names)} subtopics: for other measures a document has the highest of its relevance levels"
    return replace(
        rows,
        offsets=np.searchsorted(kept, rows.offsets),
        docnos=rows.docnos[kept],
        rels=rels,
        notes=(*rows.notes, highest),
        subtopics=Subtopics(
            document=document[order], subtopic=subtopics[order], rels=rows.rels[order], names=names
        ),
    )
