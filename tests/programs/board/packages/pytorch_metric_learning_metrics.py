"""pytorch-metric-learning 2.9.0: labels of the nearest neighbours of a query, in their order, against its
own; a document is relevant where the labels are the same. R is the number of references with the query's
label."""
# family: torch
# without dependencies: pytorch-metric-learning==2.9.0
# requires: scikit-learn tqdm
# environment: torch
# call: f(binary, num_rel)

import torch
from pytorch_metric_learning.utils import accuracy_calculator as accuracy


def _value(metric, hits, relevant, *more, **named):
    known = torch.tensor([[float(hit) for hit in hits]]), torch.ones(1, 1)
    counts = torch.ones(1), torch.tensor([relevant])
    return metric(*known, *more, False, counts, False, False, accuracy.EQUALITY, **named)


#: Rprec rprec_denominator=min(R,retrieved) no_relevant=nan
def r_precision(hits, relevant):
    """Over min(R, neighbours); a query without anything relevant is left out."""
    return _value(accuracy.r_precision, hits, relevant) if relevant else float("nan")


#: AP no_relevant=nan
def average_precision(hits, relevant):
    return _value(accuracy.mean_average_precision, hits, relevant) if relevant else float("nan")


#: RR no_relevant=nan
def reciprocal_rank(hits, relevant):
    if not relevant:
        return float("nan")
    known = torch.tensor([[float(hit) for hit in hits]]), torch.ones(1, 1)
    return accuracy.mean_reciprocal_rank(*known, False, False, accuracy.EQUALITY)
