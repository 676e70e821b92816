"""recommenders 1.2.1: metrics over data frames of ratings and of predictions, here of one user. Only users in
both count; a user without anything relevant is no user. Documents with equal predictions keep no order
that is promised (pandas sorts several columns with a stable sort). nDCG is binary by default, with a natural
logarithm, which the ratio does not show; map divides by R, map_at_k by min(R, k)."""
# family: recommenders
# without dependencies: recommenders==1.2.1
# requires: pandas<3 scikit-learn lightgbm
# call: f(scored, relevant_ids, k=k)
# all: ties=input score_precision=float64 no_relevant=skip

from functools import partial

import pandas as pd
from recommenders.evaluation import python_evaluation as evaluation


def _value(metric, scores, relevant, k):
    true = pd.DataFrame({"userID": 1, "itemID": list(relevant), "rating": 1.0})
    predicted = pd.DataFrame({"userID": 1, "itemID": list(scores), "prediction": list(scores.values())})
    return metric(true, predicted, k=k) if len(true) and len(predicted) else None


ndcg = partial(_value, evaluation.ndcg_at_k)  #: nDCG@10 gain=binary @recommenders
average_precision = partial(_value, evaluation.map)  #: AP@10
#: AP@10 ap_denominator=min(R,k) @recommenders
average_precision_at_k = partial(_value, evaluation.map_at_k)
precision = partial(_value, evaluation.precision_at_k)  #: P@10
recall = partial(_value, evaluation.recall_at_k)  #: R@10
