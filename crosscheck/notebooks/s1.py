"""A notebook over relevance vectors: everything comes from the levels of one list, in rank order.

Precision divides by k, or by the length of the list if that is smaller. Average precision divides by the
number of relevant documents in the list. DCG does not discount ranks 1 and 2. The ideal list is the list
itself, sorted. A document is relevant from level 1 on, but in average precision only at level 1. Empty lists
give 0.0.
"""

from collections.abc import Iterable, Sequence

from crosscheck.notebooks import also_named
from crosscheck.vectors import checked_cutoff, mean, measured, precision

__all__ = [
    "average_precision",
    "dcg_at_k",
    "mean_average_precision",
    "ndcg_at_k",
    "precision",
    "precision_at_k",
    "recall_at_k",
]

_PROFILE = "sources.S1"


def precision_at_k(relevance: Iterable[float], k: int) -> float:
    """Number of relevant documents among the first k, divided by k, or by the length of the list if that is
    smaller.

    Raises:
        ArgumentError: k is below 1; it is a ``ValueError``.

    >>> precision_at_k([0, 0, 0, 1], 1), precision_at_k([0, 0, 0, 1], 10)
    (0.0, 0.25)
    """
    return measured("P", [relevance], checked_cutoff(k), profile=_PROFILE)[0]


@also_named(total_relevant="number_relevant_documents")
def recall_at_k(relevance: Iterable[float], number_relevant_documents: int, k: int) -> float:
    """Number of relevant documents among the first k, divided by ``number_relevant_documents``; 0.0 if this
    divisor is not positive.

    >>> recall_at_k([0, 0, 0, 1], 4, 1)
    0.0
    """
    total = [number_relevant_documents]
    return measured("R", [relevance], checked_cutoff(k), relevant=total, profile=_PROFILE)[0]


def average_precision(relevance: Iterable[float]) -> float:
    """Mean of the precisions at the documents of level 1.

    >>> average_precision([0, 1, 0, 1, 1, 1, 1])
    0.5961904761904762
    """
    return mean_average_precision([list(relevance)])


@also_named(relevances="queries_relevances")
def mean_average_precision(queries_relevances: Sequence[Iterable[float]]) -> float:
    """Mean of :func:`average_precision` over lists; 0.0 without lists."""
    binary = [[int(level == 1) for level in relevance] for relevance in queries_relevances]
    return mean(measured("AP", binary, profile=_PROFILE))


def dcg_at_k(relevance: Iterable[float], k: int) -> float:
    """Sum of level / log2(max(rank, 2)) over the first k.

    >>> dcg_at_k([4, 4, 3, 0, 0, 1, 3, 3, 3, 0], 6)
    10.279642067948915
    """
    return measured("DCG", [relevance], checked_cutoff(k), profile=_PROFILE)[0]


def ndcg_at_k(relevance: Iterable[float], k: int) -> float:
    """:func:`dcg_at_k` divided by the DCG of the same list in descending order; 0.0 if the latter is 0.

    >>> ndcg_at_k([4, 4, 3, 0, 0, 1, 3, 3, 3, 0], 6)
    0.7424602308163405
    """
    return measured("nDCG", [relevance], checked_cutoff(k), profile=_PROFILE)[0]
