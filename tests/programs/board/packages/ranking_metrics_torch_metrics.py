from functools import partial

import torch
from ranking_metrics_torch.avg_precision import avg_precision_at
from ranking_metrics_torch.precision_recall import precision_at


def _value(metric, scores, labels, k):
    rows = torch.tensor([scores], dtype=torch.float32), (torch.tensor([labels]) > 0).float()
    return metric(torch.tensor([k]), *rows)[0, 0]


precision = partial(_value, precision_at)
average_precision = partial(_value, avg_precision_at)
