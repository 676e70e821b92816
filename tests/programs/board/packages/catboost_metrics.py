"""catboost 1.2.10: ``eval_metric`` over labels, scores and a group. Only the list's own documents exist;
documents with equal scores stand in the worst order."""
# family: learning to rank
# title: CatBoost
# requires: catboost==1.2.10
# environment: ir
# call: f(y_true, y_score, k=k)
# all: ties=worst score_precision=float64

from functools import partial

import numpy as np
from catboost.utils import eval_metric
from shapes import binary


def _value(metric, y_true, y_score, k):
    lists = np.array(y_true, float), np.array(y_score, float)
    return eval_metric(*lists, f"{metric}={k}", group_id=[0] * len(y_true))[0]


def _binary(metric, y_true, y_score, k):
    return _value(metric, binary(y_true), y_score, k)


ndcg = partial(_value, "NDCG:top")  #: nDCG@10 universe=retrieved no_relevant=one @catboost-ndcg
#: nDCG@10 gain=exponential universe=retrieved no_relevant=one
ndcg_exponential = partial(_value, "NDCG:type=Exp;top")
#: AP@10 ap_denominator=min(R,k) universe=retrieved @catboost
average_precision = partial(_binary, "MAP:top")
precision = partial(_binary, "PrecisionAt:top")  #: P@10 precision_denominator=min(k,retrieved) @catboost
recall = partial(_binary, "RecallAt:top")  #: R@10 universe=retrieved no_relevant=one @catboost-ndcg
reciprocal_rank = partial(_binary, "MRR:top")  #: RR@10 @catboost
