"""Metrics that leave trec_eval in one formula each, for any cutoff: those that fixtures and audits share.

Every function is complete in itself, written from the definition of the measure.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from ctypes import c_float
from math import log2
from statistics import median
from typing import Any, TypeAlias

from tests.targets.plain import Qrels, Row, Run
from tests.targets.rules import Judged, Metric, Table, added, num_relevant, ranking, sum_of_precisions

#: Numerator and denominator.
Fraction: TypeAlias = tuple[int, int]

__all__ = [
    "DOCNO_KEYS",
    "ap_over",
    "ap_with_docnos",
    "dcg_of_levels",
    "err_to_highest",
    "err_to_highest_of_qrels",
    "median_of",
    "micro_of",
    "ndcg_of_levels",
    "only_level",
    "precision_over_best",
    "recall_over_k",
    "recall_summed_up",
    "rr_of_every",
    "rr_of_highest",
    "with_unretrieved",
    "without_first",
]


#: How docnos are sorted other than by their bytes.
DOCNO_KEYS: dict[str, Callable[[str], Any]] = {
    "natural": lambda docno: [int(part) if part.isdigit() else part for part in re.split("([0-9]+)", docno)],
    "folded": str.lower,
    "numeric": lambda docno: (0, int(docno)) if re.fullmatch("-?[0-9]+", docno) else (1, docno),
    "length": lambda docno: (len(docno), docno),
}


def ap_with_docnos(order: str, *, descending: bool) -> Metric:
    """AP where documents with equal scores are sorted by docno in one of these orders."""

    def metric(judged: Judged, rows: Sequence[Row]) -> float:
        by_docno = sorted(rows, key=lambda row: DOCNO_KEYS[order](row.docno), reverse=descending)
        docs = [row.docno for row in sorted(by_docno, key=lambda row: -c_float(float(row.score)).value)]
        return sum_of_precisions(judged, docs) / num_relevant(judged) if num_relevant(judged) else 0.0

    return metric


def without_first(metric: Metric) -> Metric:
    """A metric that never sees the first document of a ranking."""

    def over_others(judged: Judged, rows: Sequence[Row]) -> float:
        first = ranking(rows)[0] if rows else ""
        return metric(judged, [row for row in rows if row.docno != first])

    return over_others


def with_unretrieved(metric: Metric) -> Metric:
    """A metric over the union of both: judged documents that were not retrieved have a score of 0."""

    def over_union(judged: Judged, rows: Sequence[Row]) -> float:
        found = {row.docno for row in rows}
        missed = [doc for doc in judged if doc not in found]
        return metric(judged, [*rows, *(Row(doc, len(rows) + i, "0.0") for i, doc in enumerate(missed, 1))])

    return over_union


def recall_summed_up(k: int, summary: Callable[[Sequence[Fraction]], float]) -> Callable[[Qrels, Run], Table]:
    """R@k, and a summary made of the fractions of all queries, as they are before they are reduced."""

    def compute(qrels: Qrels, run: Run) -> Table:
        fractions = {
            query: (_found(qrels[query], ranking(rows)[:k]), num_relevant(qrels[query]))
            for query, rows in run.items()
        }
        values = {query: {f"R@{k}": found / below} for query, (found, below) in fractions.items()}
        return values | {"all": {f"R@{k}": summary(list(fractions.values()))}}

    return compute


def median_of(fractions: Sequence[Fraction]) -> float:
    """The middle value, or the mean of the two in the middle."""
    return median(above / below for above, below in fractions)


def micro_of(fractions: Sequence[Fraction]) -> float:
    """All that was found over all that there is."""
    return sum(above for above, _ in fractions) / sum(below for _, below in fractions)


def only_level(level: int, metric: Metric) -> Metric:
    """A metric for which documents of any other level are nonrelevant."""
    return lambda judged, rows: metric({doc: int(own == level) for doc, own in judged.items()}, rows)


def precision_over_best(k: int) -> Metric:
    """P@k over min(k, R)."""

    def metric(judged: Judged, rows: Sequence[Row]) -> float:
        best = min(k, num_relevant(judged))
        return _found(judged, ranking(rows)[:k]) / best if best else 0.0

    return metric


def recall_over_k(k: int) -> Metric:
    """R@k over k."""
    return lambda judged, rows: _found(judged, ranking(rows)[:k]) / k


def ap_over(k: int, divisor: Callable[[int, int], int]) -> Metric:
    """AP@k over what is made of R and of the number of documents down to rank k."""

    def metric(judged: Judged, rows: Sequence[Row]) -> float:
        docs = ranking(rows)[:k]
        below = divisor(num_relevant(judged), len(docs))
        return sum_of_precisions(judged, docs) / below if below else 0.0

    return metric


def rr_of_every(divisor: Callable[[int, int], int]) -> Metric:
    """1 / rank of every relevant document, over what is made of R and of the number found."""

    def metric(judged: Judged, rows: Sequence[Row]) -> float:
        ranks = [rank for rank, doc in enumerate(ranking(rows), 1) if judged.get(doc, 0) > 0]
        below = divisor(num_relevant(judged), len(ranks))
        return added(1 / rank for rank in ranks) / below if below else 0.0

    return metric


def rr_of_highest(judged: Judged, rows: Sequence[Row]) -> float:
    """1 / rank of the first document of the highest level that the query has, if that is relevant."""
    best = max(max(judged.values()), 1)
    return next((1 / rank for rank, doc in enumerate(ranking(rows), 1) if judged.get(doc, 0) == best), 0.0)


def err_to_highest(k: int, highest: int | None = None) -> Metric:
    """ERR@k on a scale from 0 to a highest level, or to that of the query."""

    def metric(judged: Judged, rows: Sequence[Row]) -> float:
        top = max(judged.values()) if highest is None else highest
        total, going_on = 0.0, 1.0
        for rank, doc in enumerate(ranking(rows)[:k], 1):
            level = min(max(judged.get(doc, 0), 0), max(top, 0))
            satisfied = (2**level - 1) / 2 ** max(top, 0)
            total += going_on * satisfied / rank
            going_on *= 1 - satisfied
        return total

    return metric


def err_to_highest_of_qrels(k: int) -> Callable[[Qrels, Run], Table]:
    """ERR@k on a scale from 0 to the highest level of the whole qrels."""

    def compute(qrels: Qrels, run: Run) -> Table:
        metric = err_to_highest(k, max(max(judged.values()) for judged in qrels.values()))
        return {
            query: {f"ERR@{k}": metric(qrels[query], rows)} for query, rows in run.items() if query in qrels
        }

    return compute


def _dcg(levels: Sequence[int], gain: Callable[[int], float], discount: Callable[[int], float]) -> float:
    return added(gain(level) / discount(rank) for rank, level in enumerate(levels, 1))


def dcg_of_levels(
    k: int | None = None,
    *,
    gain: Callable[[int], float] = float,
    discount: Callable[[int], float] = lambda rank: log2(rank + 1),
) -> Metric:
    """DCG@k with any gain of the level, which is 0 where a document is not judged, and any discount."""

    def metric(judged: Judged, rows: Sequence[Row]) -> float:
        return _dcg([max(judged.get(doc, 0), 0) for doc in ranking(rows)[:k]], gain, discount)

    return metric


def ndcg_of_levels(
    k: int | None = None,
    *,
    gain: Callable[[int], float] = float,
    discount: Callable[[int], float] = lambda rank: log2(rank + 1),
) -> Metric:
    """DCG@k over that of all documents that are judged 0 or more, best first."""

    def metric(judged: Judged, rows: Sequence[Row]) -> float:
        best = sorted((level for level in judged.values() if level >= 0), reverse=True)[:k]
        ideal = _dcg(best, gain, discount)
        return dcg_of_levels(k, gain=gain, discount=discount)(judged, rows) / ideal if ideal else 0.0

    return metric


def _found(judged: Judged, docs: Sequence[str]) -> int:
    return sum(judged.get(doc, 0) > 0 for doc in docs)
