from functools import partial

import numpy as np
from shapes import numbered

np.NaN = np.nan

from rankereval import AP, NDCG, BinaryLabels, Precision, Rankings  # noqa: E402


def _score(metric, relevant, retrieved, k, order=sorted):
    ranked, positive = numbered(retrieved, relevant)
    labels = BinaryLabels.from_positive_indices([order(positive)])
    return metric(k).score(labels, Rankings.from_ranked_indices([ranked]))[0]


precision = partial(_score, Precision)
precision_unsorted = partial(_score, Precision, order=list)
average_precision = partial(_score, AP)
ndcg = partial(_score, NDCG)
