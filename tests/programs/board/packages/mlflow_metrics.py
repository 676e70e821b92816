from functools import partial

import pandas as pd
from mlflow.metrics import ndcg_at_k, precision_at_k, recall_at_k


def _score(metric, retrieved, expected, k):
    given = (pd.Series([list(map(str, ids))]) for ids in (retrieved, expected))
    return metric(k).eval_fn(*given).scores[0]


ndcg = partial(_score, ndcg_at_k)
precision = partial(_score, precision_at_k)
recall = partial(_score, recall_at_k)
