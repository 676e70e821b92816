from functools import partial

from shapes import binary
from sklearn import metrics


def _value(metric, y_true, y_score, **more):
    return metric([y_true], [y_score], **more)


ndcg = partial(_value, metrics.ndcg_score)
ndcg_ignoring_ties = partial(_value, metrics.ndcg_score, ignore_ties=True)
dcg = partial(_value, metrics.dcg_score)


def average_precision(y_true, y_score):
    return metrics.average_precision_score(binary(y_true), y_score)


def label_ranking_average_precision(y_true, y_score):
    return metrics.label_ranking_average_precision_score([binary(y_true)], [y_score])
