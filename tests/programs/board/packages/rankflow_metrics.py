from functools import partial

import numpy as np
from shapes import file_of

# The package itself imports plotting libraries; its metrics need numpy only.
_metrics = file_of("rankflow", "rankflow/metrics.py")


def _value(name, retrieved, relevant, k=5):
    ranks = np.arange(len(retrieved)).reshape(1, -1)
    return _metrics.compute_metrics_per_step(ranks, list(retrieved), list(relevant), k)[0][name]


precision = partial(_value, "precision_at_k")
recall = partial(_value, "recall_at_k")
average_precision = partial(_value, "map")
ndcg = partial(_value, "ndcg_at_k")
