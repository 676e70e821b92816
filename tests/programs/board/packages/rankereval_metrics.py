"""rankerEval 0.2.0: labels and rankings over item indices. It uses ``np.NaN``, which numpy 2 removed and
its user has to give back. NaN where nothing is relevant. Its binary search misses positive indices that are
not in ascending order, which nothing says, so they are sorted here but in one function."""
# family: IR, recommenders
# without dependencies: rankerEval==0.2.0
# requires: scipy numba
# call: f(relevant_ids, ranked_ids, k=k)

import numpy as np

np.NaN = np.nan

from rankereval import AP, NDCG, BinaryLabels, Precision, Rankings  # noqa: E402


def _score(metric, relevant, retrieved, order=sorted):
    index = {doc: number for number, doc in enumerate(dict.fromkeys([*retrieved, *relevant]))}
    labels = BinaryLabels.from_positive_indices([order(index[doc] for doc in relevant)])
    rankings = Rankings.from_ranked_indices([[index[doc] for doc in retrieved]])
    return metric.score(labels, rankings)[0]


#: P@10 no_relevant=nan
def precision(relevant, retrieved, k=10):
    return _score(Precision(k), relevant, retrieved)


#: P@10 (hits are missed where positive indices are not in ascending order)
def precision_unsorted(relevant, retrieved, k=10):
    """The indices in the order of the judgements."""
    return _score(Precision(k), relevant, retrieved, order=list)


#: AP@10 ap_denominator=min(R,k) no_relevant=nan
def average_precision(relevant, retrieved, k=10):
    return _score(AP(k), relevant, retrieved)


#: nDCG@10 gain=binary no_relevant=nan
def ndcg(relevant, retrieved, k=10):
    """Binary labels; a natural logarithm, which the ratio does not show."""
    return _score(NDCG(k), relevant, retrieved)
