"""rankkit 0.1.0: a ranking and levels of one query; no value where nothing is relevant."""
# family: IR, recommenders
# without dependencies: rankkit==0.1.0
# call: f(ranked_ids, relevance, k=k)

from types import SimpleNamespace

from rankkit import metrics


def _run(ranking, relevance):
    def gain(doc):
        return float(relevance.get(doc, 0.0))

    relevant = sum(level > 0 for level in relevance.values())
    return SimpleNamespace(ranking=list(ranking), relevance=dict(relevance), gain=gain, n_relevant=relevant)


#: nDCG@10 gain=exponential no_relevant=skip
def ndcg(ranking, relevance: dict[str, int], k=10):
    return metrics.ndcg(_run(ranking, {d: v for d, v in relevance.items() if v >= 0}), k)


#: AP@10 no_relevant=skip
def average_precision(ranking, relevance: dict[str, int], k=10):
    return metrics.average_precision(_run(ranking, relevance), k)


#: RR@10 no_relevant=skip
def mrr(ranking, relevance: dict[str, int], k=10):
    return metrics.mrr(_run(ranking, relevance), k)


#: P@10 no_relevant=skip
def precision(ranking, relevance: dict[str, int], k=10):
    return metrics.precision_at_k(_run(ranking, relevance), k)
