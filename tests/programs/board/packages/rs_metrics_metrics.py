"""rs-metrics 0.6.0: dicts of relevant and of recommended items."""
# family: recommenders
# without dependencies: rs-metrics==0.6.0
# requires: pandas<3
# call: f(relevant_ids, ranked_ids, k=k)

import numpy as np
import rs_metrics


def _value(metric, true, pred, k):
    lists = {1: np.array(true, dtype=object)}, {1: np.array(pred, dtype=object)}
    return metric(*lists, k=k)


#: nDCG@10 gain=binary no_relevant=nan
def ndcg(true, pred, k=10):
    return _value(rs_metrics.ndcg, true, pred, k)


#: AP@10
def average_precision(true, pred, k=10):
    """mapr divides by R."""
    return _value(rs_metrics.mapr, true, pred, k)


#: P@10 precision_denominator=min(k,retrieved)
def precision(true, pred, k=10):
    return _value(rs_metrics.precision, true, pred, k)


#: R@10 no_relevant=nan
def recall(true, pred, k=10):
    return _value(rs_metrics.recall, true, pred, k)


#: RR@10
def mrr(true, pred, k=10):
    return _value(rs_metrics.mrr, true, pred, k)
