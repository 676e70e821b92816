from functools import partial

import torch
from shapes import stand_in

# It imports torchvision, of which there is no build for processors here, for its data sets only.
stand_in("torchvision", "torchvision.transforms", Compose=list)
from allrank.models import metrics  # noqa: E402


def _value(metric, y_pred, y_true, k):
    return metric(*(torch.tensor([row], dtype=torch.float32) for row in (y_pred, y_true)), ats=[k])


ndcg = partial(_value, metrics.ndcg)
mrr = partial(_value, metrics.mrr)
