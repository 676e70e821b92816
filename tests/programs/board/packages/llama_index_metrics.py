"""llama-index-core 0.14.25: metrics over expected and retrieved ids, without cutoff; they raise where one
of the two lists is empty."""
# family: RAG
# requires: llama-index-core==0.14.25
# call: f(relevant_ids, ranked_ids)

from llama_index.core.evaluation.retrieval.metrics import MRR, NDCG, AveragePrecision, Precision


#: RR rr_of=every-retrieved
def mrr_granular(expected_ids, retrieved_ids):
    return MRR(use_granular_mrr=True).compute(expected_ids=expected_ids, retrieved_ids=retrieved_ids).score


#: SetP
def precision(expected_ids, retrieved_ids):
    return Precision().compute(expected_ids=expected_ids, retrieved_ids=retrieved_ids).score


#: AP
def average_precision(expected_ids, retrieved_ids):
    return AveragePrecision().compute(expected_ids=expected_ids, retrieved_ids=retrieved_ids).score


#: nDCG gain=binary
def ndcg(expected_ids, retrieved_ids):
    return NDCG().compute(expected_ids=expected_ids, retrieved_ids=retrieved_ids).score
