"""recommenders 1.2.1: metrics over data frames of ratings and of predictions, here of one user. Only users in
both count; a user without anything relevant is no user. Documents with equal predictions keep no order
that is promised (pandas sorts several columns with a stable sort)."""
# family: recommenders
# without dependencies: recommenders==1.2.1
# requires: pandas<3 scikit-learn lightgbm
# call: f(scored, relevant_ids, k=k)

import pandas as pd
from recommenders.evaluation import python_evaluation as evaluation


def _value(metric, scores, relevant, k):
    true = pd.DataFrame({"userID": 1, "itemID": list(relevant), "rating": 1.0})
    predicted = pd.DataFrame({"userID": 1, "itemID": list(scores), "prediction": list(scores.values())})
    return metric(true, predicted, k=k) if len(true) and len(predicted) else None


#: nDCG@10 gain=binary ties=input score_precision=float64 no_relevant=skip @recommenders
def ndcg(scores: dict[str, float], relevant, k=10):
    """Binary by default; a natural logarithm, which the ratio does not show."""
    return _value(evaluation.ndcg_at_k, scores, relevant, k)


#: AP@10 ties=input score_precision=float64 no_relevant=skip
def average_precision(scores: dict[str, float], relevant, k=10):
    """map: divides by R."""
    return _value(evaluation.map, scores, relevant, k)


#: AP@10 ap_denominator=min(R,k) ties=input score_precision=float64 no_relevant=skip @recommenders
def average_precision_at_k(scores: dict[str, float], relevant, k=10):
    """map_at_k: divides by min(R, k)."""
    return _value(evaluation.map_at_k, scores, relevant, k)


#: P@10 ties=input score_precision=float64 no_relevant=skip
def precision(scores: dict[str, float], relevant, k=10):
    return _value(evaluation.precision_at_k, scores, relevant, k)


#: R@10 ties=input score_precision=float64 no_relevant=skip
def recall(scores: dict[str, float], relevant, k=10):
    return _value(evaluation.recall_at_k, scores, relevant, k)
