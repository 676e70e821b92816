from functools import partial

import numpy as np
from shapes import file_of

np.asfarray = lambda values: np.asarray(values, dtype=float)
# The package itself imports clients; its metrics need numpy only.
_metrics = file_of("docarray", "docarray/math/evaluation.py")


def _value(metric, relevance, k, **more):
    return metric(relevance, k=k, **more)


ndcg = partial(_value, _metrics.ndcg_at_k)
ndcg_method_1 = partial(_value, _metrics.ndcg_at_k, method=1)
dcg = partial(_value, _metrics.dcg_at_k)
precision = _metrics.precision_at_k
average_precision = _metrics.average_precision
r_precision = _metrics.r_precision
reciprocal_rank = _metrics.reciprocal_rank
