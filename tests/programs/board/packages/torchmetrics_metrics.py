from functools import partial

import torch
from torchmetrics.functional import retrieval


def _rows(preds, target):
    return torch.tensor(preds, dtype=torch.float32), torch.tensor(target)


def _binary(metric, preds, target, **more):
    scores, levels = _rows(preds, target)
    return metric(scores, levels > 0, **more)


def ndcg(preds, target, k=10):
    return retrieval.retrieval_normalized_dcg(*_rows(preds, target), top_k=k)


def average_precision(preds, target, k=10):
    return _binary(retrieval.retrieval_average_precision, preds, target, top_k=k)


def precision(preds, target, k=10):
    return _binary(retrieval.retrieval_precision, preds, target, top_k=k)


r_precision = partial(_binary, retrieval.retrieval_r_precision)
