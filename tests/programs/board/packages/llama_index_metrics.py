"""llama-index-core 0.14.25: metrics over expected and retrieved ids, without cutoff; they raise where one
of the two lists is empty."""
# family: RAG
# requires: llama-index-core==0.14.25
# call: f(relevant_ids, ranked_ids)

from functools import partial

from llama_index.core.evaluation.retrieval.metrics import MRR, NDCG, AveragePrecision, Precision


def _score(metric, expected_ids, retrieved_ids):
    return metric.compute(expected_ids=expected_ids, retrieved_ids=retrieved_ids).score


mrr_granular = partial(_score, MRR(use_granular_mrr=True))  #: RR rr_of=every-retrieved
precision = partial(_score, Precision())  #: SetP
average_precision = partial(_score, AveragePrecision())  #: AP
ndcg = partial(_score, NDCG())  #: nDCG gain=binary
