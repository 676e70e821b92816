"""scikit-learn 1.9.1: the levels and scores of one list. Only the list's own documents exist; in ndcg_score
the gains of documents with equal scores are averaged, or left to an unstable sort, reversed. DCG and nDCG
raise for a single document, and nDCG for negative levels, which counted as gains before 1.4. Where nothing or
everything is relevant, LRAP is 1."""
# family: general, learning to rank
# requires: scikit-learn==1.9.1
# environment: ir
# also: scikit-learn==1.4.2
# call: f(y_true, y_score, k=k)
# all: score_precision=float64

from functools import partial

from shapes import binary
from sklearn import metrics


def _value(metric, y_true, y_score, **more):
    return metric([y_true], [y_score], **more)


#: nDCG@10 ties=average ideal=retrieved +refuses-input @sklearn
#: scikit-learn==1.4.2 ties=average ideal=retrieved +refuses-input
ndcg = partial(_value, metrics.ndcg_score)
#: nDCG@10 ideal=retrieved +refuses-input +tie-breaking @sklearn-ignore-ties
ndcg_ignoring_ties = partial(_value, metrics.ndcg_score, ignore_ties=True)
dcg = partial(_value, metrics.dcg_score)  #: DCG@10 ties=average +refuses-input @sklearn


#: AP ties=group-end universe=retrieved @sklearn-ap call f(y_true, y_score)
def average_precision(y_true, y_score):
    return metrics.average_precision_score(binary(y_true), y_score)


#: AP ties=group-end universe=retrieved no_relevant=one call f(y_true, y_score)
def label_ranking_average_precision(y_true, y_score):
    return metrics.label_ranking_average_precision_score([binary(y_true)], [y_score])
