from math import log2


def _dcg(ratings):
    """Ratings below 0 are refused."""
    return sum((2 ** max(r, 0) - 1) / log2(place + 2) for place, r in enumerate(ratings) if r is not None)


def ndcg(hits, rated, k=10):
    """The ideal list is cut at the number of hits returned."""
    ideal = _dcg(sorted(rated.values(), reverse=True)[: len(hits[:k])])
    return dcg(hits, rated, k) / ideal if ideal else 0.0


def dcg(hits, rated, k=10):
    """The default is not normalised."""
    return _dcg([rated.get(doc) for doc in hits[:k]])


def precision(hits, rated, k=10):
    shown = [rated.get(doc) for doc in hits[:k]]
    return sum(rating is not None and rating >= 1 for rating in shown) / len(shown) if shown else 0.0
