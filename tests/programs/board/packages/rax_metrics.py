"""rax 0.4.0 over JAX: scores and levels of a list; documents with equal scores keep the order of the input.
Only the list's own documents exist."""
# family: learning to rank
# requires: rax==0.4.0
# call: f(y_score, y_true, k=k)
# all: ties=input

from functools import partial

import numpy as np
import rax


def _value(metric, y_score, y_true, k):
    return float(metric(*(np.array(row, dtype=np.float32) for row in (y_score, y_true)), topn=k))


ndcg = partial(_value, rax.ndcg_metric)  #: nDCG@10 gain=exponential ideal=retrieved
average_precision = partial(_value, rax.ap_metric)  #: AP@10 universe=retrieved
mrr = partial(_value, rax.mrr_metric)  #: RR@10
