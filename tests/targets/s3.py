"""S3, a notebook of short formulas over the grades of one list in rank order.

Where it leaves trec_eval: DCG divides by the natural logarithm of the rank from rank 2 on, and the ideal
list holds the highest grade of the scale at every position.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import log

__all__ = ["average_precision", "dcg", "f_measure", "ndcg", "set_precision", "set_recall"]


def average_precision(grades: Sequence[int], total_relevant: int) -> float:
    """Sum of the precision at each relevant rank over ``total_relevant``; 0.0 where that is not positive."""
    if total_relevant <= 0:
        return 0.0
    found, total = 0, 0.0
    for rank, grade in enumerate(grades, start=1):
        if grade > 0:
            found += 1
            total += found / rank
    return total / total_relevant


def dcg(grades: Sequence[int]) -> float:
    """The first grade undiscounted, then the sum over ranks i of grade / ln(i)."""
    total = 0.0
    for rank, grade in enumerate(grades, start=1):
        total += grade if rank == 1 else grade / log(rank)
    return total


def ndcg(grades: Sequence[int], highest: int = 3) -> float:
    """:func:`dcg` over that of a list of the same length that holds ``highest`` everywhere."""
    best = dcg([highest] * len(grades))
    return dcg(grades) / best if best > 0 else 0.0


def set_precision(retrieved: set[str], relevant: set[str]) -> float:
    """Share of the retrieved documents that are relevant; 0.0 where nothing was retrieved."""
    return len(retrieved & relevant) / len(retrieved) if retrieved else 0.0


def set_recall(retrieved: set[str], relevant: set[str]) -> float:
    """Share of the relevant documents that were retrieved; 0.0 where nothing is relevant."""
    return len(retrieved & relevant) / len(relevant) if relevant else 0.0


def f_measure(precision: float, recall: float, beta: float = 1.0) -> float:
    """(b^2 + 1) P R / (b^2 P + R): recall weighs ``beta`` times as much; 0.0 where both are 0."""
    below = beta**2 * precision + recall
    return (beta**2 + 1) * precision * recall / below if below else 0.0
