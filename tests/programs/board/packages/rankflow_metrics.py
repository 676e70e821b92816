"""rankflow 0.2.1: metrics over a row of ranks and the indices of relevant columns; k is cut to the number of
columns. Relevant chunks that are no column are not counted, so only the list's own exist."""
# family: RAG
# without dependencies: rankflow==0.2.1
# call: f(ranked_ids, relevant_ids, k=k)

import importlib.util
from importlib import metadata

import numpy as np

# The package itself imports plotting libraries; its metrics need numpy only.
_file = metadata.distribution("rankflow").locate_file("rankflow/metrics.py")
_spec = importlib.util.spec_from_file_location("rankflow_metrics_only", _file)
_metrics = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(_metrics)


def _computed(retrieved, relevant, k):
    ranks = np.arange(len(retrieved)).reshape(1, -1)
    return _metrics.compute_metrics_per_step(ranks, list(retrieved), list(relevant), k)[0]


#: P@5 precision_denominator=min(k,retrieved)
def precision(retrieved, relevant, k=5):
    return _computed(retrieved, relevant, k)["precision_at_k"]


#: R@5 recall_denominator=retrieved-R
def recall(retrieved, relevant, k=5):
    return _computed(retrieved, relevant, k)["recall_at_k"]


#: AP ap_denominator=retrieved-relevant
#: call f(ranked_ids, relevant_ids)
def average_precision(retrieved, relevant):
    return _computed(retrieved, relevant, 5)["map"]


#: nDCG@5 gain=binary ideal=retrieved
def ndcg(retrieved, relevant, k=5):
    return _computed(retrieved, relevant, k)["ndcg_at_k"]
