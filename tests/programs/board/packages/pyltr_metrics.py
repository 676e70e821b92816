"""pyltr 0.2.6: levels and predicted scores of one query. Ties put the lowest level first
(``np.lexsort((y, -y_pred))``); only the list's own documents exist. AP counts all relevant documents of the
list, and precisions down to k; the scale of ERR ends at level 4, which its user says."""
# family: learning to rank
# requires: pyltr==0.2.6 scikit-learn pandas<3 six
# call: f(y_true, y_score, k=k)
# all: ties=worst score_precision=float64

from functools import partial

import numpy as np
from pyltr.metrics import AP, ERR, NDCG


def _value(metric, y_true, y_pred, k, **more):
    return metric(k=k, **more).evaluate_preds("q", np.array(y_true), np.array(y_pred, dtype=float))


ndcg = partial(_value, NDCG)  #: nDCG@10 gain=exponential ideal=retrieved
average_precision = partial(_value, AP)  #: AP@10 universe=retrieved
err = partial(_value, ERR, highest_score=4)  #: ERR@10
