"""S4, the specification of a metrics calculator over ranked ids and a collection of relevant ids.

Precision divides by k always, ids are case-sensitive, a duplicate in the ranking counts each time, a
duplicate among the relevant ids once, and every empty input gives 0.0.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import log2
from statistics import fmean, median
from typing import Any

__all__ = ["IRMetrics", "MetricsCalculator", "ReportAggregator"]


@dataclass(frozen=True)
class IRMetrics:
    """The measures of one query; ``first_relevant_position`` is 1-based, None where nothing was found."""

    precision_at_3: float
    precision_at_5: float
    recall_at_10: float
    mrr: float
    ndcg_at_10: float | None = None
    hits_in_top_3: int = 0
    hits_in_top_5: int = 0
    first_relevant_position: int | None = None


class MetricsCalculator:
    """Measures of one query: ``retrieved`` holds ranked ids, ``expected`` the relevant ones."""

    @staticmethod
    def calculate_all(retrieved: Sequence[str], expected: Iterable[str]) -> IRMetrics:
        """Everything that :class:`IRMetrics` holds."""
        relevant = set(expected)
        return IRMetrics(
            precision_at_3=MetricsCalculator.precision_at_k(retrieved, relevant, 3),
            precision_at_5=MetricsCalculator.precision_at_k(retrieved, relevant, 5),
            recall_at_10=MetricsCalculator.recall_at_k(retrieved, relevant, 10),
            mrr=MetricsCalculator.mrr(retrieved, relevant),
            ndcg_at_10=MetricsCalculator.ndcg_at_k(retrieved, relevant, 10),
            hits_in_top_3=MetricsCalculator.count_hits(retrieved[:3], relevant),
            hits_in_top_5=MetricsCalculator.count_hits(retrieved[:5], relevant),
            first_relevant_position=MetricsCalculator.first_relevant_position(retrieved, relevant),
        )

    @staticmethod
    def precision_at_k(retrieved: Sequence[str], expected: Iterable[str], k: int) -> float:
        """Relevant ids in the first ``k`` over ``k``, however short the list; 0.0 unless k is positive."""
        return MetricsCalculator.count_hits(retrieved[:k], expected) / k if k > 0 else 0.0

    @staticmethod
    def recall_at_k(retrieved: Sequence[str], expected: Iterable[str], k: int) -> float:
        """Relevant ids in the first ``k`` over all relevant ids; 0.0 where there are none."""
        relevant = set(expected)
        return (
            MetricsCalculator.count_hits(retrieved[: max(k, 0)], relevant) / len(relevant)
            if relevant
            else 0.0
        )

    @staticmethod
    def mrr(retrieved: Sequence[str], expected: Iterable[str]) -> float:
        """1 / position of the first relevant id; 0.0 where there is none."""
        position = MetricsCalculator.first_relevant_position(retrieved, expected)
        return 1 / position if position else 0.0

    @staticmethod
    def ndcg_at_k(retrieved: Sequence[str], expected: Iterable[str], k: int) -> float | None:
        """Binary nDCG with discount log2(i + 1); None where nothing is relevant."""
        relevant = set(expected)
        if not relevant:
            return None
        gained = sum(1 / log2(rank + 1) for rank, doc in enumerate(retrieved[:k], start=1) if doc in relevant)
        best = sum(1 / log2(rank + 1) for rank in range(1, min(k, len(relevant)) + 1))
        return gained / best

    @staticmethod
    def count_hits(retrieved: Sequence[str], expected: Iterable[str]) -> int:
        """Retrieved ids that are relevant, a duplicate as often as it was retrieved."""
        relevant = set(expected)
        return sum(doc in relevant for doc in retrieved)

    @staticmethod
    def first_relevant_position(retrieved: Sequence[str], expected: Iterable[str]) -> int | None:
        """1-based position of the first relevant id, or None."""
        relevant = set(expected)
        return next((rank for rank, doc in enumerate(retrieved, start=1) if doc in relevant), None)


class ReportAggregator:
    """Means over queries."""

    @staticmethod
    def aggregate_metrics(metrics: Sequence[IRMetrics]) -> dict[str, float]:
        """Means of the four measures, and two medians; 0.0 everywhere without any query."""
        columns = {
            "precision@3": [m.precision_at_3 for m in metrics],
            "precision@5": [m.precision_at_5 for m in metrics],
            "recall@10": [m.recall_at_10 for m in metrics],
            "mrr": [m.mrr for m in metrics],
        }
        means = {name: fmean(values) if values else 0.0 for name, values in columns.items()}
        medians = {
            f"median_{name}": median(columns[name]) if metrics else 0.0 for name in ("precision@3", "mrr")
        }
        return means | medians

    @staticmethod
    def group_by_category(
        detailed_results: Iterable[Mapping[str, Any]], metric_field: str
    ) -> dict[str, float]:
        """Mean of ``metrics[metric_field]`` for each ``category``."""
        groups: dict[str, list[float]] = defaultdict(list)
        for result in detailed_results:
            groups[result["category"]].append(result["metrics"][metric_field])
        return {category: fmean(values) for category, values in groups.items()}

    @staticmethod
    def group_by_difficulty(
        detailed_results: Iterable[Mapping[str, Any]],
    ) -> dict[str, dict[str, float]]:
        """Count, mean P@3, mean P@5 and mean RR for each ``difficulty``."""
        groups: dict[str, list[Mapping[str, float]]] = defaultdict(list)
        for result in detailed_results:
            groups[result["difficulty"]].append(result["metrics"])
        fields = {"precision@3": "precision_at_3", "precision@5": "precision_at_5", "mrr": "mrr"}
        return {
            difficulty: {"count": len(group)}
            | {name: fmean(metrics[field] for metrics in group) for name, field in fields.items()}
            for difficulty, group in groups.items()
        }
