"""The differ: match, mismatch, missing, means, rounding and ULP."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crosscheck.compare import differ, ulp_distance
from crosscheck.model import MeasureValues
from tests.support.kept import Kept


def values(by_query, mean=None, decimals=None):
    return MeasureValues({q.encode(): v for q, v in by_query.items()}, mean, "test", decimals)


def agree(ours, theirs, aggregate="mean"):
    """Whether they do, either way; which queries match, differ and are missing; and the means of both."""
    found, other = differ(ours, theirs, aggregate=aggregate), differ(theirs, ours, aggregate=aggregate)
    assert (found.agree, found.match.tolist()) == (other.agree, other.match.tolist())
    masks = {"match": found.match, "differ": found.mismatch, "missing": found.missing}
    held = {
        name: [topic.decode() for topic, true in zip(found.topics, mask, strict=True) if true]
        for name, mask in masks.items()
    }
    lists = "".join(f", {name} {' '.join(topics)}" for name, topics in held.items() if topics)
    means = f"{found.reference_mean:.12g} and {found.candidate_mean:.12g}"
    word = ("differ", "agree")
    return f"{word[found.agree]}{lists}; means {means} {word[found.mean_match]}"


EXAMPLES = Kept(__file__, values=values, agree=agree, math=math)
test_examples = EXAMPLES.test()


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
