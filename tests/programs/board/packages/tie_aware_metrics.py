"""tie-aware-retrieval-metrics 0.1.1: expected values over the orders of documents with equal scores. Only the
list's own documents exist."""
# family: IR
# title: tie-aware-retrieval-metrics
# without dependencies: tie-aware-retrieval-metrics==0.1.1
# call: f(y_score, y_true, k=k)

from trm import metrics


def _groups(scores, labels):
    return metrics.build_tie_groups(scores, [level > 0 for level in labels])


#: nDCG@10 gain=binary ideal=retrieved ties=average score_precision=float64
def ndcg(scores, labels, k=10):
    return metrics.expected_ndcg(_groups(scores, labels), k)


#: P@10 ties=average score_precision=float64
def precision(scores, labels, k=10):
    return metrics.expected_precision(_groups(scores, labels), k)


#: AP@10 universe=retrieved ties=average score_precision=float64
def average_precision(scores, labels, k=10):
    return metrics.expected_ap(_groups(scores, labels), k)


#: RR@10 ties=average score_precision=float64
def mrr(scores, labels, k=10):
    return metrics.expected_mrr(_groups(scores, labels), k)
