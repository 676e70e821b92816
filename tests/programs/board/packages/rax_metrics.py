from functools import partial

import numpy as np
import rax


def _value(metric, y_score, y_true, k):
    return float(metric(*(np.array(row, dtype=np.float32) for row in (y_score, y_true)), topn=k))


ndcg = partial(_value, rax.ndcg_metric)
average_precision = partial(_value, rax.ap_metric)
mrr = partial(_value, rax.mrr_metric)
