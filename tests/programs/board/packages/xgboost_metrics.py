from functools import partial

import numpy as np
import xgboost
from shapes import binary


def _value(metric, y_true, y_score, k):
    data = xgboost.DMatrix(np.zeros((len(y_true), 1)), label=np.array(y_true, float))
    data.set_group([len(y_true)])
    data.set_base_margin(np.array(y_score, dtype=np.float32))
    asked = {"objective": "rank:ndcg", "eval_metric": metric.format(k), "nthread": 1}
    return float(xgboost.Booster(asked, [data]).eval(data, "x").rpartition(":")[2])


def _binary(metric, y_true, y_score, k):
    return _value(metric, binary(y_true), y_score, k)


ndcg = partial(_value, "ndcg@{}")
ndcg_minus = partial(_value, "ndcg@{}-")
average_precision = partial(_binary, "map@{}")
precision = partial(_binary, "pre@{}")
