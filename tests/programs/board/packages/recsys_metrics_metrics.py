"""recsys-metrics 0.0.4: scores and labels, of 0 and 1, as tensors. Only the list's own documents exist; topk
orders ties arbitrarily."""
# family: torch, recommenders
# without dependencies: recsys-metrics==0.0.4
# environment: torch
# call: f(y_score, y_true, k=k)
# all: +tie-breaking

from functools import partial

import recsys_metrics
import torch


def _value(metric, scores, labels, k):
    return metric(torch.tensor([scores], dtype=torch.float32), (torch.tensor([labels]) > 0).int(), k=k)


ndcg = partial(_value, recsys_metrics.normalized_dcg)  #: nDCG@10 gain=binary ideal=retrieved
#: AP@10 ap_denominator=retrieved-relevant
average_precision = partial(_value, recsys_metrics.mean_average_precision)
mrr = partial(_value, recsys_metrics.mean_reciprocal_rank)  #: RR@10
precision = partial(_value, recsys_metrics.precision)  #: P@10 precision_denominator=min(k,retrieved)
recall = partial(_value, recsys_metrics.recall)  #: R@10 universe=retrieved
