"""Elasticsearch's rank_eval, written anew from its behaviour: the order is the engine's."""
# family: IR
# title: Elasticsearch rank_eval
# read: DiscountedCumulativeGain.java and PrecisionAtK.java of Elasticsearch (02f2048)
# call: f(ranked_ids, relevance, k=k)

from math import log2


def _dcg(ratings):
    return sum((2**r - 1) / log2(place + 2) for place, r in enumerate(ratings) if r is not None)


#: nDCG@10 gain=exponential ideal=hits-returned @elasticsearch
def ndcg(hits, rated, k=10):
    """The ideal list is cut at the number of hits returned. Ratings below 0 are refused."""
    found = [rated.get(doc) for doc in hits[:k]]
    found = [None if rating is None else max(rating, 0) for rating in found]
    ideal = _dcg(sorted((max(r, 0) for r in rated.values()), reverse=True)[: len(found)])
    return _dcg(found) / ideal if ideal else 0.0


#: DCG@10 gain=exponential
def dcg(hits, rated, k=10):
    """The default is not normalised."""
    return _dcg([None if (rating := rated.get(doc)) is None else max(rating, 0) for doc in hits[:k]])


#: P@10 precision_denominator=min(k,retrieved) @elasticsearch
def precision(hits, rated, k=10):
    shown = [rated.get(doc) for doc in hits[:k]]
    return sum(rating is not None and rating >= 1 for rating in shown) / len(shown) if shown else 0.0
