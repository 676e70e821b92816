"""torcheval 0.0.7: scores and 0/1 targets of one query. topk orders ties arbitrarily. Its reciprocal rank
and hit rate are of classes: one target per row."""
# /// script
# dependencies = ["torcheval==0.0.7"]
# [tool.board]
# environment = "torch"
# ///

from __future__ import annotations

import torch
from torcheval.metrics.functional import retrieval_precision


def precision(input, target, k=10):
    return retrieval_precision(
        torch.tensor(input, dtype=torch.float32), (torch.tensor(target) > 0).int(), k=k
    )


def precision_limited(input, target, k=10):
    """Divides by min(k, retrieved)."""
    return retrieval_precision(
        torch.tensor(input, dtype=torch.float32), (torch.tensor(target) > 0).int(), k=k, limit_k_to_size=True
    )


EXPECTED = {
    "precision": ("P@10", {}, "tie-breaking"),
    "precision_limited": ("P@10", {"precision_denominator": "min(k,retrieved)"}, "tie-breaking"),
}
