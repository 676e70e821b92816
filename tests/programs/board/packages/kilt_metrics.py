def _hits(predicted, gold, k):
    assert not predicted or len(predicted) >= k, "provide more pages for a robust recall"
    return sum(page in set(gold) for page in predicted[:k])


def r_precision(predicted, gold):
    return sum(page in set(gold) for page in list(dict.fromkeys(predicted))[: len(gold)]) / len(gold)


def recall(predicted, gold, k):
    return _hits(predicted, gold, k) / len(gold)


def precision(predicted, gold, k):
    return _hits(predicted, gold, k) / k
