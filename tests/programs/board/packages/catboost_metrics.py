from functools import partial

import numpy as np
from catboost.utils import eval_metric
from shapes import binary


def _value(metric, y_true, y_score, k):
    lists = np.array(y_true, float), np.array(y_score, float)
    return eval_metric(*lists, f"{metric}={k}", group_id=[0] * len(y_true))[0]


def _binary(metric, y_true, y_score, k):
    return _value(metric, binary(y_true), y_score, k)


ndcg = partial(_value, "NDCG:top")
ndcg_exponential = partial(_value, "NDCG:type=Exp;top")
average_precision = partial(_binary, "MAP:top")
precision = partial(_binary, "PrecisionAt:top")
recall = partial(_binary, "RecallAt:top")
reciprocal_rank = partial(_binary, "MRR:top")
