"""lenskit 2025.8.1: ordered lists of items. NaN where nothing is relevant, but in its precision. RBP has a
patience of 0.85 and the normalisation of the infinite list; it is cut at k."""
# family: recommenders
# requires: lenskit==2025.8.1
# environment: torch

from functools import partial

from lenskit.data import ItemList
from lenskit.metrics import NDCG, RBP, Precision, Recall


def _value(metric, recs, test, k):
    return metric(k).measure_list(ItemList(item_ids=list(recs), ordered=True), ItemList(item_ids=list(test)))


#: nDCG@10 gain=binary discount=jarvelin no_relevant=nan call f(ranked_ids, relevant_ids, k=k)
ndcg = partial(_value, NDCG)
#: P@10 precision_denominator=min(k,retrieved) call f(ranked_ids, relevant_ids, k=k)
precision = partial(_value, Precision)
#: R@10 recall_denominator=min(R,k) no_relevant=nan call f(ranked_ids, relevant_ids, k=k)
recall = partial(_value, Recall)


#: RBP(p=0.85) depth=100 no_relevant=nan
def rbp(recs, test, k=100):
    return _value(RBP, recs, test, k)
