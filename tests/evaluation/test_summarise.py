"""Summaries over queries where some judged queries have no results, as numbers."""

import numpy as np

import crosscheck
from crosscheck.axes.ties import TIES, Ties
from crosscheck.conventions import Conventions
from crosscheck.evaluation.formula import FORMULA, Formula
from crosscheck.evaluation.rankings import Rankings
from crosscheck.evaluation.recomputer import Recomputer
from crosscheck.formats.dicts import qrels_from_dict, run_from_dict
from crosscheck.names import parse_measure
from tests.support.kept import examples

#: Two relevant documents of which one is found, one that is found, and four of a query without results.
QRELS = {"1": {"a": 1, "b": 1}, "2": {"c": 1}, "3": {"d": 1, "e": 1, "f": 1, "g": 1}}
RUN = {"1": {"a": 2.0, "x": 1.0}, "2": {"c": 1.0}}


def mean(conventions: str, qrels=QRELS, run=RUN) -> float | None:
    """Mean R@5."""
    return crosscheck.evaluate(qrels, run, ["R@5"], conventions=conventions, mean=True)["R@5"]


#: Those without results only where the conventions say so; of the run, whether judged or not.
test_the_queries_that_count = examples(globals())


def test_a_formula_is_summarised_under_a_rule_for_ties_that_the_measure_cannot_have():
    """The precision at the end of a group of tied documents has a meaning for AP, and none for recall."""
    under = Conventions().having(TIES, Ties.GROUP_END)
    other = parse_measure("AP")
    formula = Formula("AP", lambda judged, conventions, measure: np.zeros(0), other)
    rankings = Rankings(run_from_dict(RUN), qrels_from_dict(QRELS))
    found = Recomputer(rankings, parse_measure("R@5"), Conventions()).evaluated(
        under.having(FORMULA, formula)
    )
    plain = Recomputer(rankings, other, Conventions()).evaluated(under)
    assert np.array_equal(found.values, plain.values, equal_nan=True)
    assert found.mean == plain.mean
