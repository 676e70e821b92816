"""lenskit 2025.8.1: ordered lists of items. NaN where nothing is relevant, but in its precision."""
# family: recommenders
# requires: lenskit==2025.8.1
# environment: torch

from lenskit.data import ItemList
from lenskit.metrics import NDCG, RBP, Precision, Recall


def _measure(metric, recs, test):
    return metric.measure_list(ItemList(item_ids=list(recs), ordered=True), ItemList(item_ids=list(test)))


#: nDCG@10 gain=binary discount=jarvelin no_relevant=nan
#: call f(ranked_ids, relevant_ids, k=k)
def ndcg(recs, test, k=10):
    return _measure(NDCG(k), recs, test)


#: P@10 precision_denominator=min(k,retrieved)
#: call f(ranked_ids, relevant_ids, k=k)
def precision(recs, test, k=10):
    return _measure(Precision(k), recs, test)


#: R@10 recall_denominator=min(R,k) no_relevant=nan
#: call f(ranked_ids, relevant_ids, k=k)
def recall(recs, test, k=10):
    return _measure(Recall(k), recs, test)


#: RBP(p=0.85) depth=100 no_relevant=nan
def rbp(recs, test, k=100):
    """Patience 0.85, the normalisation of the infinite list; cut at k."""
    return _measure(RBP(k), recs, test)
