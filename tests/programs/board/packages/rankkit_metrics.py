"""rankkit 0.1.0: a run of one query, with the ranking and the levels; None where nothing is relevant."""
# requires: rankkit==0.1.0

from rankkit import metrics
from rankkit.data import Run


def _run(ranking, relevance):
    return Run("q", tuple(ranking), relevance)


#: nDCG@10 gain=exponential no_relevant=skip
def ndcg(ranking, relevance: dict[str, float], k=10):
    """2^level - 1 by default, over all labelled documents that are not negative (its reader refuses
    those)."""
    levels = {doc: level for doc, level in relevance.items() if level >= 0}
    return metrics.ndcg(_run(ranking, levels), k)


#: RR@10 no_relevant=skip
def mrr(ranking, relevance: dict[str, float], k=10):
    return metrics.mrr(_run(ranking, relevance), k)


#: AP@10 no_relevant=skip
def average_precision(ranking, relevance: dict[str, float], k=10):
    """Divides by R."""
    return metrics.average_precision(_run(ranking, relevance), k)
