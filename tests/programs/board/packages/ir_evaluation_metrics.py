"""ir-evaluation 1.1.0: plain functions over relevant and ranked ids. A list shorter than k raises, but in its
precision and recall."""
# family: IR
# without dependencies: ir-evaluation==1.1.0
# call: f(relevant_ids, ranked_ids, k)

from ir_evaluation import metrics


#: P@10
def precision(actual, predicted, k):
    return metrics.precision(actual, predicted, k)


#: R@10
def recall(actual, predicted, k):
    """Raises where nothing is relevant."""
    return metrics.recall(actual, predicted, k)


#: AP@10 ap_denominator=retrieved-relevant +refuses-input
def average_precision(actual, predicted, k):
    return metrics.average_precision(actual, predicted, k)


#: nDCG@10 gain=binary +refuses-input
def ndcg(actual, predicted, k):
    return metrics.ndcg(actual, predicted, k)


#: RR@10 +refuses-input
def reciprocal_rank(actual, predicted, k):
    """Raises where a list shorter than k holds nothing relevant."""
    return metrics.reciprocal_rank(actual, predicted, k)
