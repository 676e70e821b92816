from functools import partial

import numpy as np
from irmetrics import topk
from shapes import numbered


def _value(metric, y_true, y_pred, **more):
    ranked, relevant = (np.array([ids]) for ids in numbered(y_pred, y_true))
    return float(np.squeeze(metric(relevant, ranked, **more)))


ndcg = partial(_value, topk.ndcg)
reciprocal_rank = partial(_value, topk.rr)
precision = partial(_value, topk.precision)
recall = partial(_value, topk.recall)
