"""rs-metrics 0.6.0: dicts of relevant and of recommended items; mapr divides by R."""
# family: recommenders
# without dependencies: rs-metrics==0.6.0
# requires: pandas<3
# call: f(relevant_ids, ranked_ids, k=k)

from functools import partial

import numpy as np
import rs_metrics


def _value(metric, true, pred, k):
    return metric(*({1: np.array(ids, dtype=object)} for ids in (true, pred)), k=k)


ndcg = partial(_value, rs_metrics.ndcg)  #: nDCG@10 gain=binary no_relevant=nan
average_precision = partial(_value, rs_metrics.mapr)  #: AP@10
precision = partial(_value, rs_metrics.precision)  #: P@10 precision_denominator=min(k,retrieved)
recall = partial(_value, rs_metrics.recall)  #: R@10 no_relevant=nan
mrr = partial(_value, rs_metrics.mrr)  #: RR@10
