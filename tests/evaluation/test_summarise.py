"""Summaries over queries where some judged queries have no results, as numbers."""

import math

import pytest

import crosscheck

#: Two relevant documents of which one is found, one that is found, and four of a query without results.
QRELS = {"1": {"a": 1, "b": 1}, "2": {"c": 1}, "3": {"d": 1, "e": 1, "f": 1, "g": 1}}
RUN = {"1": {"a": 2.0, "x": 1.0}, "2": {"c": 1.0}}


@pytest.mark.parametrize(
    ("conventions", "mean", "without_the_third"),
    [
        ("trec_eval-9.0.8", (1 / 2 + 1) / 2, (1 / 2 + 1) / 2),
        ("query_set=qrels", (1 / 2 + 1) / 3, (1 / 2 + 1) / 2),
        ("averaging=micro", 2 / 3, 2 / 3),
        ("averaging=micro,query_set=qrels", 2 / 7, 2 / 3),
        ("averaging=micro,missing_queries=zero", 2 / 7, 2 / 3),
        ("averaging=median", 3 / 4, 3 / 4),
        ("averaging=median,query_set=qrels", 1 / 2, 3 / 4),
        ("averaging=median,missing_queries=zero", 1 / 2, 3 / 4),
        ("missing_queries=nan", math.nan, (1 / 2 + 1) / 2),
        ("missing_queries=nan,query_set=qrels", math.nan, (1 / 2 + 1) / 2),
    ],
)
def test_queries_without_results_count_where_the_conventions_say_so(conventions, mean, without_the_third):
    """And only there: with a query less in the qrels they have nothing to say."""
    for qrels, expected in ((QRELS, mean), ({q: QRELS[q] for q in RUN}, without_the_third)):
        found = crosscheck.evaluate(qrels, RUN, ["R@5"], conventions=conventions, mean=True)["R@5"]
        assert found == pytest.approx(expected, nan_ok=True, abs=1e-15)


def test_the_queries_of_the_run_count_whether_judged_or_not():
    """Under query_set=run, or as queries without relevant documents, if these count."""
    as_barren = "unjudged_queries=no-relevant"
    for conventions, mean in (
        ("query_set=run", (1 / 2 + 1) / 3), ("trec_eval-9.0.8", (1 / 2 + 1) / 2),
        (as_barren, (1 / 2 + 1) / 3), (f"{as_barren},no_relevant=one", (1 / 2 + 1 + 1) / 3),
        (f"{as_barren},no_relevant=skip", (1 / 2 + 1) / 2),
        (f"{as_barren},missing_queries=dropped-without-hits", (1 / 2 + 1) / 2),
    ):  # fmt: skip
        run = {**RUN, "9": {"x": 1.0}}
        found = crosscheck.evaluate(QRELS, run, ["R@5"], conventions=conventions, mean=True)
        assert found == {"R@5": mean}
    for name, values in (("R@1", {}), ("R@2", {"1": {"R@2": 1.0}})):
        run, spec = {"1": {"x": 2.0, "a": 1.0}}, "missing_queries=dropped-without-hits"
        assert crosscheck.evaluate({"1": {"a": 1}}, run, [name], conventions=spec) == values


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
