"""pytorch-ignite 0.5.5: scores and levels of users as tensors; raises where nothing in the list is relevant.
Only the list's own documents exist."""
# family: torch, recommenders
# requires: pytorch-ignite==0.5.5
# environment: torch
# call: f(y_score, y_true, k=k)

import torch
from ignite.metrics.rec_sys import NDCG, HitRate


def _computed(metric, y_pred, y):
    metric.update((torch.tensor([y_pred], dtype=torch.float32), torch.tensor([y], dtype=torch.float32)))
    return metric.compute()[0]


#: nDCG@10 gain=exponential ideal=retrieved ties=input +refuses-input
def ndcg(y_pred, y, k=10):
    """2^level - 1; a stable sort."""
    return _computed(NDCG(top_k=[k]), y_pred, y)


#: nDCG@10 ideal=retrieved ties=input +refuses-input
def ndcg_linear(y_pred, y, k=10):
    return _computed(NDCG(top_k=[k], gain_function="linear_rank"), y_pred, y)


#: Success@5 +refuses-input +tie-breaking
def hit_rate(y_pred, y, k=5):
    """topk, which raises on lists shorter than k and orders ties arbitrarily."""
    return _computed(HitRate(top_k=[k]), y_pred, y)
