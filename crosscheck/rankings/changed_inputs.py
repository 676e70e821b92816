"""Usual changes of a run and its qrels before they are measured: other levels, other ids, other queries."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import pairwise

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from crosscheck.formats.grouping import identifiers
from crosscheck.model import IntArray, Qrels, Run
from crosscheck.rankings.subset import detail_of, only_qrels

__all__ = ["ChangedInput", "changed_inputs"]

Renamed = Callable[[bytes], bytes]

#: Separators of a prefix from a docno, and the form of a docno that ends with the number of a passage.
_SEPARATORS = (b"/", b":", b"#", b"_", b"-", b".")
_PASSAGE = re.compile(rb"(.+?)[#_:.@/-]p?\d+")


class ChangedInput(Struct, frozen=True):
    """A changed input, and the change as a phrase (``the qrels with ...``)."""

    says: str
    run: Run
    qrels: Qrels


def changed_inputs(run: Run, qrels: Qrels) -> Iterator[ChangedInput]:
    """The changed inputs that differ from this one. Docnos are changed only if more retrieved documents are
    judged then, or if passages of both run and qrels become documents."""
    yield from _levels(run, qrels)
    before = _judged(run, qrels)
    for sep in _SEPARATORS:
        for where, cut in (("first", _after_first(sep)), ("last", _after_last(sep))):
            words = f"without all up to the {where} {sep.decode()!r} of their ids"
            if _judged(changed := _renamed_run(run, cut), qrels) > before:
                yield ChangedInput(f"the documents of the run {words}", changed, qrels)
            if _judged(run, judged := _renamed_qrels(qrels, cut)) > before:
                yield ChangedInput(f"the documents of the qrels {words}", run, judged)
    whole, whole_qrels = _renamed_run(run, _document), _renamed_qrels(qrels, _document)
    says = "passages as documents, by their highest score"
    if _judged(whole, qrels) > before:
        yield ChangedInput(says, whole, qrels)
    if len(whole.docnos) < len(run.docnos) and len(whole_qrels.docnos) < len(qrels.docnos):
        yield ChangedInput(f"{says}, in the qrels as well", whole, whole_qrels)
    yield from _splits(run, qrels)


def _levels(run: Run, qrels: Qrels) -> Iterator[ChangedInput]:
    """Inputs with levels made binary at each positive level, and with positive levels lowered by one."""
    positive = sorted(set(qrels.rels[qrels.rels > 0].tolist()))
    for level in positive if len(positive) > 1 or positive[:1] > [1] else []:
        rels = np.where(qrels.rels > 0, (qrels.rels >= level).astype(np.int64), qrels.rels)
        yield ChangedInput(
            f"levels of {level} and more made 1, those below 0", run, replace(qrels, rels=rels)
        )
    if len(positive) > 1:
        rels = np.where(qrels.rels > 0, qrels.rels - 1, qrels.rels)
        yield ChangedInput("positive levels lowered by 1", run, replace(qrels, rels=rels))


def _splits(run: Run, qrels: Qrels) -> Iterator[ChangedInput]:
    """Inputs with the judgements of half of the queries each."""
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
            yield ChangedInput(says, run, only_qrels(qrels, set(chosen)))


def _after_first(sep: bytes) -> Renamed:
    return lambda docno: docno.partition(sep)[2] or docno


def _after_last(sep: bytes) -> Renamed:
    return lambda docno: docno.rpartition(sep)[2] or docno


def _document(docno: bytes) -> bytes:
    found = _PASSAGE.fullmatch(docno)
    return found[1] if found else docno


def _judged(run: Run, qrels: Qrels) -> int:
    """Retrieved documents with a judgement, over all queries."""
    judged = _by_topic(qrels)
    return sum(len(docnos & judged.get(topic, set())) for topic, docnos in _by_topic(run).items())


def _by_topic(table: Run | Qrels) -> dict[bytes, set[bytes]]:
    bounds = pairwise(table.offsets.tolist())
    return {
        topic: set(table.docnos[start:end].tolist())
        for topic, (start, end) in zip(table.topics, bounds, strict=True)
    }


def _renamed_run(run: Run, cut: Renamed) -> Run:
    """The run with other docnos; of documents of a query that become one, the highest score is kept."""
    docnos, rows, offsets = _highest(run, run.scores, cut)
    return replace(
        run,
        docnos=docnos,
        offsets=offsets,
        scores=run.scores[rows],
        ranks=None if run.ranks is None else run.ranks[rows],
        lines=run.lines[rows],
    )


def _renamed_qrels(qrels: Qrels, cut: Renamed) -> Qrels:
    """The qrels with other docnos; of documents of a query that become one, the highest level is kept."""
    docnos, rows, offsets = _highest(qrels, qrels.rels, cut)
    return replace(qrels, docnos=docnos, offsets=offsets, rels=qrels.rels[rows], **detail_of(qrels, rows))


def _highest(table: Run | Qrels, values: np.ndarray, cut: Renamed) -> tuple[np.ndarray, IntArray, IntArray]:
    names = [cut(docno) for docno in table.docnos.tolist()]
    kept: list[int] = []
    sizes: list[int] = []
    for start, end in pairwise(table.offsets.tolist()):
        best: dict[bytes, int] = {}
        for row in range(start, end):
            if names[row] not in best or values[row] > values[best[names[row]]]:
                best[names[row]] = row
        kept += sorted(best.values())
        sizes.append(len(best))
    rows = np.array(kept, np.int64)
    return identifiers([names[row] for row in kept]), rows, np.append(0, np.cumsum(sizes))
