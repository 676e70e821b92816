"""torcheval 0.0.7: scores and labels of one task as tensors; topk orders ties arbitrarily."""
# family: torch
# without dependencies: torcheval==0.0.7
# environment: torch
# call: f(y_score, y_true, k=k)

import torch
from torcheval.metrics.functional import retrieval_precision


def _tensors(scores, labels):
    return torch.tensor(scores, dtype=torch.float32), (torch.tensor(labels) > 0).int()


#: P@10 +tie-breaking
def precision(scores, labels, k=10):
    """Divides by k, also where fewer documents were retrieved."""
    return retrieval_precision(*_tensors(scores, labels), k=k)


#: P@10 precision_denominator=min(k,retrieved) +tie-breaking
def precision_limited(scores, labels, k=10):
    """limit_k_to_size: divides by min(k, retrieved)."""
    return retrieval_precision(*_tensors(scores, labels), k=k, limit_k_to_size=True)
