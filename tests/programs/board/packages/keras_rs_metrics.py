"""keras-rs 0.4.0 over PyTorch: lists of levels and scores; documents with equal scores are shuffled. Only the
list's own documents exist."""
# family: learning to rank, recommenders
# requires: keras-rs==0.4.0 keras
# environment: torch
# call: f(y_true, y_score, k=k)

import os

os.environ["KERAS_BACKEND"] = "torch"

import keras_rs
import numpy as np


def _value(metric, y_true, y_score):
    metric.update_state(np.array([y_true], dtype="float32"), np.array([y_score], dtype="float32"))
    return float(metric.result())


def _binary(y_true):
    return [float(level > 0) for level in y_true]


#: nDCG@10 gain=exponential ideal=retrieved +tie-breaking
def ndcg(y_true, y_score, k=10):
    return _value(keras_rs.metrics.NDCG(k=k), y_true, y_score)


#: RR@10 +tie-breaking
def mrr(y_true, y_score, k=10):
    return _value(keras_rs.metrics.MeanReciprocalRank(k=k), _binary(y_true), y_score)


#: AP@10 universe=retrieved +tie-breaking
def average_precision(y_true, y_score, k=10):
    return _value(keras_rs.metrics.MeanAveragePrecision(k=k), _binary(y_true), y_score)


#: P@10 precision_denominator=min(k,retrieved) +tie-breaking
def precision(y_true, y_score, k=10):
    return _value(keras_rs.metrics.PrecisionAtK(k=k), _binary(y_true), y_score)
