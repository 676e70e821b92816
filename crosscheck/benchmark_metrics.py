"""Metrics of one ranked list against a list of expected ids, and means of these metrics over queries.

Relevance is binary. Ids are compared unchanged: no case folding, no stripping. An empty list of results or of
expected ids gives 0.0, never an error. The values equal those of the native measures. Importing this module
imports only the standard library, and the time of every function is linear in the length of its input.
"""

from collections.abc import Container, Hashable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from typing import Any, TypeAlias

from crosscheck.errors import ArgumentError, quoted
from crosscheck.vectors import checked_cutoff, measured

__all__ = ["IRMetrics", "MetricsCalculator", "ReportAggregator"]

#: One entry of a detailed report: ``{"category": .., "difficulty": .., "metrics": {field: value}}``.
DetailedResult: TypeAlias = Mapping[str, Any]


@dataclass
class IRMetrics:
    """All metrics of one query.

    Attributes:
        precision_at_3, precision_at_5: share of the first 3 or 5 ranks that hold an expected id.
        recall_at_10: share of the expected ids found in the first 10 ranks.
        mrr: reciprocal rank of the first expected id, 0.0 if none was retrieved.
        ndcg_at_10: binary nDCG of the first 10 ranks, or None if it was not requested.
        hits_in_top_3, hits_in_top_5: number of ranks among the first 3 or 5 that hold an expected id.
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

    ``retrieved`` is ordered from rank 1 on. If an id occurs twice in ``retrieved``, metrics that count ranks
    (precision, hits) count both ranks, and metrics that count expected ids (recall, nDCG) count the id once,
    so no ratio exceeds 1. If an id occurs twice in ``expected``, it is counted once.
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

        >>> found = MetricsCalculator.calculate_all(list("ABCDEFGHIJ"), ["A", "C", "F", "K"])
        >>> found.precision_at_5, found.recall_at_10, found.mrr, found.hits_in_top_3
        (0.4, 0.75, 1.0, 2)
        """
        relevant = frozenset(expected)
        top_3, top_5 = _hits(retrieved[:3], relevant), _hits(retrieved[:5], relevant)
        hits, position = _first_hits(retrieved[:10], relevant), _first(retrieved, relevant)
        return IRMetrics(
            precision_at_3=_measured("P", 3, top_3),
            precision_at_5=_measured("P", 5, top_5),
            recall_at_10=_measured("R", 10, hits, len(relevant)),
            mrr=_reciprocal_rank(position),
            ndcg_at_10=_measured("nDCG", 10, hits, len(relevant)) if include_ndcg else None,
            hits_in_top_3=len(top_3),
            hits_in_top_5=len(top_5),
            first_relevant_position=position,
        )

    @staticmethod
    def precision_at_k(retrieved: Sequence[Hashable], expected: Iterable[Hashable], k: int) -> float:
        """P@k = (ranks among the first k that hold an expected id) / k.

        The divisor is always k, even if fewer than k ids were retrieved: ``(["A", "B"], ["A"], 5)`` gives
        0.2.

        Raises:
            ArgumentError: k is below 1.

        >>> MetricsCalculator.precision_at_k(["A", "B"], ["A"], 5)
        0.2
        """
        return _measured("P", checked_cutoff(k), _hits(retrieved[:k], frozenset(expected)))

    @staticmethod
    def recall_at_k(retrieved: Sequence[Hashable], expected: Iterable[Hashable], k: int) -> float:
        """R@k = (expected ids among the first k) / (expected ids); 0.0 if nothing is expected.

        Raises:
            ArgumentError: k is below 1.

        >>> MetricsCalculator.recall_at_k(["A", "B"], ["A", "C"], 5)
        0.5
        """
        relevant = frozenset(expected)
        return _measured("R", checked_cutoff(k), _first_hits(retrieved[:k], relevant), len(relevant))

    @staticmethod
    def mrr(retrieved: Sequence[Hashable], expected: Iterable[Hashable]) -> float:
        """RR = 1 / (rank of the first expected id); 0.0 if none was retrieved.

        >>> MetricsCalculator.mrr(["A", "B"], ["B"])
        0.5
        """
        return _reciprocal_rank(_first(retrieved, frozenset(expected)))

    @staticmethod
    def count_hits(retrieved: Sequence[Hashable], expected: Iterable[Hashable]) -> int:
        """Number of ranks of ``retrieved`` that hold an expected id.

        >>> MetricsCalculator.count_hits(["A", "B", "A"], ["A"])
        2
        """
        return len(_hits(retrieved, frozenset(expected)))

    @staticmethod
    def first_relevant_position(retrieved: Sequence[Hashable], expected: Iterable[Hashable]) -> int | None:
        """1-based rank of the first expected id, or None if none was retrieved.

        >>> MetricsCalculator.first_relevant_position(["A", "B"], ["B"])
        2
        """
        return _first(retrieved, frozenset(expected))

    @staticmethod
    def ndcg_at_k(retrieved: Sequence[Hashable], expected: Iterable[Hashable], k: int) -> float:
        """nDCG@k = DCG@k / IDCG@k, where DCG@k = sum over i = 1..k of rel_i / log2(i + 1).

        rel_i is 1 where rank i holds an expected id for the first time, else 0. IDCG@k is the DCG of
        min(k, expected ids) relevant documents. 0.0 if nothing is expected.

        Raises:
            ArgumentError: k is below 1.

        >>> MetricsCalculator.ndcg_at_k(["A", "B"], ["A"], 10)
        1.0
        """
        relevant = frozenset(expected)
        return _measured("nDCG", checked_cutoff(k), _first_hits(retrieved[:k], relevant), len(relevant))


