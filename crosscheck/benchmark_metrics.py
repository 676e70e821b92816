"""Metrics of one ranked list against the ids that were expected, and their aggregation into reports.

Relevance is binary and ids are compared as they are: no case folding, no stripping. An empty list of
results or of expected ids gives 0.0, never an error. Nothing here imports anything beyond the standard
library, and every function is linear in its input.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import asdict, dataclass
from functools import reduce
from operator import add
from typing import Any, TypeAlias

from crosscheck.errors import ArgumentError, quoted

__all__ = ["IRMetrics", "MetricsCalculator", "ReportAggregator"]

#: One entry of a detailed report: ``{"category": .., "difficulty": .., "metrics": {field: value}}``.
DetailedResult: TypeAlias = Mapping[str, Any]


@dataclass(frozen=True)
class IRMetrics:
    """Everything that one query is measured by.

    Attributes:
        precision_at_3, precision_at_5: share of the first 3 or 5 places that hold an expected id.
        recall_at_10: share of the expected ids found in the first 10 places.
        mrr: reciprocal rank of the first expected id, 0.0 if none was retrieved.
        ndcg_at_10: binary nDCG of the first 10 places, or None where it was not asked for.
        hits_in_top_3, hits_in_top_5: places among the first 3 or 5 that hold an expected id.
        first_relevant_position: 1-based rank of the first expected id, or None if none was retrieved.
    """

    precision_at_3: float
    precision_at_5: float
    recall_at_10: float
    mrr: float
    ndcg_at_10: float | None = None
    hits_in_top_3: int = 0
    hits_in_top_5: int = 0
    first_relevant_position: int | None = None


class MetricsCalculator:
    """Metrics of a ranked list ``retrieved`` against the relevant ids ``expected``.

    ``retrieved`` is ordered from rank 1 on. An id that it holds twice counts at both places where places
    are counted (precision, hits), and once where expected ids are counted (recall, nDCG), so that no
    metric exceeds 1. An id that ``expected`` holds twice counts once.
    """

    @staticmethod
    def calculate_all(
        retrieved: Sequence[Hashable], expected: Iterable[Hashable], *, include_ndcg: bool = False
    ) -> IRMetrics:
        """All metrics of one query.

        Args:
            retrieved: ids in rank order.
            expected: relevant ids, in any order.
            include_ndcg: whether ``ndcg_at_10`` is computed; it is None otherwise.
        """
        relevant = frozenset(expected)
        hits_3, hits_5 = _hits(retrieved[:3], relevant), _hits(retrieved[:5], relevant)
        position = _first(retrieved, relevant)
        return IRMetrics(
            precision_at_3=hits_3 / 3,
            precision_at_5=hits_5 / 5,
            recall_at_10=_recall(retrieved, relevant, 10),
            mrr=0.0 if position is None else 1 / position,
            ndcg_at_10=_ndcg(retrieved, relevant, 10) if include_ndcg else None,
            hits_in_top_3=hits_3,
            hits_in_top_5=hits_5,
            first_relevant_position=position,
        )

    @staticmethod
    def precision_at_k(retrieved: Sequence[Hashable], expected: Iterable[Hashable], k: int) -> float:
        """P@k = (places among the first k that hold an expected id) / k.

        The divisor is always k, also where fewer than k ids were retrieved: ``(["A", "B"], ["A"], 5)``
        gives 0.2.

        Raises:
            ArgumentError: k is below 1.
        """
        return _hits(retrieved[: _cutoff(k)], frozenset(expected)) / k

    @staticmethod
    def recall_at_k(retrieved: Sequence[Hashable], expected: Iterable[Hashable], k: int) -> float:
        """R@k = (expected ids among the first k) / (expected ids); 0.0 where nothing is expected.

        Raises:
            ArgumentError: k is below 1.
        """
        return _recall(retrieved, frozenset(expected), _cutoff(k))

    @staticmethod
    def mrr(retrieved: Sequence[Hashable], expected: Iterable[Hashable]) -> float:
        """RR = 1 / (rank of the first expected id); 0.0 where none was retrieved."""
        position = _first(retrieved, frozenset(expected))
        return 0.0 if position is None else 1 / position

    @staticmethod
    def count_hits(retrieved: Sequence[Hashable], expected: Iterable[Hashable]) -> int:
        """Places of ``retrieved`` that hold an expected id."""
        return _hits(retrieved, frozenset(expected))

    @staticmethod
    def first_relevant_position(retrieved: Sequence[Hashable], expected: Iterable[Hashable]) -> int | None:
        """1-based rank of the first expected id, or None where none was retrieved."""
        return _first(retrieved, frozenset(expected))

    @staticmethod
    def ndcg_at_k(retrieved: Sequence[Hashable], expected: Iterable[Hashable], k: int) -> float:
        """nDCG@k = DCG@k / IDCG@k, where DCG@k = sum over i = 1..k of rel_i / log2(i + 1).

        rel_i is 1 where place i holds an expected id for the first time, else 0. IDCG@k is the DCG of
        min(k, expected ids) relevant places. 0.0 where nothing is expected.

        Raises:
            ArgumentError: k is below 1.
        """
        return _ndcg(retrieved, frozenset(expected), _cutoff(k))


class ReportAggregator:
    """Means and medians over queries, and means per group of queries."""

    @staticmethod
    def aggregate_metrics(metrics: Sequence[IRMetrics]) -> dict[str, float]:
        """Over all queries: mean P@3, P@5, R@10 and RR (each sum / n), median P@3 and RR.

        Keys: ``precision@3``, ``precision@5``, ``recall@10``, ``mrr``, ``median_precision@3`` and
        ``median_mrr``. The median of an even number of values is the mean of the middle two. Without
        queries every value is 0.0.
        """
        precision_3 = [m.precision_at_3 for m in metrics]
        reciprocal_rank = [m.mrr for m in metrics]
        return {
            "precision@3": _mean(precision_3),
            "precision@5": _mean([m.precision_at_5 for m in metrics]),
            "recall@10": _mean([m.recall_at_10 for m in metrics]),
            "mrr": _mean(reciprocal_rank),
            "median_precision@3": _median(precision_3),
            "median_mrr": _median(reciprocal_rank),
        }

    @staticmethod
    def group_by_category(detailed_results: Iterable[DetailedResult], metric_field: str) -> dict[Any, float]:
        """Mean of one metric per category, in order of first appearance.

        Args:
            detailed_results: mappings with ``category`` and ``metrics``; the metrics are a mapping or an
                :class:`IRMetrics`.
            metric_field: field to average, as ``precision_at_3`` or as ``precision@3``.

        Raises:
            ArgumentError: a result without category, or without a value for the field.
        """
        groups = _grouped(detailed_results, "category")
        return {name: _mean(_column(group, metric_field)) for name, group in groups.items()}

    @staticmethod
    def group_by_difficulty(detailed_results: Iterable[DetailedResult]) -> dict[Any, dict[str, float]]:
        """Number of queries and mean P@3, P@5 and RR per difficulty, in order of first appearance.

        Each value has the keys ``count`` (an int), ``precision@3``, ``precision@5`` and ``mrr``.

        Raises:
            ArgumentError: a result without difficulty, or without one of the three metrics.
        """
        fields = ("precision@3", "precision@5", "mrr")
        groups = _grouped(detailed_results, "difficulty")
        return {
            name: {"count": len(group), **{field: _mean(_column(group, field)) for field in fields}}
            for name, group in groups.items()
        }


def _cutoff(k: int) -> int:
    if k < 1:
        raise ArgumentError(f"a cutoff is at least 1, not {k!r}")
    return k


def _hits(retrieved: Iterable[Hashable], relevant: AbstractSet[Hashable]) -> int:
    return sum(1 for docno in retrieved if docno in relevant)


def _first(retrieved: Iterable[Hashable], relevant: AbstractSet[Hashable]) -> int | None:
    return next((rank for rank, docno in enumerate(retrieved, 1) if docno in relevant), None)


def _recall(retrieved: Sequence[Hashable], relevant: Collection[Hashable], k: int) -> float:
    return len({docno for docno in retrieved[:k] if docno in relevant}) / len(relevant) if relevant else 0.0


def _ndcg(retrieved: Sequence[Hashable], relevant: Collection[Hashable], k: int) -> float:
    if not relevant:
        return 0.0
    first_ranks: dict[Hashable, int] = {}
    for rank, docno in enumerate(retrieved[:k], 1):
        if docno in relevant:
            first_ranks.setdefault(docno, rank)
    return _dcg(first_ranks.values()) / _dcg(range(1, min(k, len(relevant)) + 1))


def _dcg(ranks: Iterable[int]) -> float:
    return _total([1 / math.log2(rank + 1) for rank in ranks])


def _total(values: Sequence[float]) -> float:
    """Sum from left to right; the builtin compensates from Python 3.12 on, and differs in the last bit."""
    return reduce(add, values, 0.0)


def _mean(values: Sequence[float]) -> float:
    return _total(values) / len(values) if values else 0.0


def _median(values: Sequence[float]) -> float:
    if not values:
        return 0.0
    ordered, middle = sorted(values), len(values) // 2
    return ordered[middle] if len(values) % 2 else (ordered[middle - 1] + ordered[middle]) / 2


def _grouped(results: Iterable[DetailedResult], key: str) -> dict[Any, list[DetailedResult]]:
    groups: dict[Any, list[DetailedResult]] = {}
    for number, result in enumerate(results, 1):
        if key not in result:
            raise ArgumentError(f"detailed result {number} has no {key!r}")
        groups.setdefault(result[key], []).append(result)
    return groups


def _column(group: Iterable[DetailedResult], field: str) -> list[float]:
    return [_value(result, field) for result in group]


def _value(result: DetailedResult, field: str) -> float:
    metrics = result.get("metrics", {})
    values: Mapping[str, float | None] = asdict(metrics) if isinstance(metrics, IRMetrics) else metrics
    for spelling in (field, field.replace("@", "_at_"), field.replace("_at_", "@")):
        value = values.get(spelling)
        if value is not None:
            return value
    known = ", ".join(quoted(str(name)) for name in values) or "no metrics"
    raise ArgumentError(f"a detailed result has no value for the metric {field!r}", hint=f"it has: {known}")
