"""recmetrics 0.1.5, over lists of ids of all users. Its mar@k is average precision."""
# family: recommenders
# without dependencies: recmetrics==0.1.5
# requires: matplotlib pandas<3 scikit-learn seaborn plotly funcsigs ipython

import recmetrics


#: AP@10
def mark(actual, predicted, k=10):
    """One user: the sum of precisions at hits over R; 0 where nothing is relevant."""
    return recmetrics.mark([actual], [predicted], k)


#: AP@10
def mark_of_all(actual: list[list[str]], predicted: list[list[str]], k=10):
    """The mean over the users that are passed."""
    return recmetrics.mark(actual, predicted, k)
