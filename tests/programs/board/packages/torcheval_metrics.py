"""torcheval 0.0.7: scores and labels of one task as tensors; topk orders ties arbitrarily. It divides by k,
also where fewer documents were retrieved; with limit_k_to_size by min(k, retrieved)."""
# family: torch
# without dependencies: torcheval==0.0.7
# environment: torch
# call: f(y_score, y_true, k=k)
# all: +tie-breaking

from functools import partial

import torch
from torcheval.metrics.functional import retrieval_precision


#: P@10
def precision(scores, labels, k=10, **more):
    rows = torch.tensor(scores, dtype=torch.float32), (torch.tensor(labels) > 0).int()
    return retrieval_precision(*rows, k=k, **more)


precision_limited = partial(precision, limit_k_to_size=True)  #: P@10 precision_denominator=min(k,retrieved)
