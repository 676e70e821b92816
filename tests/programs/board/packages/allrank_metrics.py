"""allRank 1.4.3: predictions and levels of slates as tensors. ``sort(descending=True)`` without ``stable``:
the order of ties follows no rule. Only the slate's own documents exist."""
# family: learning to rank, torch
# without dependencies: allRank==1.4.3
# requires: attrs flatten-dict gcsfs pandas<3 scikit-learn setuptools<81 tensorboardX
# environment: torch
# call: f(y_score, y_true, k=k)

import sys
from types import ModuleType

import torch

# It imports torchvision, of which there is no build for processors here, for its data sets only.
sys.modules["torchvision"] = ModuleType("torchvision")
sys.modules["torchvision.transforms"] = ModuleType("torchvision.transforms")
sys.modules["torchvision"].transforms = sys.modules["torchvision.transforms"]
sys.modules["torchvision.transforms"].Compose = list
from allrank.models.metrics import mrr as allrank_mrr  # noqa: E402
from allrank.models.metrics import ndcg as allrank_ndcg  # noqa: E402


#: nDCG@10 gain=exponential universe=retrieved no_relevant=one +tie-breaking
def ndcg(y_pred, y_true, k=10):
    return allrank_ndcg(
        torch.tensor([y_pred], dtype=torch.float32), torch.tensor([y_true], dtype=torch.float32), ats=[k]
    )


#: RR@10 rr_of=highest-level universe=retrieved +tie-breaking
def mrr(y_pred, y_true, k=10):
    return allrank_mrr(
        torch.tensor([y_pred], dtype=torch.float32), torch.tensor([y_true], dtype=torch.float32), ats=[k]
    )
