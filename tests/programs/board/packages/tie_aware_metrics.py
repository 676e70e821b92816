from functools import partial

from trm import metrics


def _value(metric, scores, labels, k):
    return metric(metrics.build_tie_groups(scores, [level > 0 for level in labels]), k)


ndcg = partial(_value, metrics.expected_ndcg)
precision = partial(_value, metrics.expected_precision)
average_precision = partial(_value, metrics.expected_ap)
mrr = partial(_value, metrics.expected_mrr)
