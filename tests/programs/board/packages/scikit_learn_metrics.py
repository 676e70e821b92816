"""scikit-learn 1.9.1: the levels and scores of one list. Only the list's own documents exist; in ndcg_score
the gains of documents with equal scores are averaged."""
# family: general, learning to rank
# requires: scikit-learn==1.9.1
# environment: ir
# also: scikit-learn==1.4.2
# call: f(y_true, y_score, k=k)

import numpy as np
from sklearn.metrics import (
    average_precision_score,
    dcg_score,
    label_ranking_average_precision_score,
    ndcg_score,
)


#: nDCG@10 ties=average score_precision=float64 ideal=retrieved +refuses-input @sklearn
#: scikit-learn==1.4.2 ties=average score_precision=float64 ideal=retrieved +refuses-input
def ndcg(y_true, y_score, k=10):
    """Raises for a single document, and for negative levels, which counted as gains before 1.4."""
    return ndcg_score([y_true], [y_score], k=k)


#: nDCG@10 score_precision=float64 ideal=retrieved +refuses-input +tie-breaking @sklearn-ignore-ties
def ndcg_ignoring_ties(y_true, y_score, k=10):
    """An unstable sort, reversed."""
    return ndcg_score([y_true], [y_score], k=k, ignore_ties=True)


#: DCG@10 ties=average score_precision=float64 +refuses-input @sklearn
def dcg(y_true, y_score, k=10):
    """Raises for a single document."""
    return dcg_score([y_true], [y_score], k=k)


#: AP ties=group-end score_precision=float64 universe=retrieved @sklearn-ap
#: call f(y_true, y_score)
def average_precision(y_true, y_score):
    return average_precision_score(np.array(y_true) > 0, y_score)


#: AP ties=group-end score_precision=float64 universe=retrieved no_relevant=one
#: call f(y_true, y_score)
def label_ranking_average_precision(y_true, y_score):
    """1 where nothing is relevant, and where everything is."""
    return label_ranking_average_precision_score([(np.array(y_true) > 0).astype(int)], [y_score])
