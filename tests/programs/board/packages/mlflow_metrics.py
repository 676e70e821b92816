"""mlflow 3.17.2: metrics over lists of retrieved and of expected ids."""
# family: RAG
# title: MLflow
# requires: mlflow==3.17.2
# call: f(ranked_ids, relevant_ids, k=k)

from functools import partial

import pandas as pd
from mlflow.metrics import ndcg_at_k, precision_at_k, recall_at_k


def _score(metric, retrieved, expected, k):
    given = (pd.Series([list(map(str, ids))]) for ids in (retrieved, expected))
    return metric(k).eval_fn(*given).scores[0]


ndcg = partial(_score, ndcg_at_k)  #: nDCG@5 gain=binary ideal=hits-returned
precision = partial(_score, precision_at_k)  #: P@5 precision_denominator=min(k,retrieved)
recall = partial(_score, recall_at_k)  #: R@5
