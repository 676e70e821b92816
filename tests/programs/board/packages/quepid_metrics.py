"""Quepid's scorers in JavaScript, written anew from their behaviour: levels of the documents shown, where
they are rated."""
# family: IR
# title: Quepid
# read: db/scorers of Quepid: ndcg@10.js (01cdc73), ap@10.js (117df19), p@10.js (0800e1f), dcg@10.js (ce02cb0)
# call: f(ranked_ids, relevance, k=k)

from math import log2, nan


def _ratings(ranked, rated, k):
    """The ratings of the documents shown, which are not negative there; None without one."""
    found = (rated.get(doc) for doc in ranked[:k])
    return [None if rating is None else max(rating, 0) for rating in found]


def _hits(ranked, rated, k):
    return [bool(rating) for rating in _ratings(ranked, rated, k)]


def _dcg(levels):
    return sum(level / log2(place + 2) for place, level in enumerate(levels))


#: nDCG@10 ideal=retrieved-at-k
def ndcg(ranked, rated, k=10):
    """The ideal sorts the k documents shown: the best ratings are looked up and not used."""
    scores = [rating or 0 for rating in _ratings(ranked, rated, k)]
    ideal = _dcg(sorted(scores, reverse=True))
    return _dcg(scores) / ideal if ideal else 0.0


#: AP@10 no_relevant=nan
def average_precision(ranked, rated, k=10):
    """Divides by all rated documents above 0; 0 / 0 is NaN."""
    hits, total = 0, 0.0
    for place, hit in enumerate(_hits(ranked, rated, k), 1):
        hits += hit
        total += hit * hits / place
    relevant = sum(rating > 0 for rating in rated.values())
    return total / relevant if relevant else nan


#: P@10 precision_denominator=min(k,retrieved)
def precision(ranked, rated, k=10):
    hits = _hits(ranked, rated, k)
    return sum(hits) / len(hits) if hits else 0.0


#: DCG@10 (NaN as soon as a document shown is not rated: 2 to the power of undefined)
def dcg(ranked, rated, k=10):
    shown = _ratings(ranked, rated, k)
    return nan if None in shown else _dcg(2**rating - 1 for rating in shown)
