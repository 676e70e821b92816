"""tie-aware-retrieval-metrics 0.1.1: expected values over the orders of documents with equal scores. Only the
list's own documents exist."""
# family: IR
# title: tie-aware-retrieval-metrics
# without dependencies: tie-aware-retrieval-metrics==0.1.1
# call: f(y_score, y_true, k=k)
# all: ties=average score_precision=float64

from functools import partial

from trm import metrics


def _value(metric, scores, labels, k):
    return metric(metrics.build_tie_groups(scores, [level > 0 for level in labels]), k)


ndcg = partial(_value, metrics.expected_ndcg)  #: nDCG@10 gain=binary ideal=retrieved
precision = partial(_value, metrics.expected_precision)  #: P@10
average_precision = partial(_value, metrics.expected_ap)  #: AP@10 universe=retrieved
mrr = partial(_value, metrics.expected_mrr)  #: RR@10
