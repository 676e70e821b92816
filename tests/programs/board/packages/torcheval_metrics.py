from functools import partial

import torch
from torcheval.metrics.functional import retrieval_precision


def precision(scores, labels, k=10, **more):
    rows = torch.tensor(scores, dtype=torch.float32), (torch.tensor(labels) > 0).int()
    return retrieval_precision(*rows, k=k, **more)


precision_limited = partial(precision, limit_k_to_size=True)
