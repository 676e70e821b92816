"""Rankings that only a lenient reader accepts: NaN scores, and documents that occur twice under a topic."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np
from msgspec.structs import replace

from crosscheck.axes.ties import ScorePrecision
from crosscheck.formats.duplicates import find_duplicate
from crosscheck.model import IdArray, IntArray, Run
from crosscheck.rankings.sorts import merge_sorted

__all__ = ["cut_topics_with_duplicates", "duplicates", "with_nan_scores_ordered"]


def duplicates(docnos: IdArray, offsets: IntArray) -> dict[int, bytes]:
    """Topics (by number) with a document that occurs twice, each with the lowest such docno."""
    found: dict[int, bytes] = {}
    start = 0
    while pair := find_duplicate(docnos[offsets[start] :], offsets[start:] - offsets[start]):
        topic = start + int(np.searchsorted(offsets[start:] - offsets[start], pair[1], "right")) - 1
        ids = np.sort(docnos[offsets[topic] : offsets[topic + 1]])
        found[topic] = bytes(ids[1:][ids[1:] == ids[:-1]][0])
        start = topic + 1
    return found


def cut_topics_with_duplicates(run: Run, depth: int, precision: ScorePrecision, *, ascending: bool) -> Run:
    """The run with only the first ``depth`` documents of the topics in which some document occurs twice.

    trec_eval cuts before it looks for duplicates, so only the remaining ones count. Tied documents are
    ordered by docno, descending or ``ascending``.
    """
    affected = duplicates(run.docnos, run.offsets)
    if not affected:
        return run
    kept = np.ones(len(run.docnos), np.bool_)
    for topic in affected:
        rows = range(int(run.offsets[topic]), int(run.offsets[topic + 1]))
        scores = _compared(run.scores[rows.start : rows.stop], precision)
        by_docno = sorted(rows, key=lambda row: bytes(run.docnos[row]), reverse=not ascending)
        ranking = sorted(by_docno, key=lambda row: -scores[row - rows.start])
        kept[ranking[depth:]] = False
    return _only_rows(run, kept)


def _only_rows(run: Run, kept: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> Run:
    topic = run.topic_numbers[kept]
    sizes = np.bincount(topic, minlength=len(run.topics))
    return replace(
        run,
        offsets=np.concatenate(([0], np.cumsum(sizes))),
        docnos=run.docnos[kept],
        scores=run.scores[kept],
        ranks=None if run.ranks is None else run.ranks[kept],
        lines=run.lines[kept],
    )


def with_nan_scores_ordered(run: Run, precision: ScorePrecision, *, ascending: bool) -> Run:
    """The run with changed scores in topics that hold a NaN, so that they are ranked as in trec_eval.

    To trec_eval's comparison a NaN is neither above nor below another score, so docnos decide, descending or
    ``ascending``. The comparison is then not transitive, and the result is that of the C library's merge
    sort, which starts from ascending docnos.
    """
    broken = np.flatnonzero(np.isnan(run.scores))
    if not len(broken):
        return run
    scores = run.scores.copy()
    for topic in np.unique(np.searchsorted(run.offsets, broken, "right") - 1).tolist():
        start, end = int(run.offsets[topic]), int(run.offsets[topic + 1])
        values = _compared(run.scores[start:end], precision)
        docnos = [bytes(docno) for docno in run.docnos[start:end]]
        compare = partial(_by_score_then_docno, values, docnos, ascending)
        by_docno = sorted(range(end - start), key=docnos.__getitem__)
        for place, row in enumerate(merge_sorted(by_docno, compare)):
            scores[start + row] = float(end - start - place)
    return replace(run, scores=scores)


def _by_score_then_docno(
    values: Sequence[float], docnos: Sequence[bytes], ascending: bool, one: int, other: int
) -> int:
    """trec_eval's comparison of two rows: below 0 if ``one`` comes first."""
    if values[one] > values[other]:
        return -1
    if values[one] < values[other]:
        return 1
    upwards = (docnos[one] > docnos[other]) - (docnos[one] < docnos[other])
    return upwards if ascending else -upwards


def _compared(scores: np.ndarray[tuple[int], np.dtype[np.float64]], precision: ScorePrecision) -> list[float]:
    if precision is ScorePrecision.FLOAT32:
        with np.errstate(over="ignore"):
            scores = scores.astype(np.float32).astype(np.float64)
    values: list[float] = scores.tolist()
    return values
