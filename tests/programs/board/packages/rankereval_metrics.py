"""rankerEval 0.2.0: labels and rankings over item indices. It uses ``np.NaN``, which numpy 2 removed and
its user has to give back. NaN where nothing is relevant; nDCG has binary labels and a natural logarithm,
which the ratio does not show. Its binary search misses positive indices that are not in ascending order,
which nothing says, so they are sorted here but in one function, where they have the order of the
judgements."""
# family: IR, recommenders
# without dependencies: rankerEval==0.2.0
# requires: scipy numba
# call: f(relevant_ids, ranked_ids, k=k)
# all: no_relevant=nan

from functools import partial

import numpy as np
from shapes import numbered

np.NaN = np.nan

from rankereval import AP, NDCG, BinaryLabels, Precision, Rankings  # noqa: E402


def _score(metric, relevant, retrieved, k, order=sorted):
    ranked, positive = numbered(retrieved, relevant)
    labels = BinaryLabels.from_positive_indices([order(positive)])
    return metric(k).score(labels, Rankings.from_ranked_indices([ranked]))[0]


precision = partial(_score, Precision)  #: P@10
#: P@10 (hits are missed where positive indices are not in ascending order)
precision_unsorted = partial(_score, Precision, order=list)
average_precision = partial(_score, AP)  #: AP@10 ap_denominator=min(R,k)
ndcg = partial(_score, NDCG)  #: nDCG@10 gain=binary
