"""ranking-metrics-torch 0.3.0: score and 0/1 label matrices. k greater than the number of items raises;
topk orders ties arbitrarily; NaN where the row has no relevant document. Its recall raises for a single
row. Average precision divides by min(R, k), and is NaN where nothing relevant is among the first k. It orders
ties twice: for the precisions and for the relevant documents that they are summed over."""
# family: torch, recommenders
# without dependencies: ranking_metrics_torch==0.3.0
# environment: torch
# call: f(y_score, y_true, k=k)

from functools import partial

import torch
from ranking_metrics_torch.avg_precision import avg_precision_at
from ranking_metrics_torch.precision_recall import precision_at


def _value(metric, scores, labels, k):
    rows = torch.tensor([scores], dtype=torch.float32), (torch.tensor([labels]) > 0).float()
    return metric(torch.tensor([k]), *rows)[0, 0]


#: P@10 universe=retrieved no_relevant=nan +refuses-input +tie-breaking
precision = partial(_value, precision_at)
average_precision = partial(_value, avg_precision_at)  #: AP@10 (two orders of the ties in one value)
