"""ragrank 0.0.10: metrics over retrieved and reference ids, cut at k; None where nothing is relevant."""
# family: RAG
# requires: ragrank==0.0.10
# call: f(ranked_ids, relevant_ids, k=k)

from ragrank.dataset import DataNode
from ragrank.metric._retrieval.ranking import MAP, NDCG, PrecisionAtK


def _compute(metric, retrieved_ids, reference_ids):
    row = DataNode(
        question="?", context=[], response="", retrieved_ids=retrieved_ids, reference_ids=reference_ids
    )
    return metric.compute(row)


#: P@5 precision_denominator=min(k,retrieved) no_relevant=skip
def precision(retrieved_ids, reference_ids, k=5):
    return _compute(PrecisionAtK(k=k), retrieved_ids, reference_ids)


#: AP@5 ap_denominator=min(R,retrieved) no_relevant=skip
def average_precision(retrieved_ids, reference_ids, k=5):
    return _compute(MAP(k=k), retrieved_ids, reference_ids)


#: nDCG@5 gain=binary ideal=hits-returned no_relevant=skip
def ndcg(retrieved_ids, reference_ids, k=5):
    return _compute(NDCG(k=k), retrieved_ids, reference_ids)
