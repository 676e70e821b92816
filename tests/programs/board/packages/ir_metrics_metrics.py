"""ir-metrics 0.1.6: relevant and ranked labels as arrays. Its average precision is left out: it
returns a value for each rank."""
# family: IR
# title: ir-metrics (irmetrics)
# without dependencies: ir-metrics==0.1.6
# call: f(relevant_ids, ranked_ids)

import numpy as np
from irmetrics import topk


def _value(metric, relevant, ranked, **more):
    known = {id: number for number, id in enumerate(dict.fromkeys([*ranked, *relevant]))}
    y_true, y_pred = np.array([[known[i] for i in relevant]]), np.array([[known[i] for i in ranked]])
    return float(np.squeeze(metric(y_true, y_pred, **more)))


#: nDCG gain=binary universe=retrieved no_relevant=nan
def ndcg(y_true, y_pred):
    return _value(topk.ndcg, y_true, y_pred)


#: RR
def reciprocal_rank(y_true, y_pred):
    return _value(topk.rr, y_true, y_pred)


#: P@10 precision_denominator=min(k,retrieved)
#: call f(relevant_ids, ranked_ids, k=k)
def precision(y_true, y_pred, k=10):
    return _value(topk.precision, y_true, y_pred, k=k)


#: R@10 no_relevant=nan
#: call f(relevant_ids, ranked_ids, k=k)
def recall(y_true, y_pred, k=10):
    return _value(topk.recall, y_true, y_pred, k=k)
