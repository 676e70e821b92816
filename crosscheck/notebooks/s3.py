"""A notebook of short formulas over sets of ids and over the levels of one list, in rank order.

DCG divides by the natural logarithm of the rank from rank 2 on, and the ideal list has the highest level of
the scale at every position.
"""

from collections.abc import Sequence

from crosscheck.notebooks import also_named
from crosscheck.vectors import average_precision as average_precision_of_list
from crosscheck.vectors import f_beta as f_with_weight
from crosscheck.vectors import measured, set_precision, set_recall

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


@also_named(relevance="ranked_list", total_relevant="total_relevant_doc")
def average_precision(ranked_list: Sequence[float], total_relevant_doc: int) -> float:
    """Sum of the precisions at each relevant document, divided by ``total_relevant_doc``.

    >>> average_precision([0, 1, 0, 0, 1, 0, 0, 0, 0, 1], 5)
    0.24
    """
    return average_precision_of_list(ranked_list, total_relevant_doc)


@also_named(relevance="ranked_list")
def dcg(ranked_list: Sequence[float], max_relevance: int = 3) -> float:
    """The first level, and the sum of level / ln(rank) from rank 2 on.

    Args:
        max_relevance: not used; the notebook has it here because :func:`ndcg` has it.

    >>> dcg([3, 2, 1, 1, 3, 1, 1, 2, 1])
    11.869906908688476
    """
    return measured("DCG", [ranked_list], profile=_PROFILE)[0]


@also_named(relevance="ranked_list")
def ndcg(ranked_list: Sequence[float], max_relevance: int = 3) -> float:
    """:func:`dcg` divided by the DCG of an equally long list in which every level is ``max_relevance``.

    >>> ndcg([3, 2, 1, 1, 3, 1, 1, 2, 1])
    0.5902216528493285
    """
    return measured("nDCG", [ranked_list], profile=_PROFILE, max_grade=max_relevance)[0]
