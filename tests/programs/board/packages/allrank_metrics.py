"""allRank 1.4.3: predictions and levels of slates as tensors. ``sort(descending=True)`` without ``stable``:
the order of ties follows no rule. Only the slate's own documents exist."""
# family: learning to rank, torch
# without dependencies: allRank==1.4.3
# requires: attrs flatten-dict gcsfs pandas<3 scikit-learn setuptools<81 tensorboardX
# environment: torch
# call: f(y_score, y_true, k=k)
# all: universe=retrieved +tie-breaking

from functools import partial

import torch
from shapes import stand_in

# It imports torchvision, of which there is no build for processors here, for its data sets only.
stand_in("torchvision", "torchvision.transforms", Compose=list)
from allrank.models import metrics  # noqa: E402


def _value(metric, y_pred, y_true, k):
    return metric(*(torch.tensor([row], dtype=torch.float32) for row in (y_pred, y_true)), ats=[k])


ndcg = partial(_value, metrics.ndcg)  #: nDCG@10 gain=exponential no_relevant=one
mrr = partial(_value, metrics.mrr)  #: RR@10 rr_of=highest-level
