"""Changes of a run and its qrels that people commonly make before evaluation: to levels, ids or queries."""

import re
from collections.abc import Callable, Collection, Iterator
from functools import partial
from itertools import pairwise
from typing import TypeVar

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from crosscheck.formats.grouping import identifiers, ranges
from crosscheck.model import BoolArray, FloatArray, IdArray, IntArray, Preferences, Qrels, Run, Subtopics

_Table = TypeVar("_Table", Run, Qrels)


def with_rows(
    table: _Table,
    rows: IntArray,
    offsets: IntArray,
    topics: tuple[bytes, ...] | None = None,
    docnos: IdArray | None = None,
) -> _Table:
    """A run or qrels with only the given rows, in this order. The positions in the input (``lines``) of these
    rows do not change.

    Args:
        table: the run or qrels.
        rows: indices of rows of ``table``.
        offsets: the offsets of the new table.
        topics: the topics of the new table; by default the topics of ``table``.
        docnos: the docnos of the new table; by default the docnos of the rows.
    """
    topics = table.topics if topics is None else topics
    docnos = table.docnos[rows] if docnos is None else docnos
    table = replace(table, topics=topics, offsets=offsets, docnos=docnos, lines=_taken(table.lines, rows))
    if isinstance(table, Run):
        return replace(table, scores=table.scores[rows], ranks=_taken(table.ranks, rows))
    subtopics, preferences = only_detail(table.subtopics, rows), only_detail(table.preferences, rows)
    return replace(table, rels=table.rels[rows], subtopics=subtopics, preferences=preferences)


def _taken(column: IntArray | None, rows: IntArray) -> IntArray | None:
    return None if column is None else column[rows]


def only_topics(table: _Table, topics: Collection[bytes]) -> _Table:
    """The rows of some topics of a run or qrels."""
    kept = np.array([i for i, topic in enumerate(table.topics) if topic in topics], np.int64)
    sizes = np.diff(table.offsets)[kept]
    rows, offsets = ranges(table.offsets[kept], sizes), np.append(0, np.cumsum(sizes))
    return with_rows(table, rows, offsets, tuple(table.topics[i] for i in kept.tolist()))


def only_rows(table: _Table, kept: BoolArray) -> _Table:
    """The table with only the rows for which the mask ``kept`` is True. A topic remains even if all its rows
    are removed."""
    if kept.all():
        return table
    return with_rows(table, np.flatnonzero(kept), np.append(0, np.cumsum(kept))[table.offsets])


_Detail = TypeVar("_Detail", Subtopics, Preferences)
#: The columns beside ``document`` that have an entry per judgement.
_PER_ENTRY = {Subtopics: ("subtopic", "rels"), Preferences: ("group", "subgroup", "level")}


def only_detail(detail: _Detail | None, rows: IntArray) -> _Detail | None:
    """The judgements per subtopic, or the preferences, for the documents in ``rows`` of the qrels. These
    documents are renumbered 0, 1, ..."""
    if detail is None:
        return None
    document, at = entries_of(rows, detail.document)
    entries = {name: getattr(detail, name)[at] for name in _PER_ENTRY[type(detail)]}
    return replace(detail, document=document, **entries)


def entries_of(rows: IntArray, document: IntArray) -> tuple[IntArray, IntArray]:
    """The entries of ``document`` (sorted rows of qrels, one per entry) that belong to ``rows``.

    Returns two arrays, with an element per such entry: the index of its row in ``rows``, and the index of the
    entry in ``document``.
    """
    first = np.searchsorted(document, rows, "left")
    sizes = np.searchsorted(document, rows, "right") - first
    return np.repeat(np.arange(len(rows)), sizes), ranges(first, sizes)


def by_group(qrels: Qrels) -> list[Qrels]:
    """The judgements split by group of judges. The first qrels have the judgements of the first group of each
    topic, the second qrels those of the second group of each topic with two groups, and so on. The groups of
    a topic are in byte order of their names. Empty if the qrels have no groups."""
    held = qrels.subtopics
    if held is None:
        return []
    topic = np.searchsorted(qrels.offsets, held.document, "right") - 1
    by_name = np.argsort(np.argsort(np.array(held.names, object)))[held.subtopic]
    _, first, of_entry = np.unique(topic * len(held.names) + by_name, return_index=True, return_inverse=True)
    of_topic = topic[first]
    nth = (np.arange(len(first)) - np.searchsorted(of_topic, of_topic))[of_entry]
    return [_qrels_of(qrels, held, topic, np.flatnonzero(nth == n)) for n in range(int(nth.max()) + 1)]


def _qrels_of(qrels: Qrels, held: Subtopics, topic: IntArray, entries: IntArray) -> Qrels:
    """Qrels made of the judgements per subtopic at ``entries``, at most one per document. ``topic``: the
    topic of every judgement in ``held``."""
    numbers, sizes = np.unique(topic[entries], return_counts=True)
    return Qrels(
        topics=tuple(qrels.topics[i] for i in numbers.tolist()),
        offsets=np.append(0, np.cumsum(sizes)),
        docnos=qrels.docnos[held.document[entries]],
        rels=held.rels[entries],
        source=qrels.source,
    )


