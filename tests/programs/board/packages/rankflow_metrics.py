"""rankflow 0.2.1: metrics over a row of ranks and the indices of relevant columns; k is cut to the number of
columns. Relevant chunks that are no column are not counted, so only the list's own exist."""
# family: RAG
# without dependencies: rankflow==0.2.1
# call: f(ranked_ids, relevant_ids, k=k)

from functools import partial

import numpy as np
from shapes import file_of

# The package itself imports plotting libraries; its metrics need numpy only.
_metrics = file_of("rankflow", "rankflow/metrics.py")


def _value(name, retrieved, relevant, k=5):
    ranks = np.arange(len(retrieved)).reshape(1, -1)
    return _metrics.compute_metrics_per_step(ranks, list(retrieved), list(relevant), k)[0][name]


precision = partial(_value, "precision_at_k")  #: P@5 precision_denominator=min(k,retrieved)
recall = partial(_value, "recall_at_k")  #: R@5 recall_denominator=retrieved-R
#: AP ap_denominator=retrieved-relevant call f(ranked_ids, relevant_ids)
average_precision = partial(_value, "map")
ndcg = partial(_value, "ndcg_at_k")  #: nDCG@5 gain=binary ideal=retrieved
