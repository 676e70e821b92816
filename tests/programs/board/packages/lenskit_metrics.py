from functools import partial

from lenskit.data import ItemList
from lenskit.metrics import NDCG, RBP, Precision, Recall


def _value(metric, recs, test, k):
    return metric(k).measure_list(ItemList(item_ids=list(recs), ordered=True), ItemList(item_ids=list(test)))


ndcg = partial(_value, NDCG)
precision = partial(_value, Precision)
recall = partial(_value, Recall)


def rbp(recs, test, k=100):
    return _value(RBP, recs, test, k)
