"""cute-ranking 0.0.3, over lists of relevance levels in rank order. Its nDCG calls a function that numpy 2
has removed."""
# /// script
# dependencies = []
# [tool.board]
# no-deps = ["cute-ranking==0.0.3"]
# ///

from __future__ import annotations

from cute_ranking import core


def hit_rate(relevances, k):
    """Raises if the list is shorter than k."""
    return core.hit_rate_at_k([relevances], k)


def reciprocal_rank(relevances):
    return core.mean_reciprocal_rank([relevances])


def precision(relevances, k):
    """Raises if the list is shorter than k."""
    return core.precision_at_k(relevances, k)


def recall(relevances, num_relevant, k):
    """Hits / max_rel with numpy: 0 / 0 is NaN."""
    return core.recall_at_k(relevances, num_relevant, k)


def average_precision(relevances):
    """Divides by the relevant documents of the list."""
    return core.average_precision(relevances)


EXPECTED = {
    "hit_rate": ("Success@5", {}, "refuses-input"),
    "reciprocal_rank": ("RR", {}),
    "precision": ("P@10", {}, "refuses-input"),
    "recall": ("R@10", {"no_relevant": "nan"}),
    "average_precision": ("AP", {"ap_denominator": "retrieved-relevant"}),
}
