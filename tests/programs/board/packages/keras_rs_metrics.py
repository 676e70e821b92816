import os
from functools import partial

os.environ["KERAS_BACKEND"] = "torch"

import numpy as np
from keras_rs import metrics
from shapes import binary


def _value(metric, y_true, y_score, k):
    computed = metric(k=k)
    computed.update_state(np.array([y_true], dtype="float32"), np.array([y_score], dtype="float32"))
    return float(computed.result())


def _binary(metric, y_true, y_score, k):
    return _value(metric, binary(y_true), y_score, k)


ndcg = partial(_value, metrics.NDCG)
mrr = partial(_binary, metrics.MeanReciprocalRank)
average_precision = partial(_binary, metrics.MeanAveragePrecision)
precision = partial(_binary, metrics.PrecisionAtK)
