"""replay-rec 0.22.0: metrics over dicts of recommendations with scores and of items. 0 where nothing is
relevant."""
# /// script
# dependencies = ["replay-rec==0.22.0"]
# ///

from __future__ import annotations

from replay.metrics import MAP, MRR, NDCG


def _value(metric, recommendations, ground_truth):
    scored = [(item, -place) for place, item in enumerate(recommendations)]
    return next(iter(metric({"u": scored}, {"u": ground_truth}).values()))


def ndcg(recommendations, ground_truth, k=10):
    """Binary; the ideal of min(R, k)."""
    return _value(NDCG(k), recommendations, ground_truth)


def average_precision(recommendations, ground_truth, k=10):
    """Divides by min(R, k)."""
    return _value(MAP(k), recommendations, ground_truth)


def mrr(recommendations, ground_truth, k=10):
    return _value(MRR(k), recommendations, ground_truth)


EXPECTED = {
    "ndcg": ("nDCG@10", {"gain": "binary"}),
    "average_precision": ("AP@10", {"ap_denominator": "min(R,k)"}),
    "mrr": ("RR@10", {}),
}
