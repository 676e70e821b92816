from functools import partial

from ragrank.dataset import DataNode
from ragrank.metric._retrieval.ranking import MAP, NDCG, PrecisionAtK


def _value(metric, retrieved_ids, reference_ids, k):
    ids = {"retrieved_ids": retrieved_ids, "reference_ids": reference_ids}
    return metric(k=k).compute(DataNode(question="?", context=[], response="", **ids))


precision = partial(_value, PrecisionAtK)
average_precision = partial(_value, MAP)
ndcg = partial(_value, NDCG)
