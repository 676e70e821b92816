"""Summaries over queries where some judged queries have no results, as numbers."""

import crosscheck
from tests.support.kept import examples

#: Two relevant documents of which one is found, one that is found, and four of a query without results.
QRELS = {"1": {"a": 1, "b": 1}, "2": {"c": 1}, "3": {"d": 1, "e": 1, "f": 1, "g": 1}}
RUN = {"1": {"a": 2.0, "x": 1.0}, "2": {"c": 1.0}}


def mean(conventions: str, qrels=QRELS, run=RUN) -> float | None:
    """Mean R@5."""
    return crosscheck.evaluate(qrels, run, ["R@5"], conventions=conventions, mean=True)["R@5"]


#: Those without results only where the conventions say so; of the run, whether judged or not.
test_the_queries_that_count = examples(globals())
