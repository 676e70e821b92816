"""The differ: match, mismatch, missing, means, rounding and ULP."""

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from crosscheck.compare import differ, ulp_distance
from crosscheck.model import MeasureValues
from tests.support.kept import Kept


def values(by_query, mean=None, decimals=None):
    return MeasureValues({q.encode(): v for q, v in by_query.items()}, mean, "test", decimals)


def agree(ours, theirs, aggregate="mean", tolerance=0.0):
    """Whether they do, either way; which queries match, differ and are missing; and the means of both."""
    sides = ((ours, theirs), (theirs, ours))
    found, other = (differ(*both, aggregate=aggregate, tolerance=tolerance) for both in sides)
    assert found.match.tolist() == other.match.tolist()
    assert found.agree == other.agree or ours.mean is None or theirs.mean is None
    masks = {"match": found.match, "differ": found.mismatch, "missing": found.missing}
    held = {
        name: [topic.decode() for topic, true in zip(found.topics, mask, strict=True) if true]
        for name, mask in masks.items()
    }
    lists = "".join(f", {name} {' '.join(topics)}" for name, topics in held.items() if topics)
    means = f"{found.reference_mean:.12g} and {found.candidate_mean:.12g}"
    word = ("differ", "agree")
    alone = " (one of them alone)" * found.mean_alone
    return f"{word[found.agree]}{lists}; means {means} {word[found.mean_match]}{alone}"


EXAMPLES = Kept(__file__, values=values, agree=agree)
test_examples = EXAMPLES.test()


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
    """k steps of nextafter are k ULP, across zero too."""
    end = start
    for _ in range(steps):
        end = math.nextafter(end, math.inf)
    if math.isfinite(end):
        assert ulp_distance(np.array([start]), np.array([end])).tolist() == [steps]
        assert ulp_distance(np.array([end]), np.array([start])).tolist() == [steps]
