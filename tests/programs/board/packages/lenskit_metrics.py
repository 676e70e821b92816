from lenskit.data import ItemList
from lenskit.metrics import RBP
from shapes import define

define(globals())


def rbp(recs, test, k=100):
    lists = ItemList(item_ids=list(recs), ordered=True), ItemList(item_ids=list(test))
    return RBP(k).measure_list(*lists)
