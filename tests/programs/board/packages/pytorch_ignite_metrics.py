"""pytorch-ignite 0.5.5: scores and levels of users as tensors; raises where nothing in the list is relevant.
Only the list's own documents exist. A stable sort; the hit rate has topk, which raises on lists shorter than
k and orders ties arbitrarily."""
# family: torch, recommenders
# requires: pytorch-ignite==0.5.5
# environment: torch
# call: f(y_score, y_true, k=k)
# all: +refuses-input

from functools import partial

import torch
from ignite.metrics.rec_sys import NDCG, HitRate


def _value(metric, y_pred, y, k, **more):
    computed = metric(top_k=[k], **more)
    computed.update(tuple(torch.tensor([row], dtype=torch.float32) for row in (y_pred, y)))
    return computed.compute()[0]


ndcg = partial(_value, NDCG)  #: nDCG@10 gain=exponential ideal=retrieved ties=input
ndcg_linear = partial(_value, NDCG, gain_function="linear_rank")  #: nDCG@10 ideal=retrieved ties=input
hit_rate = partial(_value, HitRate)  #: Success@5 +tie-breaking
