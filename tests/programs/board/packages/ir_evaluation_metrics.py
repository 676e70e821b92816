"""ir_evaluation 1.1.0, over lists of ids. Loops over ``predicted[i] for i in range(k)``, so that three of its
metrics raise where fewer than k documents were retrieved."""
# requires: ir_evaluation==1.1.0

from ir_evaluation import metrics


#: P@10
def precision_at_k(actual, predicted, k):
    return metrics.precision(actual, predicted, k)


#: AP@10 ap_denominator=retrieved-relevant +refuses-input
def average_precision_at_k(actual, predicted, k):
    """Raises on short lists and where nothing relevant was found; divides by the relevant documents found."""
    return metrics.average_precision(actual, predicted, k)


#: nDCG@10 gain=binary +refuses-input
def ndcg_at_k(actual, predicted, k):
    """Binary. Raises on short lists."""
    return metrics.ndcg(actual, predicted, k)


#: RR@10 +refuses-input
def reciprocal_rank_at_k(actual, predicted, k):
    """Raises where a short list ends before a relevant document is found."""
    return metrics.reciprocal_rank(actual, predicted, k)
