"""continuous-eval 0.3.14: metrics over chunks, here with exact matches; no cutoff."""
# requires: continuous-eval==0.3.14.post2

from continuous_eval.metrics.retrieval import ExactChunkMatch, PrecisionRecallF1, RankedRetrievalMetrics


#: AP ap_denominator=retrieved-relevant
def average_precision(retrieved_context, ground_truth_context):
    """Divides by the relevant chunks found."""
    ranked = RankedRetrievalMetrics(ExactChunkMatch()).compute(retrieved_context, ground_truth_context)
    return ranked["average_precision"]


#: nDCG gain=binary
def ndcg(retrieved_context, ground_truth_context):
    """Binary, the ideal over all; raises where nothing is relevant."""
    return RankedRetrievalMetrics(ExactChunkMatch()).compute(retrieved_context, ground_truth_context)["ndcg"]


#: SetP
def precision(retrieved_context, ground_truth_context):
    """Of the whole list."""
    found = PrecisionRecallF1(ExactChunkMatch()).compute(retrieved_context, ground_truth_context)
    return found["context_precision"]
