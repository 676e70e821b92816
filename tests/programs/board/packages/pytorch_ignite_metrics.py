from functools import partial

import torch
from ignite.metrics.rec_sys import NDCG, HitRate


def _value(metric, y_pred, y, k, **more):
    computed = metric(top_k=[k], **more)
    computed.update(tuple(torch.tensor([row], dtype=torch.float32) for row in (y_pred, y)))
    return computed.compute()[0]


ndcg = partial(_value, NDCG)
ndcg_linear = partial(_value, NDCG, gain_function="linear_rank")
hit_rate = partial(_value, HitRate)
