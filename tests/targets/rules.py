"""trec_eval's own rules in plain Python, and the types of metrics that leave them.

Every function is written from the definition of the measure. ``judged`` holds the grades of one topic,
``rows`` its lines of the run in file order.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from ctypes import c_float
from itertools import pairwise, permutations
from math import log2
from typing import TypeAlias

from tests.targets.plain import Qrels, Row, Run

Judged: TypeAlias = Mapping[str, int]
Table: TypeAlias = dict[str, dict[str, float]]
Metric: TypeAlias = Callable[[Judged, Sequence[Row]], float]


def table(**metrics: Metric) -> Callable[[Qrels, Run], Table]:
    """Values per topic that has both judgements and results; ``P_5=...`` gives measure ``P@5``."""

    def compute(qrels: Qrels, run: Run) -> Table:
        return {
            topic: {
                re.sub(r"_(?=\d)", "@", name): metric(qrels[topic], rows) for name, metric in metrics.items()
            }
            for topic, rows in run.items()
            if topic in qrels
        }

    return compute


def ranking(rows: Sequence[Row]) -> list[str]:
    """trec_eval 9's order: score in single precision descending, then docno descending in byte order."""
    by_docno = sorted(rows, key=lambda row: in_bytes(row.docno), reverse=True)
    return [row.docno for row in sorted(by_docno, key=lambda row: -c_float(float(row.score)).value)]


def precision(judged: Judged, rows: Sequence[Row], k: int = 5) -> float:
    return sum(judged.get(doc, 0) > 0 for doc in ranking(rows)[:k]) / k


def reciprocal_rank(judged: Judged, rows: Sequence[Row]) -> float:
    return reciprocal_of_first(judged, ranking(rows))


def average_precision(judged: Judged, rows: Sequence[Row]) -> float:
    return sum_of_precisions(judged, ranking(rows)) / num_relevant(judged) if num_relevant(judged) else 0.0


def ndcg(judged: Judged, rows: Sequence[Row], k: int = 5) -> float:
    return ndcg_of(gains_of(judged, ranking(rows))[:k], ideal_gains(judged)[:k])


def dcg(judged: Judged, rows: Sequence[Row], k: int | None = None) -> float:
    return dcg_of(gains_of(judged, ranking(rows))[:k])


def bpref(judged: Judged, rows: Sequence[Row]) -> float:
    """trec_eval's: a relevant document counts 1 if no judged nonrelevant one is ranked above it."""
    return bpref_of({doc: grade for doc, grade in judged.items() if grade >= 0}, rows)


def added(terms: Iterable[float]) -> float:
    # Not sum(): from Python 3.12 on it compensates for rounding, and these numbers are compared to the bit.
    total = 0.0
    for term in terms:
        total += term
    return total


def num_relevant(judged: Judged) -> int:
    return sum(grade > 0 for grade in judged.values())


def reciprocal_of_first(judged: Judged, docs: Sequence[str]) -> float:
    return next((1 / rank for rank, doc in enumerate(docs, start=1) if judged.get(doc, 0) > 0), 0.0)


def sum_of_precisions(judged: Judged, docs: Sequence[str]) -> float:
    found, total = 0, 0.0
    for rank, doc in enumerate(docs, start=1):
        if judged.get(doc, 0) > 0:
            found += 1
            total += found / rank
    return total


def gains_of(judged: Judged, docs: Sequence[str]) -> list[float]:
    return [max(judged.get(doc, 0), 0) for doc in docs]


def ideal_gains(judged: Judged) -> list[float]:
    return sorted((grade for grade in judged.values() if grade > 0), reverse=True)


def dcg_of(gains: Sequence[float]) -> float:
    return added(gain / log2(rank + 1) for rank, gain in enumerate(gains, start=1))


def ndcg_of(gains: Sequence[float], ideal: Sequence[float]) -> float:
    return dcg_of(gains) / dcg_of(ideal) if dcg_of(ideal) > 0 else 0.0


def bpref_of(judged: Judged, rows: Sequence[Row]) -> float:
    relevant, nonrelevant = num_relevant(judged), sum(grade == 0 for grade in judged.values())
    above, total = 0, 0.0
    for doc in ranking(rows):
        if judged.get(doc) == 0:
            above += 1
        elif doc in judged:
            total += 1 - min(above, relevant) / min(nonrelevant, relevant) if above else 1.0
    return total / relevant if relevant else 0.0


def bpref_bounded(judged: Judged, rows: Sequence[Row], bound: int) -> float:
    above, total = 0, 0.0
    for doc in ranking(rows):
        if judged.get(doc) == 0:
            above += 1
        elif doc in judged:
            total += 1 - min(above, bound) / bound
    return total / num_relevant(judged)


def mean_over_orders(rows: Sequence[Row], value: Callable[[list[str]], float]) -> float:
    """The mean of a value over all orders of the documents that leave the scores in descending order."""
    orders = [
        [row.docno for row in order]
        for order in permutations(rows)
        if all(float(a.score) >= float(b.score) for a, b in pairwise(order))
    ]
    return added(map(value, orders)) / len(orders)


def in_bytes(docno: str) -> bytes:
    return docno.encode("utf-8", "surrogateescape")
