"""recmetrics 0.1.5, over lists of ids of all users. Its mar@k is average precision."""
# /// script
# dependencies = ["matplotlib", "pandas<3", "scikit-learn", "seaborn", "plotly", "funcsigs", "ipython"]
# [tool.board]
# no-deps = ["recmetrics==0.1.5"]
# ///

from __future__ import annotations

import recmetrics


def mark(actual, predicted, k=10):
    """One user: the sum of precisions at hits over R; 0 where nothing is relevant."""
    return recmetrics.mark([actual], [predicted], k)


def mark_of_all(actual: list[list[str]], predicted: list[list[str]], k=10):
    """The mean over the users that are passed."""
    return recmetrics.mark(actual, predicted, k)


EXPECTED = {
    "mark": ("AP@10", {}),
    "mark_of_all": ("AP@10", {}),
}
