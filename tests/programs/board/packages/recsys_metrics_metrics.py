"""recsys-metrics 0.0.4: scores and labels as tensors. Only the list's own documents exist; topk orders ties
arbitrarily."""
# family: torch, recommenders
# without dependencies: recsys-metrics==0.0.4
# environment: torch
# call: f(y_score, y_true, k=k)

import recsys_metrics
import torch


def _rows(scores, labels):
    return torch.tensor([scores], dtype=torch.float32), (torch.tensor([labels]) > 0).int()


#: nDCG@10 gain=binary ideal=retrieved +tie-breaking
def ndcg(scores, labels, k=10):
    """Takes labels of 0 and 1."""
    return recsys_metrics.normalized_dcg(*_rows(scores, labels), k=k)


#: AP@10 ap_denominator=retrieved-relevant +tie-breaking
def average_precision(scores, labels, k=10):
    return recsys_metrics.mean_average_precision(*_rows(scores, labels), k=k)


#: RR@10 +tie-breaking
def mrr(scores, labels, k=10):
    return recsys_metrics.mean_reciprocal_rank(*_rows(scores, labels), k=k)


#: P@10 precision_denominator=min(k,retrieved) +tie-breaking
def precision(scores, labels, k=10):
    return recsys_metrics.precision(*_rows(scores, labels), k=k)


#: R@10 universe=retrieved +tie-breaking
def recall(scores, labels, k=10):
    return recsys_metrics.recall(*_rows(scores, labels), k=k)
