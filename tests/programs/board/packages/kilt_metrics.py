"""KILT's script, written anew from its behaviour, for questions whose every page of provenance is an answer
of its own; of several answers the best counts in its R-precision, so all pages are one answer there, and it
raises where nothing is relevant. Elsewhere lists shorter than k are refused."""
# family: RAG
# title: KILT
# read: kilt/eval_retrieval.py of KILT (0d31f48)
# call: f(ranked_ids, relevant_ids, k)


def _hits(predicted, gold, k):
    assert not predicted or len(predicted) >= k, "provide more pages for a robust recall"
    return sum(page in set(gold) for page in predicted[:k])


#: Rprec call f(ranked_ids, relevant_ids)
def r_precision(predicted, gold):
    return sum(page in set(gold) for page in list(dict.fromkeys(predicted))[: len(gold)]) / len(gold)


#: R@5 +refuses-input
def recall(predicted, gold, k):
    return _hits(predicted, gold, k) / len(gold)


#: P@5 +refuses-input
def precision(predicted, gold, k):
    return _hits(predicted, gold, k) / k
