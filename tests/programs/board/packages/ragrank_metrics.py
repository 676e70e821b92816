"""ragrank 0.0.10: metrics over retrieved and reference ids, cut at k; None where nothing is relevant."""
# family: RAG
# requires: ragrank==0.0.10
# call: f(ranked_ids, relevant_ids, k=k)
# all: no_relevant=skip

from functools import partial

from ragrank.dataset import DataNode
from ragrank.metric._retrieval.ranking import MAP, NDCG, PrecisionAtK


def _value(metric, retrieved_ids, reference_ids, k):
    ids = {"retrieved_ids": retrieved_ids, "reference_ids": reference_ids}
    return metric(k=k).compute(DataNode(question="?", context=[], response="", **ids))


precision = partial(_value, PrecisionAtK)  #: P@5 precision_denominator=min(k,retrieved)
average_precision = partial(_value, MAP)  #: AP@5 ap_denominator=min(R,retrieved)
ndcg = partial(_value, NDCG)  #: nDCG@5 gain=binary ideal=hits-returned
