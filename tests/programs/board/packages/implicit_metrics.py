"""implicit 0.7.3: metrics of a model, here one that recommends a given list. Its precision divides by the
sum of min(k, R) over users, its average precision by min(k, R). Users without test items are left out: 0 /
0."""
# family: recommenders
# requires: implicit==0.7.3
# call: f(ranked_ids, relevant_ids, k=k)

import numpy as np
from implicit.evaluation import ranking_metrics_at_k
from scipy.sparse import csr_matrix


class _Recommender:
    """Recommends a list to every user; a short one is filled with -1, as the models of implicit do."""

    def __init__(self, ranked):
        self.ranked = ranked

    def recommend(self, userid, user_items, N=10):  # noqa: N803
        ids = [*self.ranked[:N], *[-1] * (N - len(self.ranked[:N]))]
        return np.array([ids], dtype=np.int32), np.zeros((1, N), dtype=np.float32)


def _metrics(recommended, test_items, k):
    known = {item: index for index, item in enumerate(dict.fromkeys([*recommended, *test_items]))}
    columns = [known[item] for item in test_items]
    # One item more than are named: without any negative item, its AUC divides by zero.
    test = csr_matrix((np.ones(len(columns)), ([0] * len(columns), columns)), shape=(1, len(known) + 1))
    model = _Recommender([known[item] for item in recommended])
    return ranking_metrics_at_k(model, csr_matrix(test.shape), test, K=k, show_progress=False)


#: P@10 precision_denominator=min(k,R)
def precision(recommended, test_items, k=10):
    return _metrics(recommended, test_items, k)["precision"]


#: AP@10 ap_denominator=min(R,k)
def average_precision(recommended, test_items, k=10):
    return _metrics(recommended, test_items, k)["map"]


#: nDCG@10 gain=binary
def ndcg(recommended, test_items, k=10):
    return _metrics(recommended, test_items, k)["ndcg"]
