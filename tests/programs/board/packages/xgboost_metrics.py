"""xgboost 3.2.0: the metrics of a model without trees, whose predictions are the given scores. Only the
list's own documents exist; levels below 0 are refused."""
# family: learning to rank
# without dependencies: xgboost-cpu==3.2.0
# requires: scipy
# title: XGBoost
# call: f(y_true, y_score, k=k)
# all: ties=input

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


ndcg = partial(_value, "ndcg@{}")  #: nDCG@10 gain=exponential universe=retrieved no_relevant=one @xgboost
ndcg_minus = partial(_value, "ndcg@{}-")  #: nDCG@10 gain=exponential ideal=retrieved @xgboost-minus
#: AP@10 ap_denominator=min(R,k) universe=retrieved no_relevant=one @xgboost
average_precision = partial(_binary, "map@{}")
precision = partial(_binary, "pre@{}")  #: P@10 precision_denominator=min(k,retrieved) @xgboost-minus