class ReportAggregator:
    """Means and medians over queries, and means per group of queries."""

    @staticmethod
    def aggregate_metrics(results: Iterable[IRMetrics]) -> dict[str, float]:
        """Means of P@3, P@5, R@10 and RR over all queries, and medians of P@3 and RR.

        Keys: ``precision@3``, ``precision@5``, ``recall@10``, ``mrr``, ``median_precision@3`` and
        ``median_mrr``. The median of an even number of values is the mean of the middle two. Without
        queries every value is 0.0.

        >>> found = MetricsCalculator.calculate_all(["A", "B", "C"], ["B"])
        >>> ReportAggregator.aggregate_metrics([found, found])["mrr"]
        0.5
        """
        from statistics import mean, median  # slower to import than everything else here

        metrics = list(results) or [IRMetrics(0.0, 0.0, 0.0, 0.0)]
        fields = ("precision@3", "precision@5", "recall@10", "mrr")
        values = {name: [getattr(m, name.replace("@", "_at_")) for m in metrics] for name in fields}
        medians = {f"median_{name}": median(values[name]) for name in ("precision@3", "mrr")}
        return {name: mean(of) for name, of in values.items()} | medians

    @staticmethod
    def group_by_category(detailed_results: Iterable[DetailedResult], metric_field: str) -> dict[Any, float]:
        """Mean of one metric per category, in order of first appearance.

        Args:
            detailed_results: mappings with ``category`` and ``metrics``; the metrics are a mapping or an
                :class:`IRMetrics`.
            metric_field: field to average, as ``precision_at_3`` or as ``precision@3``.

        Raises:
            ArgumentError: a result has no category, or no value for the field.

        >>> results = [{"category": "faq", "metrics": {"mrr": value}} for value in (1.0, 0.5)]
        >>> ReportAggregator.group_by_category(results, "mrr")
        {'faq': 0.75}
        """
        means = _means(detailed_results, "category", metric_field)
        return {name: of[metric_field] for name, (_, of) in means.items()}

    @staticmethod
    def group_by_difficulty(detailed_results: Iterable[DetailedResult]) -> dict[Any, dict[str, float]]:
        """Number of queries and mean P@3, P@5 and RR per difficulty, in order of first appearance.

        Each value has the keys ``count`` (an int), ``precision@3``, ``precision@5`` and ``mrr``.

        Raises:
            ArgumentError: a result has no difficulty, or lacks one of the three metrics.

        >>> found = MetricsCalculator.calculate_all(["A", "B", "C"], ["B"])
        >>> ReportAggregator.group_by_difficulty([{"difficulty": "easy", "metrics": found}])["easy"]["count"]
        1
        """
        means = _means(detailed_results, "difficulty", "precision@3", "precision@5", "mrr")
        return {name: {"count": count, **of} for name, (count, of) in means.items()}


def _hits(retrieved: Iterable[Hashable], relevant: Container[Hashable]) -> tuple[int, ...]:
    """Ranks of the expected ids, including repeated ones."""
    return tuple([rank for rank, docno in enumerate(retrieved, 1) if docno in relevant])


def _first_hits(retrieved: Iterable[Hashable], relevant: Container[Hashable]) -> tuple[int, ...]:
    """First rank of each expected id."""
    backwards = reversed([*enumerate(retrieved, 1)])
    return tuple({docno: rank for rank, docno in backwards if docno in relevant}.values())


def _first(retrieved: Iterable[Hashable], relevant: Container[Hashable]) -> int | None:
    return next((rank for rank, docno in enumerate(retrieved, 1) if docno in relevant), None)


def _reciprocal_rank(position: int | None) -> float:
    return _measured("RR", None, () if position is None else (position,))


# Cached, because the same few hits among ten documents occur in most queries.
@lru_cache(maxsize=4096)
def _measured(family: str, cutoff: int | None, hits: tuple[int, ...], expected: int = 0) -> float:
    """The value of a native measure on a ranking with relevant documents at the ranks ``hits``, out of
    ``expected`` relevant documents. Documents after the last hit change none of these measures."""
    levels = [0] * max(hits, default=0)
    for rank in hits:
        levels[rank - 1] = 1
    return measured(family, [levels], cutoff, relevant=[expected], repeats=True)[0]


def _means(rows: Iterable[DetailedResult], key: str, *fields: str) -> dict[Any, tuple[int, dict[str, float]]]:
    """Per group: how many results it has, and the correctly rounded mean of each field."""
    from statistics import mean

    groups: dict[Any, list[DetailedResult]] = {}
    for number, result in enumerate(rows, 1):
        if key not in result:
            raise ArgumentError(f"detailed result {number} has no {key!r}")
        groups.setdefault(result[key], []).append(result)
    return {
        name: (len(group), {field: mean([_value(one, field) for one in group]) for field in fields})
        for name, group in groups.items()
    }


def _value(result: DetailedResult, field: str) -> float:
    metrics = result.get("metrics", {})
    values: Mapping[str, float | None] = asdict(metrics) if isinstance(metrics, IRMetrics) else metrics
    for spelling in (field, field.replace("@", "_at_"), field.replace("_at_", "@")):
        if (value := values.get(spelling)) is not None:
            return value
    known = ", ".join(quoted(str(key)) for key, value in values.items() if value is not None) or "no metrics"
    problem = f"a detailed result has no value for the metric {field!r}"
    raise ArgumentError(problem, hint=f"use one of: {known}")
