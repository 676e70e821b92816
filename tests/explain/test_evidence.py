"""When recomputed values are the observed ones: tolerances, means, and means over no query."""

import math

import numpy as np
import pytest
from msgspec.structs import replace

from crosscheck.auditing.metric import Asked, evidence_of
from crosscheck.conventions import Conventions, conventions
from crosscheck.evaluation.rankings import Rankings
from crosscheck.evaluation.recomputer import Recomputer
from crosscheck.explain import evidence
from crosscheck.explain.evidence import Evidence
from crosscheck.formats.dicts import qrels_from_dict, run_from_dict
from crosscheck.inputs.queries import Line, Probe, Query
from crosscheck.model import MeasureValues
from crosscheck.names import parse_measure
from tests.support.kept import Kept, shown


@pytest.mark.parametrize(
    ("mean", "of_means", "holds"),
    [(0.0, True, True), (np.nan, True, True), (0.5, True, False), (0.0, False, False)],
)
def test_a_mean_over_no_query_is_0_or_nan_where_only_means_are_given(mean, of_means, holds):
    """None of several queries has a hit, so that there is no query to average over."""
    judged, run = {"1": {"a": 1}, "2": {"b": 1}}, {"1": {"x": 1.0}, "2": {"y": 1.0}}
    situation = Recomputer(
        Rankings(run_from_dict(run), qrels_from_dict(judged)), parse_measure("P@5"), Conventions()
    )
    given = Evidence.of(situation, MeasureValues({}, mean, ""))
    without_hits = conventions("missing_queries=dropped-without-hits")
    assert replace(given, of_means=of_means).holds(without_hits) is holds


KEPT = Kept(__file__, TypeError, ValueError, within=(vars(evidence), {"math": math, "np": np}), show=shown)


@KEPT.each()
def test_equal_numbers_and_numbers_in_single_precision(given):
    KEPT.holds(given)


def test_a_mean_does_not_count_beside_the_values_that_it_is_made_of():
    query = Query((("a", 1),), (Line("a", 1, 1.0),))
    probe = Probe("two queries", (("1", query), ("2", query)), None)
    measure = parse_measure("P@1")

    def unmet(first: float, second: float, mean: float) -> list[int]:
        answer = MeasureValues({b"1": first, b"2": second}, mean, "metric")
        found = evidence_of([Asked(probe, answer, measure)], Conventions(), 1e-9)
        return [one.unmet(Conventions()) for one in found]

    assert unmet(0.5, 0.5, 0.5) == [2]
    assert unmet(1.0, 0.5, 0.75) == [1]
    assert unmet(1.0, 1.0, 0.5) == [1]
    assert unmet(1.0, 1.0, 1.0) == [0]
