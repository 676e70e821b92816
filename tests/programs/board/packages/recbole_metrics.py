from functools import partial

import numpy as np
import torch

np.float = float

from recbole.evaluator.metrics import MAP, NDCG, Recall  # noqa: E402


def _value(metric, recommended, positives, k):
    hits = [int(item in set(positives)) for item in recommended[:k]]
    row = [*hits, *[0] * (k - len(hits)), len(positives)]
    config = {"topk": [k], "metric_decimal_place": 4}
    return next(iter(metric(config).calculate_metric({"rec.topk": torch.tensor([row])}).values()))


recall = partial(_value, Recall)
average_precision = partial(_value, MAP)
ndcg = partial(_value, NDCG)
