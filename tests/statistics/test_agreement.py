"""Kendall's tau, tau_AP and their ties, swaps, and Cohen's kappa."""

from collections.abc import Sequence
from itertools import pairwise, permutations
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crosscheck.statistics import agreement
from crosscheck.statistics.agreement import Kappa, Weights, confusion, kappa_of, tau_ap
from tests.support.kept import examples


@given(st.lists(st.integers(0, 2), min_size=2, max_size=6))
def test_tau_ap_is_its_definition_and_averages_over_the_orders_of_the_tied(guess):
    """Without ties the definition of Yilmaz et al., read off the two rank lists; with ties the form a is its
    mean over every way to break those of the estimate."""
    truth, values = list(range(len(guess))), []
    for order in permutations(truth):
        if all(guess[a] >= guess[b] for a, b in pairwise(order)):
            right = [sum(above > item for above in order[:i]) / i for i, item in enumerate(order) if i]
            values.append(2 * sum(right) / (len(order) - 1) - 1)
            broken = [-float(order.index(item)) for item in truth]
            assert tau_ap(truth, broken).value == pytest.approx(values[-1], abs=1e-12)
    assert tau_ap(truth, guess).value == pytest.approx(sum(values) / len(values), abs=1e-12)


WEIGHTS: tuple[Weights, ...] = ("none", "linear", "quadratic")


def kappa(one: Sequence[int], other: Sequence[int], weights: Weights = "none", levels: Any = None) -> Kappa:
    """Cohen's kappa of two assessors, on the levels that occur unless a scale is given."""
    scale = sorted({*one, *other} if levels is None else levels)
    return kappa_of(confusion(one, other, scale), weights)


@pytest.mark.parametrize("weights", WEIGHTS)
def test_agrees_with_scikit_learn(weights):
    """For two to five levels, also where levels are missing: distances are places on the scale, and
    (P(A) - P(E)) / (1 - P(E)) of the record gives its value."""
    metrics = pytest.importorskip("sklearn.metrics", reason="scikit-learn is not installed")
    theirs = None if weights == "none" else weights
    for seed in range(40):
        random, scale = np.random.default_rng(seed), [0, 1, 4, 5, 7][: 2 + seed % 4]
        first = random.choice(scale, 60)
        second = np.where(random.random(60) < 0.6, first, random.choice(scale, 60))
        for levels in (None, range(8)):
            found = kappa(first.tolist(), second.tolist(), weights=weights, levels=levels)
            labels = None if levels is None else list(levels)
            expected = metrics.cohen_kappa_score(first, second, weights=theirs, labels=labels)
            assert found.value == pytest.approx(expected, abs=1e-12)
            assert found.observed is not None
            assert found.expected is not None
            ratio = (found.observed - found.expected) / (1 - found.expected)
            assert ratio == pytest.approx(found.value, abs=1e-12)


test_values_of_the_literature_words_and_what_is_undefined = examples(globals(), None, agreement)
