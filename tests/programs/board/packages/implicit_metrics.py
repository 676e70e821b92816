from functools import partial

import numpy as np
from implicit.evaluation import ranking_metrics_at_k
from scipy.sparse import csr_matrix
from shapes import numbered


class _Recommender:
    """Recommends a list to every user; a short one is filled with -1, as the models of implicit do."""

    def __init__(self, ranked):
        self.ranked = ranked

    def recommend(self, userid, user_items, N=10):  # noqa: N803
        ids = [*self.ranked[:N], *[-1] * (N - len(self.ranked[:N]))]
        return np.array([ids], dtype=np.int32), np.zeros((1, N), dtype=np.float32)


def _value(metric, recommended, test_items, k):
    ranked, columns = numbered(recommended, test_items)
    # One item more than are named: without any negative item, its AUC divides by zero.
    shape = 1, len({*ranked, *columns}) + 1
    test = csr_matrix((np.ones(len(columns)), ([0] * len(columns), columns)), shape=shape)
    asked = {"K": k, "show_progress": False}
    return ranking_metrics_at_k(_Recommender(ranked), csr_matrix(shape), test, **asked)[metric]


precision = partial(_value, "precision")
average_precision = partial(_value, "map")
ndcg = partial(_value, "ndcg")
