import recmetrics


def mark(actual, predicted, k=10):
    """One user: the sum of precisions at hits over R; 0 where nothing is relevant."""
    return recmetrics.mark([actual], [predicted], k)


def mark_of_all(actual: list[list[str]], predicted: list[list[str]], k=10):
    """The mean over the users that are passed."""
    return recmetrics.mark(actual, predicted, k)
