"""Summaries over queries where some judged queries have no results, as numbers."""

import pytest

import crosscheck
from tests.support.kept import Kept, shown

#: Two relevant documents of which one is found, one that is found, and four of a query without results.
QRELS = {"1": {"a": 1, "b": 1}, "2": {"c": 1}, "3": {"d": 1, "e": 1, "f": 1, "g": 1}}
RUN = {"1": {"a": 2.0, "x": 1.0}, "2": {"c": 1.0}}


#: Without the query that has no results.
FOUND = {query: QRELS[query] for query in RUN}
#: With a query that is not judged.
MORE = {**RUN, "9": {"x": 1.0}}


def mean(conventions: str, qrels=QRELS, run=RUN) -> float:  # type: ignore[no-untyped-def]
    """Mean R@5."""
    return crosscheck.evaluate(qrels, run, ["R@5"], conventions=conventions, mean=True)["R@5"]


KEPT = Kept(__file__, TypeError, ValueError, within=(globals(),), show=shown)


@KEPT.each()
def test_the_queries_that_count(given):
    """Those without results only where the conventions say so; of the run, whether judged or not."""
    KEPT.holds(given)


def test_more_decimals_than_a_number_has_round_nothing():
    """However many are asked for, of values and of their mean; printf would refuse."""
    for mean in (True, False):
        exact, found = (
            crosscheck.evaluate(QRELS, RUN, ["AP"], conventions=conventions, mean=mean)
            for conventions in ("averaging=mean", f"rounding={10**400}")
        )
        assert found == exact


@pytest.mark.parametrize(("profile", "mean"), [("mteb", 0.4732), ("ir-measures-gdeval", 3 * 0.63093 / 4)])
def test_a_mean_is_of_exact_values_unless_the_tool_averages_rounded_ones(profile, mean):
    """Of three values 0.63093 and a 0 the mean has five decimals, or those of the quotient."""
    run = {str(query): {"x": 2.0, "a" if query else "b": 1.0} for query in range(4)}
    qrels = {query: {"a": 1} for query in run}
    assert crosscheck.evaluate(qrels, run, ["nDCG@5"], conventions=profile, mean=True) == {"nDCG@5": mean}
