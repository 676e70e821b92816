"""ir-metrics 0.1.6: relevant and ranked labels as arrays. Its average precision is left out: it
returns a value for each rank."""
# family: IR
# title: ir-metrics (irmetrics)
# without dependencies: ir-metrics==0.1.6
# call: f(relevant_ids, ranked_ids)

from functools import partial

import numpy as np
from irmetrics import topk
from shapes import numbered


def _value(metric, y_true, y_pred, **more):
    ranked, relevant = (np.array([ids]) for ids in numbered(y_pred, y_true))
    return float(np.squeeze(metric(relevant, ranked, **more)))


ndcg = partial(_value, topk.ndcg)  #: nDCG gain=binary universe=retrieved no_relevant=nan
reciprocal_rank = partial(_value, topk.rr)  #: RR
#: P@10 precision_denominator=min(k,retrieved) call f(relevant_ids, ranked_ids, k=k)
precision = partial(_value, topk.precision)
recall = partial(_value, topk.recall)  #: R@10 no_relevant=nan call f(relevant_ids, ranked_ids, k=k)
