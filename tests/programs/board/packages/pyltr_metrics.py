from functools import partial

import numpy as np
from pyltr.metrics import AP, ERR, NDCG


def _value(metric, y_true, y_pred, k, **more):
    return metric(k=k, **more).evaluate_preds("q", np.array(y_true), np.array(y_pred, dtype=float))


ndcg = partial(_value, NDCG)
average_precision = partial(_value, AP)
err = partial(_value, ERR, highest_score=4)
