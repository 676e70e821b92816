"""keras-rs 0.4.0 over PyTorch: lists of levels and scores; documents with equal scores are shuffled. Only the
list's own documents exist."""
# family: learning to rank, recommenders
# requires: keras-rs==0.4.0 keras
# environment: torch
# call: f(y_true, y_score, k=k)
# all: +tie-breaking

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


ndcg = partial(_value, metrics.NDCG)  #: nDCG@10 gain=exponential ideal=retrieved
mrr = partial(_binary, metrics.MeanReciprocalRank)  #: RR@10
average_precision = partial(_binary, metrics.MeanAveragePrecision)  #: AP@10 universe=retrieved
precision = partial(_binary, metrics.PrecisionAtK)  #: P@10 precision_denominator=min(k,retrieved)
