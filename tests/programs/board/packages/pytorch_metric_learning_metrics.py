from functools import partial

import torch
from pytorch_metric_learning.utils import accuracy_calculator as accuracy


def _value(metric, hits, relevant):
    known = torch.tensor([[float(hit) for hit in hits]]), torch.ones(1, 1)
    counts = torch.ones(1), torch.tensor([relevant])
    more = () if metric is accuracy.mean_reciprocal_rank else (False, counts)
    return metric(*known, *more, False, False, accuracy.EQUALITY) if relevant else float("nan")


r_precision = partial(_value, accuracy.r_precision)
average_precision = partial(_value, accuracy.mean_average_precision)
reciprocal_rank = partial(_value, accuracy.mean_reciprocal_rank)
