"""mlflow 3.17.2: metrics of retrievers over lists of ids. 0 where nothing is relevant."""
# requires: mlflow==3.17.2

import pandas as pd
from mlflow.metrics import ndcg_at_k, precision_at_k, recall_at_k


def _score(metric, retrieved, ground_truth):
    return metric.eval_fn(pd.Series([retrieved]), pd.Series([ground_truth])).scores[0]


#: P@5 precision_denominator=min(k,retrieved)
def precision(retrieved, ground_truth, k=5):
    """Divides by min(k, retrieved)."""
    return _score(precision_at_k(k), retrieved, ground_truth)


#: R@5
def recall(retrieved, ground_truth, k=5):
    return _score(recall_at_k(k), retrieved, ground_truth)


#: nDCG@5 gain=binary ideal=hits-returned
def ndcg(retrieved, ground_truth, k=5):
    """Binary; scikit-learn's nDCG with k cut to the number retrieved, over all relevant documents."""
    return _score(ndcg_at_k(k), retrieved, ground_truth)
