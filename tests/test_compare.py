"""The differ: match, mismatch, missing, means, rounding and ULP."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crosscheck.compare import Differences, differ, ulp_distance
from crosscheck.model import MeasureValues


def values(
    by_query: dict[str, float], mean: float | None = None, decimals: int | None = None
) -> MeasureValues:
    return MeasureValues({q.encode(): v for q, v in by_query.items()}, mean, "test", decimals)


def outcomes(differences: Differences) -> dict[str, str]:
    kinds = np.where(differences.match, "match", np.where(differences.mismatch, "mismatch", "missing"))
    return dict(zip([t.decode() for t in differences.topics], kinds.tolist(), strict=True))


def test_absence_nan_and_zero_are_three_things() -> None:
    """An absent value matches nothing, NaN matches NaN only, 0.0 matches 0.0."""
    ours = values({"absent": 0.0, "nan": math.nan, "nan-zero": math.nan, "zero": 0.0})
    theirs = values({"nan": math.nan, "nan-zero": 0.0, "zero": -0.0, "extra": 1.0})
    assert outcomes(differ(ours, theirs)) == {
        "absent": "missing",
        "extra": "missing",
        "nan": "match",
        "nan-zero": "mismatch",
        "zero": "match",
    }


@pytest.mark.parametrize(("tolerance", "agrees"), [(0.0, False), (1e-17, False), (1e-15, True)])
def test_the_tolerance_is_absolute(tolerance: float, agrees: bool) -> None:
    """A tolerance of 0 asks for the same bits."""
    ours, theirs = values({"1": 0.3}), values({"1": 0.1 + 0.2})
    differences = differ(ours, theirs, tolerance=tolerance)
    assert differences.match.tolist() == [agrees]
    assert differences.ulp.tolist() == [1]


def test_printed_values_are_compared_as_printed() -> None:
    """Against a candidate with four decimals the reference is rounded; its mean as well."""
    ours = values({"1": 1 / 3, "2": 2 / 3}, mean=0.5)
    assert differ(ours, values({"1": 0.3333, "2": 0.6667}, mean=0.5, decimals=4)).agree
    assert not differ(ours, values({"1": 0.3334, "2": 0.6667}, mean=0.5, decimals=4)).agree
    assert not differ(ours, values({"1": 0.3333, "2": 0.6667})).agree


@pytest.mark.parametrize(
    ("value", "agrees"),
    [
        *(
            (0.49925, True),
            (0.49935, True),
            (math.nextafter(0.49925, 0), True),
            (math.nextafter(0.49935, 1), True),
        ),
        *(
            (0.4993, True),
            (0.49924, False),
            (0.49936, False),
            (0.4992, False),
            (0.4994, False),
            (math.nan, False),
        ),
    ],
)
@pytest.mark.parametrize("tolerance", [0.0, 1e-9])
def test_what_rounds_to_a_printed_number_agrees(value: float, agrees: bool, tolerance: float) -> None:
    """Exactly between two printed numbers both do, whether a tool rounds up, to even or as the bits are."""
    exact, printed = values({"1": value}), values({"1": 0.4993}, decimals=4)
    assert differ(exact, printed, tolerance=tolerance).match.tolist() == [agrees]
    assert differ(printed, exact, tolerance=tolerance).match.tolist() == [agrees]
    assert differ(values({}, value), values({}, 0.4993, 4), tolerance=tolerance).agree == agrees


def test_two_printed_numbers_agree_in_the_digits_that_both_have() -> None:
    """The value 0.49951 is printed as 0.4995 and as 0.500."""
    four, three = values({"1": 0.4995}, decimals=4), values({"1": 0.5}, decimals=3)
    assert differ(four, three).agree
    assert differ(three, four).agree
    assert not differ(values({"1": 0.4994}, decimals=4), three).agree
    assert not differ(four, values({"1": 0.4996}, decimals=4)).agree


@given(st.lists(st.floats(0, 1), min_size=1, max_size=9), st.integers(2, 6), st.booleans())
def test_a_summary_agrees_with_the_values_that_it_sums_up(
    exact: list[float], decimals: int, swapped: bool
) -> None:
    """Each printed, and the values without a mean of their own: the rounding of every value is allowed for;
    another mean is not."""
    mean = math.fsum(exact) / len(exact)
    rows = values({str(i): round(value, decimals) for i, value in enumerate(exact)}, decimals=decimals)
    for wrong in (0, 2):
        summary = values({}, round(mean, decimals) + wrong * 10**-decimals, decimals)
        sides = (rows, summary) if swapped else (summary, rows)
        assert differ(*sides).agree == (not wrong)


def test_means_are_compared_even_where_every_query_agrees() -> None:
    """A mean over another number of queries is a difference of its own."""
    differences = differ(values({"1": 1.0, "2": 0.0}), values({"1": 1.0, "2": 0.0}, mean=1.0))
    assert differences.match.all()
    assert not differences.mean_match
    assert (differences.reference_mean, differences.candidate_mean) == (0.5, 1.0)


def test_a_candidate_with_nothing_but_a_mean_is_compared_by_it() -> None:
    """No query counts as missing then."""
    differences = differ(values({"1": 1.0, "2": 0.0}), values({}, mean=0.5))
    assert (differences.topics, differences.agree) == ((), True)
    assert not differ(values({"1": 1.0}), values({}, mean=0.5)).agree


def test_counts_are_summed() -> None:
    """trec_eval's summary of a count is the sum over queries."""
    ours, theirs = values({"1": 2.0, "2": 3.0}), values({"1": 2.0, "2": 3.0}, mean=5.0)
    assert differ(ours, theirs, aggregate="sum").agree


def test_a_geometric_mean_is_made_of_logarithms() -> None:
    """Where values are logarithms, a side without a mean of its own has the exponential of their mean; a
    value that no logarithm can be makes it infinite, not an error."""
    logs = {"1": math.log(0.25), "2": math.log(1.0)}
    differences = differ(values(logs), values(logs, mean=0.5), aggregate="geometric")
    assert differences.agree
    assert differences.reference_mean == 0.5
    assert differ(values({"1": 1e6}), values({}, mean=math.inf), aggregate="geometric").agree


@given(st.floats(allow_nan=False, allow_infinity=False), st.integers(0, 50))
def test_ulp_counts_the_doubles_in_between(start: float, steps: int) -> None:
    """k steps of nextafter are k ULP, across zero too."""
    end = start
    for _ in range(steps):
        end = math.nextafter(end, math.inf)
    if math.isfinite(end):
        assert ulp_distance(np.array([start]), np.array([end])).tolist() == [steps]
        assert ulp_distance(np.array([end]), np.array([start])).tolist() == [steps]


def test_ulp_of_nan_and_of_extremes() -> None:
    """NaN has no distance; the widest ones do not overflow."""
    a, b = np.array([math.nan, -1e308, 0.0]), np.array([1.0, 1e308, -0.0])
    distance = ulp_distance(a, b).tolist()
    assert distance[0] == -1
    assert distance[1] > 2**60
    assert distance[2] == 0
