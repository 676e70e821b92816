"""catboost 1.2.10: ``eval_metric`` over labels, scores and a group. Only the list's own documents exist;
documents with equal scores stand in the worst order."""
# family: learning to rank
# title: CatBoost
# requires: catboost==1.2.10
# environment: ir
# call: f(y_true, y_score, k=k)

import numpy as np
from catboost.utils import eval_metric


def _value(metric, y_true, y_score):
    return eval_metric(np.array(y_true, float), np.array(y_score, float), metric, group_id=[0] * len(y_true))[
        0
    ]


#: nDCG@10 ties=worst score_precision=float64 universe=retrieved no_relevant=one @catboost-ndcg
def ndcg(y_true, y_score, k=10):
    return _value(f"NDCG:top={k}", y_true, y_score)


#: nDCG@10 gain=exponential ties=worst score_precision=float64 universe=retrieved no_relevant=one
def ndcg_exponential(y_true, y_score, k=10):
    return _value(f"NDCG:top={k};type=Exp", y_true, y_score)


#: AP@10 ap_denominator=min(R,k) ties=worst score_precision=float64 universe=retrieved @catboost
def average_precision(y_true, y_score, k=10):
    return _value(f"MAP:top={k}", (np.array(y_true) > 0).astype(int), y_score)


#: P@10 precision_denominator=min(k,retrieved) ties=worst score_precision=float64 @catboost
def precision(y_true, y_score, k=10):
    return _value(f"PrecisionAt:top={k}", (np.array(y_true) > 0).astype(int), y_score)


#: R@10 ties=worst score_precision=float64 universe=retrieved no_relevant=one @catboost-ndcg
def recall(y_true, y_score, k=10):
    return _value(f"RecallAt:top={k}", (np.array(y_true) > 0).astype(int), y_score)


#: RR@10 ties=worst score_precision=float64 @catboost
def reciprocal_rank(y_true, y_score, k=10):
    return _value(f"MRR:top={k}", (np.array(y_true) > 0).astype(int), y_score)
