from functools import partial

import pandas as pd
from recommenders.evaluation import python_evaluation as evaluation


def _value(metric, scores, relevant, k):
    true = pd.DataFrame({"userID": 1, "itemID": list(relevant), "rating": 1.0})
    predicted = pd.DataFrame({"userID": 1, "itemID": list(scores), "prediction": list(scores.values())})
    return metric(true, predicted, k=k) if len(true) and len(predicted) else None


ndcg = partial(_value, evaluation.ndcg_at_k)
average_precision = partial(_value, evaluation.map)
average_precision_at_k = partial(_value, evaluation.map_at_k)
precision = partial(_value, evaluation.precision_at_k)
recall = partial(_value, evaluation.recall_at_k)
