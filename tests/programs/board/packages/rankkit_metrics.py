from functools import partial
from types import SimpleNamespace

from rankkit import metrics


def _value(metric, ranking, relevance, k):
    def gain(doc):
        return float(relevance.get(doc, 0.0))

    relevant = sum(level > 0 for level in relevance.values())
    run = SimpleNamespace(ranking=list(ranking), relevance=dict(relevance), gain=gain, n_relevant=relevant)
    return metric(run, k)


def ndcg(ranking, relevance, k=10):
    return _value(metrics.ndcg, ranking, {d: v for d, v in relevance.items() if v >= 0}, k)


average_precision = partial(_value, metrics.average_precision)
mrr = partial(_value, metrics.mrr)
precision = partial(_value, metrics.precision_at_k)