#: The pattern of a docno with the number of a passage.
_PASSAGE = re.compile(rb"(.+?)[#_:.@/-]p?\d+")


class ChangedInput(Struct, frozen=True):
    """A run and qrels, one of which was changed. ``says`` describes the change in a phrase."""

    says: str
    run: Run
    qrels: Qrels


def changed_inputs(run: Run, qrels: Qrels) -> Iterator[ChangedInput]:
    """Yield the input with each common change that has an effect.

    A change of docnos is tried only if it increases the number of retrieved documents that are judged, or if
    it turns passages into documents in both run and qrels.
    """
    yield from _levels(run, qrels)
    before = _judged(run, qrels)
    for sep in (b"/", b":", b"#", b"_", b"-", b"."):
        for where, parted in (("first", bytes.partition), ("last", bytes.rpartition)):
            cut = partial(_after, parted, sep)
            words = f"without the part of their ids up to the {where} {sep.decode()!r}"
            if _judged(changed := _renamed(run, cut), qrels) > before:
                yield ChangedInput(f"the documents of the run {words}", changed, qrels)
            if _judged(run, judged := _renamed(qrels, cut)) > before:
                yield ChangedInput(f"the documents of the qrels {words}", run, judged)
    whole, whole_qrels = _renamed(run, _document), _renamed(qrels, _document)
    says = "passages as documents, by their highest score"
    if _judged(whole, qrels) > before:
        yield ChangedInput(says, whole, qrels)
    if len(whole.docnos) < len(run.docnos) and len(whole_qrels.docnos) < len(qrels.docnos):
        yield ChangedInput(f"{says}, in the qrels as well", whole, whole_qrels)
    yield from _splits(run, qrels)
    sizes = zip(run.topics, np.diff(run.offsets).tolist(), strict=True)
    if (several := {topic for topic, size in sizes if size > 1}) and len(several) < len(run.topics):
        # As for sklearn, which refuses a list of one document.
        judged = only_topics(qrels, {*qrels.topics} - {*run.topics} | several)
        says = "the queries with more than one retrieved document"
        yield ChangedInput(says, only_topics(run, several), judged)


def _levels(run: Run, qrels: Qrels) -> Iterator[ChangedInput]:
    """Yield inputs with binary levels (1 from some positive level on, else 0), and an input with all positive
    levels lowered by 1."""
    positive = sorted(set(qrels.rels[qrels.rels > 0].tolist()))
    for level in positive if len(positive) > 1 or positive[:1] > [1] else []:
        rels = np.where(qrels.rels > 0, (qrels.rels >= level).astype(np.int64), qrels.rels)
        says = f"levels of {level} and more made 1, lower levels 0"
        yield ChangedInput(says, run, replace(qrels, rels=rels))
    if len(positive) > 1:
        rels = np.where(qrels.rels > 0, qrels.rels - 1, qrels.rels)
        yield ChangedInput("positive levels lowered by 1", run, replace(qrels, rels=rels))


def _splits(run: Run, qrels: Qrels) -> Iterator[ChangedInput]:
    """Yield inputs with the judgements of half of the queries, if there are at least 4 queries."""
    topics = qrels.topics
    half = (len(topics) + 1) // 2
    parts = {
        "the first half of the queries": topics[:half],
        "the second half of the queries": topics[half:],
        "every other query, from the first on": topics[::2],
        "every other query, from the second on": topics[1::2],
    }
    for says, chosen in parts.items():
        if len(topics) > 3:
            yield ChangedInput(says, run, only_topics(qrels, set(chosen)))


def _after(parted: Callable[[bytes, bytes], tuple[bytes, bytes, bytes]], sep: bytes, docno: bytes) -> bytes:
    return parted(docno, sep)[2] or docno


def _document(docno: bytes) -> bytes:
    match = _PASSAGE.fullmatch(docno)
    return match[1] if match else docno


def _judged(run: Run, qrels: Qrels) -> int:
    """The number of retrieved documents that are judged, added over all queries."""
    judged = _by_topic(qrels)
    return sum(len(docnos & judged.get(topic, set())) for topic, docnos in _by_topic(run).items())


def _by_topic(table: Run | Qrels) -> dict[bytes, set[bytes]]:
    return {topic: set(table.docnos[rows].tolist()) for topic, rows in table.rows_of_topics()}


def _renamed(table: _Table, cut: Callable[[bytes], bytes]) -> _Table:
    """The table with docnos changed by ``cut``. If several documents of a topic get the same docno, only the
    document with the highest score or level remains."""
    names = [cut(docno) for docno in table.docnos.tolist()]
    values = _values(table)
    kept: list[int] = []
    sizes: list[int] = []
    for start, end in pairwise(table.offsets.tolist()):
        best: dict[bytes, int] = {}
        for row in range(start, end):
            if names[row] not in best or values[row] > values[best[names[row]]]:
                best[names[row]] = row
        kept += sorted(best.values())
        sizes.append(len(best))
    docnos = identifiers([names[row] for row in kept])
    return with_rows(table, np.array(kept, np.int64), np.cumsum([0, *sizes]), docnos=docnos)


def _values(table: Run | Qrels) -> FloatArray | IntArray:
    return table.scores if isinstance(table, Run) else table.rels
