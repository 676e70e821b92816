from math import log2, nan


def _ratings(ranked, rated, k):
    """The ratings of the documents shown, which are not negative there; None without one."""
    found = (rated.get(doc) for doc in ranked[:k])
    return [None if rating is None else max(rating, 0) for rating in found]


def _hits(ranked, rated, k):
    return [bool(rating) for rating in _ratings(ranked, rated, k)]


def _dcg(levels):
    return sum(level / log2(place + 2) for place, level in enumerate(levels))


def ndcg(ranked, rated, k=10):
    """The ideal sorts the k documents shown: the best ratings are looked up and not used."""
    scores = [rating or 0 for rating in _ratings(ranked, rated, k)]
    ideal = _dcg(sorted(scores, reverse=True))
    return _dcg(scores) / ideal if ideal else 0.0


def average_precision(ranked, rated, k=10):
    """Divides by all rated documents above 0; 0 / 0 is NaN."""
    hits, total = 0, 0.0
    for place, hit in enumerate(_hits(ranked, rated, k), 1):
        hits += hit
        total += hit * hits / place
    relevant = sum(rating > 0 for rating in rated.values())
    return total / relevant if relevant else nan


def precision(ranked, rated, k=10):
    hits = _hits(ranked, rated, k)
    return sum(hits) / len(hits) if hits else 0.0


def dcg(ranked, rated, k=10):
    shown = _ratings(ranked, rated, k)
    return nan if None in shown else _dcg(2**rating - 1 for rating in shown)
