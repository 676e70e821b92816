"""Measures of one ranked list, given as the relevance levels of its documents from rank 1 on.

``[0, 2, 1]`` means: rank 1 nonrelevant, rank 2 level 2, rank 3 level 1. If implementations differ, the
convention is a keyword argument named after its axis in :mod:`crosscheck.conventions`. The default is always
trec_eval's, and the docstring names tools with other values. A list does not contain the documents that were
not retrieved: if trec_eval's definition needs them (recall, average precision, the ideal of nDCG), they are
an argument.

The numbers are those of the native measures on a ranking of judged documents. A level below
``relevance_level`` is nonrelevant, one of 0 or below gains nothing, and a document without a judgement is
level 0. An empty list gives 0.0. A cutoff below 1, or a level that is not a whole number, raises
:class:`crosscheck.errors.ArgumentError`, a ``ValueError``; a convention that does not exist, or that needs
more than the list, raises :class:`crosscheck.errors.UsageError`.
"""

from __future__ import annotations

from crosscheck.vectors.gain import dcg, dcg_at_k, ideal_dcg, ndcg, ndcg_at_k
from crosscheck.vectors.relevance import (
    average_precision,
    mean_average_precision,
    mean_reciprocal_rank,
    precision,
    precision_at_k,
    r_precision,
    recall_at_k,
    reciprocal_rank,
    relevance_vector,
)
from crosscheck.vectors.sets import f_beta, set_f_beta, set_precision, set_recall

__all__ = [
    "average_precision",
    "dcg",
    "dcg_at_k",
    "f_beta",
    "ideal_dcg",
    "mean_average_precision",
    "mean_reciprocal_rank",
    "ndcg",
    "ndcg_at_k",
    "precision",
    "precision_at_k",
    "r_precision",
    "recall_at_k",
    "reciprocal_rank",
    "relevance_vector",
    "set_f_beta",
    "set_precision",
    "set_recall",
]
