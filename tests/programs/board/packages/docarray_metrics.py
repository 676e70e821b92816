"""docarray 0.21.0, whose evaluation is a copy of a gist that many notebooks copied (bwhite/3726239): levels
of one list in rank order. Only the list's own documents exist. It uses ``np.asfarray``, which numpy 2
removed and its user has to give back."""
# family: RAG
# without dependencies: docarray==0.21.0
# call: f(gains, k)

import importlib.util
from importlib import metadata

import numpy as np

np.asfarray = lambda values: np.asarray(values, dtype=float)
# The package itself imports clients; its metrics need numpy only.
_file = metadata.distribution("docarray").locate_file("docarray/math/evaluation.py")
_spec = importlib.util.spec_from_file_location("docarray_metrics_only", _file)
_metrics = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(_metrics)


#: nDCG@10 discount=jarvelin ideal=retrieved
def ndcg(relevance, k):
    """By default rank 2 is not discounted (method 0)."""
    return _metrics.ndcg_at_k(relevance, k=k)


#: nDCG@10 ideal=retrieved
def ndcg_method_1(relevance, k):
    return _metrics.ndcg_at_k(relevance, method=1, k=k)


#: DCG@10 discount=jarvelin
def dcg(relevance, k):
    return _metrics.dcg_at_k(relevance, k=k)


#: P@10 precision_denominator=min(k,retrieved)
#: call f(binary, k)
def precision(relevance, k):
    return _metrics.precision_at_k(relevance, k)


#: AP ap_denominator=retrieved-relevant
#: call f(binary)
def average_precision(relevance):
    return _metrics.average_precision(relevance)


#: Rprec universe=retrieved
#: call f(binary)
def r_precision(relevance):
    return _metrics.r_precision(relevance)


#: RR
#: call f(binary)
def reciprocal_rank(relevance):
    return _metrics.reciprocal_rank(relevance)
