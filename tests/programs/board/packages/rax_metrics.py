"""rax 0.4.0 over JAX: scores and levels of a list; documents with equal scores keep the order of the input.
Only the list's own documents exist."""
# family: learning to rank
# requires: rax==0.4.0
# call: f(y_score, y_true, k=k)

import numpy as np
import rax


def _arrays(y_score, y_true):
    return np.array(y_score, dtype=np.float32), np.array(y_true, dtype=np.float32)


#: nDCG@10 gain=exponential ideal=retrieved ties=input
def ndcg(y_score, y_true, k=10):
    return float(rax.ndcg_metric(*_arrays(y_score, y_true), topn=k))


#: AP@10 universe=retrieved ties=input
def average_precision(y_score, y_true, k=10):
    return float(rax.ap_metric(*_arrays(y_score, y_true), topn=k))


#: RR@10 ties=input
def mrr(y_score, y_true, k=10):
    return float(rax.mrr_metric(*_arrays(y_score, y_true), topn=k))
