"""xgboost 3.2.0: the metrics of a model without trees, whose predictions are the given scores. Only the
list's own documents exist; levels below 0 are refused."""
# family: learning to rank
# without dependencies: xgboost-cpu==3.2.0
# requires: scipy
# title: XGBoost
# call: f(y_true, y_score, k=k)

import numpy as np
import xgboost


def _value(metric, y_true, y_score):
    data = xgboost.DMatrix(np.zeros((len(y_true), 1)), label=np.array(y_true, float))
    data.set_group([len(y_true)])
    data.set_base_margin(np.array(y_score, dtype=np.float32))
    model = xgboost.Booster({"objective": "rank:ndcg", "eval_metric": metric, "nthread": 1}, [data])
    return float(model.eval(data, "x").rpartition(":")[2])


#: nDCG@10 gain=exponential universe=retrieved ties=input no_relevant=one @xgboost
def ndcg(y_true, y_score, k=10):
    return _value(f"ndcg@{k}", y_true, y_score)


#: nDCG@10 gain=exponential ideal=retrieved ties=input @xgboost-minus
def ndcg_minus(y_true, y_score, k=10):
    return _value(f"ndcg@{k}-", y_true, y_score)


#: AP@10 ap_denominator=min(R,k) universe=retrieved ties=input no_relevant=one @xgboost
def average_precision(y_true, y_score, k=10):
    return _value(f"map@{k}", (np.array(y_true) > 0).astype(int), y_score)


#: P@10 precision_denominator=min(k,retrieved) ties=input @xgboost-minus
def precision(y_true, y_score, k=10):
    return _value(f"pre@{k}", (np.array(y_true) > 0).astype(int), y_score)
