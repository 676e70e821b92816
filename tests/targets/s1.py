"""S1, a notebook over relevance vectors: every function takes the levels of one list in rank order.

Where it leaves trec_eval: precision divides by what was retrieved, average precision by the relevant
documents that were retrieved (those of level 1), DCG leaves rank 2 undiscounted, and the ideal list is the
retrieved list itself, sorted. Precision and recall add levels up, so they are meant for lists of 0 and 1.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np


def precision(relevance: Any) -> float:
    """Mean of the list; 0.0 for an empty one."""
    return float(np.mean(relevance)) if len(relevance) else 0.0


def precision_at_k(relevance: Any, k: int) -> float:
    """Precision of the first ``k``, divided by the smaller of ``k`` and the length; 0.0 for an empty list."""
    if k <= 0:
        raise ValueError(f"k must be positive, not {k}")
    top = np.asarray(relevance)[:k]
    return float(top.sum() / min(k, len(top))) if len(top) else 0.0


def recall_at_k(relevance: Any, number_relevant_documents: Any, k: int) -> float:
    """Relevant documents in the first ``k`` over those of the query; 0.0 where these are not positive."""
    if k <= 0:
        raise ValueError(f"k must be positive, not {k}")
    found, relevant = np.asarray(relevance)[:k].sum(), number_relevant_documents
    return float(found / relevant) if relevant > 0 else 0.0


def average_precision(relevance: Any) -> float:
    """Mean of the precision at each document of level 1; relevant ones outside the list do not count."""
    ranks = [rank for rank, level in enumerate(relevance, start=1) if level == 1]
    return float(np.mean([precision_at_k(relevance, rank) for rank in ranks])) if ranks else 0.0


def mean_average_precision(queries_relevances: Any) -> float:
    """Mean of :func:`average_precision` over the lists; 0.0 without any."""
    values = [average_precision(one) for one in queries_relevances]
    return float(np.mean(values)) if values else 0.0


def dcg_at_k(relevance: Any, k: int) -> float:
    """Sum over ranks i up to ``k`` of level / log2(max(i, 2)): ranks 1 and 2 are undiscounted."""
    if k <= 0:
        raise ValueError(f"k must be positive, not {k}")
    total = 0.0
    for rank, level in enumerate(relevance[:k], start=1):
        total += level / math.log2(max(rank, 2))
    return total


def ndcg_at_k(relevance: Any, k: int) -> float:
    """:func:`dcg_at_k` over that of the same list sorted by level; 0.0 where that is 0."""
    best = dcg_at_k(sorted(relevance, reverse=True), k)
    return dcg_at_k(relevance, k) / best if best > 0 else 0.0
