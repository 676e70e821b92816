from functools import partial

import recsys_metrics
import torch


def _value(metric, scores, labels, k):
    return metric(torch.tensor([scores], dtype=torch.float32), (torch.tensor([labels]) > 0).int(), k=k)


ndcg = partial(_value, recsys_metrics.normalized_dcg)
average_precision = partial(_value, recsys_metrics.mean_average_precision)
mrr = partial(_value, recsys_metrics.mean_reciprocal_rank)
precision = partial(_value, recsys_metrics.precision)
recall = partial(_value, recsys_metrics.recall)
