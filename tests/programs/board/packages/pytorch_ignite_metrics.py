"""pytorch-ignite 0.5.5: scores and levels of users as tensors; raises where nothing in the list is relevant.
Only the list's own documents exist."""
# /// script
# dependencies = ["pytorch-ignite==0.5.5"]
# [tool.board]
# environment = "torch"
# ///

from __future__ import annotations

import torch
from ignite.metrics.rec_sys import NDCG, HitRate


def _computed(metric, y_pred, y):
    metric.update((torch.tensor([y_pred], dtype=torch.float32), torch.tensor([y], dtype=torch.float32)))
    return metric.compute()[0]


def ndcg(y_pred, y, k=10):
    """2^level - 1; a stable sort."""
    return _computed(NDCG(top_k=[k]), y_pred, y)


def ndcg_linear(y_pred, y, k=10):
    return _computed(NDCG(top_k=[k], gain_function="linear_rank"), y_pred, y)


def hit_rate(y_pred, y, k=5):
    """topk, which raises on lists shorter than k and orders ties arbitrarily."""
    return _computed(HitRate(top_k=[k]), y_pred, y)


EXPECTED = {
    "ndcg": ("nDCG@10", {"gain": "exponential", "ideal": "retrieved", "ties": "input"}, "refuses-input"),
    "ndcg_linear": ("nDCG@10", {"ideal": "retrieved", "ties": "input"}, "refuses-input"),
    "hit_rate": ("Success@5", {}, "tie-breaking", "refuses-input"),
}
