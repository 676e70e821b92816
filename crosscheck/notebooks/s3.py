"""A notebook of short formulas over sets of ids and over the levels of one list, in rank order.

DCG divides by the natural logarithm of the rank from rank 2 on, and the ideal list has the highest level of
the scale at every position.
"""

from __future__ import annotations

from collections.abc import Sequence

from crosscheck.vectors import average_precision, set_precision, set_recall
from crosscheck.vectors import f_beta as f_with_weight
from crosscheck.vectors._engine import measured

__all__ = ["average_precision", "dcg", "f_beta", "ndcg", "precision", "recall"]

_PROFILE = "sources.S3"

precision = set_precision
recall = set_recall


def f_beta(precision: float, recall: float, beta: float = 1.0) -> float:
    """(b^2 + 1) P R / (b^2 P + R); 0.0 if P = R = 0.

    >>> f_beta(0.5, 0.25, 2)
    0.2777777777777778
    """
    return f_with_weight(precision, recall, beta, weight="beta^2")


def dcg(relevance: Sequence[float]) -> float:
    """The first level, and the sum of level / ln(rank) from rank 2 on.

    >>> dcg([3, 2, 1, 1, 3, 1, 1, 2, 1])
    11.869906908688476
    """
    return measured("DCG", [relevance], profile=_PROFILE)[0]


def ndcg(relevance: Sequence[float], max_relevance: int = 3) -> float:
    """:func:`dcg` divided by the DCG of an equally long list in which every level is ``max_relevance``.

    >>> ndcg([3, 2, 1, 1, 3, 1, 1, 2, 1])
    0.5902216528493285
    """
    return measured("nDCG", [relevance], profile=_PROFILE, max_grade=max_relevance)[0]
