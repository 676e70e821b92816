"""torcheval 0.0.7: scores and 0/1 targets of one query. topk orders ties arbitrarily. Its reciprocal rank
and hit rate are of classes: one target per row."""
# requires: torcheval==0.0.7
# environment: torch

import torch
from torcheval.metrics.functional import retrieval_precision


#: P@10 +tie-breaking
def precision(input, target, k=10):
    return retrieval_precision(
        torch.tensor(input, dtype=torch.float32), (torch.tensor(target) > 0).int(), k=k
    )


#: P@10 precision_denominator=min(k,retrieved) +tie-breaking
def precision_limited(input, target, k=10):
    """Divides by min(k, retrieved)."""
    return retrieval_precision(
        torch.tensor(input, dtype=torch.float32), (torch.tensor(target) > 0).int(), k=k, limit_k_to_size=True
    )
