"""pyltr 0.2.6: levels and predicted scores of one query. Ties put the lowest level first
(``np.lexsort((y, -y_pred))``); only the list's own documents exist."""
# family: learning to rank
# requires: pyltr==0.2.6 scikit-learn pandas<3 six
# call: f(y_true, y_score, k=k)

import numpy as np
from pyltr.metrics import AP, ERR, NDCG


#: nDCG@10 gain=exponential ideal=retrieved ties=worst score_precision=float64
def ndcg(y_true, y_pred, k=10):
    return NDCG(k=k).evaluate_preds("q", np.array(y_true), np.array(y_pred, dtype=float))


#: AP@10 universe=retrieved ties=worst score_precision=float64
def average_precision(y_true, y_pred, k=10):
    """Counts all relevant documents of the list, and precisions down to k."""
    return AP(k=k).evaluate_preds("q", np.array(y_true), np.array(y_pred, dtype=float))


#: ERR@10 ties=worst score_precision=float64
def err(y_true, y_pred, k=10):
    """The scale ends at level 4, which its user says."""
    return ERR(highest_score=4, k=k).evaluate_preds("q", np.array(y_true), np.array(y_pred, dtype=float))
