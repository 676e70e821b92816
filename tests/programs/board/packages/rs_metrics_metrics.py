from functools import partial

import numpy as np
import rs_metrics


def _value(metric, true, pred, k):
    return metric(*({1: np.array(ids, dtype=object)} for ids in (true, pred)), k=k)


ndcg = partial(_value, rs_metrics.ndcg)
average_precision = partial(_value, rs_metrics.mapr)
precision = partial(_value, rs_metrics.precision)
recall = partial(_value, rs_metrics.recall)
mrr = partial(_value, rs_metrics.mrr)
