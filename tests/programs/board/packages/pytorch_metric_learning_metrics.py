"""pytorch-metric-learning 2.9.0: labels of the nearest neighbours of a query, in their order, against its
own; a document is relevant where the labels are the same. R is the number of references with the query's
label, and its R-precision divides by min(R, neighbours); a query without anything relevant is left out."""
# family: torch
# without dependencies: pytorch-metric-learning==2.9.0
# requires: scikit-learn tqdm
# environment: torch
# call: f(binary, num_rel)
# all: no_relevant=nan

from functools import partial

import torch
from pytorch_metric_learning.utils import accuracy_calculator as accuracy


def _value(metric, hits, relevant):
    known = torch.tensor([[float(hit) for hit in hits]]), torch.ones(1, 1)
    counts = torch.ones(1), torch.tensor([relevant])
    more = () if metric is accuracy.mean_reciprocal_rank else (False, counts)
    return metric(*known, *more, False, False, accuracy.EQUALITY) if relevant else float("nan")


r_precision = partial(_value, accuracy.r_precision)  #: Rprec rprec_denominator=min(R,retrieved)
average_precision = partial(_value, accuracy.mean_average_precision)  #: AP
reciprocal_rank = partial(_value, accuracy.mean_reciprocal_rank)  #: RR
