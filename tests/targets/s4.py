"""S4, the specification of a metrics calculator over ranked ids and a collection of relevant ids.

Precision divides by k always, ids are case-sensitive, a duplicate in the ranking counts each time, a
duplicate among the relevant ids once, and every empty input gives 0.0.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import log2


class MetricsCalculator:
    """Measures of one query: ``retrieved`` holds ranked ids, ``expected`` the relevant ones."""

    @staticmethod
    def precision_at_k(retrieved: Sequence[str], expected: Iterable[str], k: int) -> float:
        """Relevant ids in the first ``k`` over ``k``, however short the list; 0.0 unless k is positive."""
        return MetricsCalculator.count_hits(retrieved[:k], expected) / k if k > 0 else 0.0

    @staticmethod
    def recall_at_k(retrieved: Sequence[str], expected: Iterable[str], k: int) -> float:
        """Relevant ids in the first ``k`` over all relevant ids; 0.0 where there are none."""
        relevant = set(expected)
        hits = MetricsCalculator.count_hits(retrieved[: max(k, 0)], relevant)
        return hits / len(relevant) if relevant else 0.0

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
