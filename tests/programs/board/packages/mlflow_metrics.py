"""mlflow 3.17.2: metrics over lists of retrieved and of expected ids."""
# family: RAG
# title: MLflow
# requires: mlflow==3.17.2
# call: f(ranked_ids, relevant_ids, k=k)

import pandas as pd
from mlflow.metrics import ndcg_at_k, precision_at_k, recall_at_k


def _score(metric, k, retrieved, expected):
    given = (pd.Series([list(map(str, ids))]) for ids in (retrieved, expected))
    return metric(k).eval_fn(*given).scores[0]


#: nDCG@5 gain=binary ideal=hits-returned
def ndcg(retrieved, expected, k=5):
    return _score(ndcg_at_k, k, retrieved, expected)


#: P@5 precision_denominator=min(k,retrieved)
def precision(retrieved, expected, k=5):
    return _score(precision_at_k, k, retrieved, expected)


#: R@5
def recall(retrieved, expected, k=5):
    return _score(recall_at_k, k, retrieved, expected)
