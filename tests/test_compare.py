"""The differ: match, mismatch, missing, means, rounding and ULP."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crosscheck.compare import differ, ulp_distance
from crosscheck.model import MeasureValues


def values(by_query, mean=None, decimals=None):
    return MeasureValues({q.encode(): v for q, v in by_query.items()}, mean, "test", decimals)


def test_absence_nan_and_zero_are_three_things():
    """An absent value matches nothing, NaN matches NaN only, 0.0 matches 0.0."""
    ours = values({"absent": 0.0, "nan": math.nan, "nan-zero": math.nan, "zero": 0.0})
    theirs = values({"nan": math.nan, "nan-zero": 0.0, "zero": -0.0, "extra": 1.0})
    found = differ(ours, theirs)
    masks = (found.match, found.mismatch, found.missing)
    held = [{topic for topic, true in zip(found.topics, mask, strict=True) if true} for mask in masks]
    assert held == [{b"nan", b"zero"}, {b"nan-zero"}, {b"absent", b"extra"}]


ONE, HALVES, LOGS = {"1": 1.0}, {"1": 1.0, "2": 0.0}, {"1": math.log(0.25), "2": math.log(1.0)}
THIRDS, PRINTED = {"1": 1 / 3, "2": 2 / 3}, {"1": 0.3333, "2": 0.6667}


@pytest.mark.parametrize(
    ("ours", "theirs", "aggregate", "agree"),
    [
        # Printed values are compared as printed, and their mean as well.
        (values(THIRDS, 0.5), values(PRINTED, 0.5, 4), "mean", True),
        (values(THIRDS, 0.5), values(PRINTED | {"1": 0.3334}, 0.5, 4), "mean", False),
        (values(THIRDS, 0.5), values(PRINTED), "mean", False),
        # Two printed numbers agree in the digits that both have: 0.49951 is 0.4995 and 0.500.
        (values({"1": 0.4995}, decimals=4), values({"1": 0.5}, decimals=3), "mean", True),
        (values({"1": 0.4994}, decimals=4), values({"1": 0.5}, decimals=3), "mean", False),
        (values({"1": 0.4995}, decimals=4), values({"1": 0.4996}, decimals=4), "mean", False),
        # A mean is compared even where every query agrees, and alone where a side has nothing else.
        (values(HALVES), values(HALVES, 0.5), "mean", True),
        (values(HALVES), values(HALVES, 1.0), "mean", False),
        (values(HALVES), values({}, 0.5), "mean", True),
        (values(ONE), values({}, 0.5), "mean", False),
        # trec_eval's summary of a count is the sum; of logarithms, the exponential of their mean.
        (values({"1": 2.0, "2": 3.0}), values({"1": 2.0, "2": 3.0}, 5.0), "sum", True),
        (values(LOGS), values(LOGS, 0.5), "geometric", True),
        (values({"1": 1e6}), values({}, math.inf), "geometric", True),
    ],
)
def test_values_and_means_agree(ours, theirs, aggregate, agree):
    """Whichever side is the reference."""
    assert differ(ours, theirs, aggregate=aggregate).agree == agree
    assert differ(theirs, ours, aggregate=aggregate).agree == agree


def test_the_means_of_both_sides_are_told():
    """Each its own, or the one over its values; a side of means alone leaves no query to be missing."""
    found = differ(values(HALVES), values(HALVES, 1.0))
    assert found.match.all()
    assert (found.reference_mean, found.candidate_mean, found.mean_match) == (0.5, 1.0, False)
    assert differ(values(LOGS), values(LOGS), aggregate="geometric").reference_mean == 0.5
    assert differ(values(HALVES), values({}, 0.5)).topics == ()


ULP = math.ulp(0.4993)
AGREEING = (0.49925, 0.49935, 0.49925 - 2 * ULP, 0.49935 + 2 * ULP, 0.4993)
NEAR = (0.49925 - 3 * ULP, 0.49935 + 3 * ULP)


@pytest.mark.parametrize("value", [*AGREEING, *NEAR, 0.49924, 0.49936, 0.4992, 0.4994, math.nan])
@pytest.mark.parametrize("tolerance", [0.0, 1e-9])
def test_what_rounds_to_a_printed_number_agrees(value, tolerance):
    """Exactly between two printed numbers both do, whether a tool rounds up, to even or as the bits are; two
    ULP are noise, and of means more."""
    exact, printed = values({"1": value}), values({"1": 0.4993}, decimals=4)
    agrees = value in AGREEING or (tolerance > 0 and value in NEAR)
    assert differ(exact, printed, tolerance=tolerance).match.tolist() == [agrees]
    assert differ(printed, exact, tolerance=tolerance).match.tolist() == [agrees]
    means = differ(values({}, value), values({}, 0.4993, 4), tolerance=tolerance)
    assert means.agree == (value in (*AGREEING, *NEAR))


@given(st.lists(st.floats(0, 1), min_size=1, max_size=9), st.integers(2, 6), st.booleans())
def test_a_summary_agrees_with_the_values_that_it_sums_up(exact, decimals, swapped):
    """Each printed, and the values without a mean of their own: the rounding of every value is allowed for;
    another mean is not."""
    mean = math.fsum(exact) / len(exact)
    rows = values({str(i): round(value, decimals) for i, value in enumerate(exact)}, decimals=decimals)
    for wrong in (0, 2):
        summary = values({}, round(mean, decimals) + wrong * 10**-decimals, decimals)
        sides = (rows, summary) if swapped else (summary, rows)
        assert differ(*sides).agree == (not wrong)


@given(st.floats(allow_nan=False, allow_infinity=False), st.integers(0, 50))
def test_ulp_counts_the_doubles_in_between(start, steps):
    """k steps of nextafter are k ULP, across zero too; NaN has no distance, the widest do not overflow."""
    end = start
    for _ in range(steps):
        end = math.nextafter(end, math.inf)
    if math.isfinite(end):
        assert ulp_distance(np.array([start]), np.array([end])).tolist() == [steps]
        assert ulp_distance(np.array([end]), np.array([start])).tolist() == [steps]
    # Distances up to 2**62 are told exactly.
    less, more = np.array([2**61 - 2**10, 2**61 + 2**10]).view(np.float64).tolist()
    one = [math.nan, 1.0, -1e308, 0.0, 0.0, -less, -more]
    two = [1.0, math.nan, 1e308, -0.0, 3.0, less, more]
    found = ulp_distance(np.array(one), np.array(two)).tolist()
    assert found == [-1, -1, 2**62, 0, np.float64(3.0).view(np.int64), 2**62 - 2**11, 2**62]
