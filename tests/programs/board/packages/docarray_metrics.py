"""docarray 0.21.0, whose evaluation is a copy of a gist that many notebooks copied (bwhite/3726239): levels
of one list in rank order. Only the list's own documents exist. It uses ``np.asfarray``, which numpy 2
removed and its user has to give back. By default rank 2 is not discounted (method 0)."""
# family: RAG
# without dependencies: docarray==0.21.0
# call: f(gains, k)

from functools import partial

import numpy as np
from shapes import file_of

np.asfarray = lambda values: np.asarray(values, dtype=float)
# The package itself imports clients; its metrics need numpy only.
_metrics = file_of("docarray", "docarray/math/evaluation.py")


def _value(metric, relevance, k, **more):
    return metric(relevance, k=k, **more)


ndcg = partial(_value, _metrics.ndcg_at_k)  #: nDCG@10 discount=jarvelin ideal=retrieved
ndcg_method_1 = partial(_value, _metrics.ndcg_at_k, method=1)  #: nDCG@10 ideal=retrieved
dcg = partial(_value, _metrics.dcg_at_k)  #: DCG@10 discount=jarvelin
precision = _metrics.precision_at_k  #: P@10 precision_denominator=min(k,retrieved) call f(binary, k)
average_precision = _metrics.average_precision  #: AP ap_denominator=retrieved-relevant call f(binary)
r_precision = _metrics.r_precision  #: Rprec universe=retrieved call f(binary)
reciprocal_rank = _metrics.reciprocal_rank  #: RR call f(binary)
