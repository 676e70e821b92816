"""S1, a notebook over relevance vectors: every function takes the grades of one list in rank order.

A grade above 0 is relevant. Where it leaves trec_eval: precision divides by what was retrieved, average
precision by the relevant documents that were retrieved, DCG leaves rank 2 undiscounted, and the ideal
list is the retrieved list itself, sorted.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import log2

__all__ = [
    "average_precision",
    "dcg_at_k",
    "mean_average_precision",
    "ndcg_at_k",
    "precision",
    "precision_at_k",
    "recall_at_k",
]


def precision(grades: Sequence[int]) -> float:
    """Share of relevant documents in the list; 0.0 for an empty one."""
    return sum(grade > 0 for grade in grades) / len(grades) if grades else 0.0


def precision_at_k(grades: Sequence[int], k: int) -> float:
    """Precision of the first ``k``, divided by the smaller of ``k`` and the length; 0.0 for an empty list.

    Raises:
        ValueError: ``k`` is not positive.
    """
    if k <= 0:
        raise ValueError(f"k must be positive, not {k}")
    return precision(grades[:k])


def recall_at_k(grades: Sequence[int], total_relevant: int, k: int) -> float:
    """Relevant documents in the first ``k`` over ``total_relevant``; 0.0 where that is not positive."""
    if total_relevant <= 0:
        return 0.0
    return sum(grade > 0 for grade in grades[:k]) / total_relevant


def average_precision(grades: Sequence[int]) -> float:
    """Mean of the precision at each relevant rank; relevant documents outside the list do not count."""
    precisions = [precision(grades[: i + 1]) for i, grade in enumerate(grades) if grade > 0]
    total = 0.0
    for value in precisions:
        total += value
    return total / len(precisions) if precisions else 0.0


def mean_average_precision(lists: Sequence[Sequence[int]]) -> float:
    """Mean of :func:`average_precision` over the lists; 0.0 without any."""
    total = 0.0
    for grades in lists:
        total += average_precision(grades)
    return total / len(lists) if lists else 0.0


def dcg_at_k(grades: Sequence[int], k: int) -> float:
    """Sum over ranks i up to ``k`` of grade / log2(max(i, 2)): ranks 1 and 2 are undiscounted."""
    total = 0.0
    for rank, grade in enumerate(grades[:k], start=1):
        total += grade / log2(max(rank, 2))
    return total


def ndcg_at_k(grades: Sequence[int], k: int) -> float:
    """:func:`dcg_at_k` over that of the same list sorted by grade; 0.0 where that is 0."""
    best = dcg_at_k(sorted(grades, reverse=True), k)
    return dcg_at_k(grades, k) / best if best > 0 else 0.0
