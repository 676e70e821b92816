"""Claims about crosscheck.statistics.rank_correlation: tau, tau_AP, their ties, and swaps."""

from __future__ import annotations

import math
from itertools import pairwise, permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crosscheck.errors import ArgumentError
from crosscheck.statistics.rank_correlation import TieForm, kendall_tau, swaps, tau_ap

#: The example of the R package ircor (1.0), which accompanies Urbano and Marrero, "The Treatment of Ties in
#: AP Correlation", ICTIR 2017; it prints seven decimals.
X = [0.06, 0.2, 0.27, 0.37, 0.57, 0.63, 0.66, 0.9, 0.91, 0.94]
Y = [0.37, 0.06, 0.2, 0.27, 0.57, 0.66, 0.63, 0.91, 0.9, 0.94]
X_TIED = [0.0, 0.2, 0.2, 0.4, 0.6, 0.6, 0.6, 0.8, 1.0, 1.0]
Y_TIED = [0.4, 0.0, 0.2, 0.2, 0.6, 0.6, 0.6, 1.0, 0.8, 1.0]

few_levels = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=2, max_size=8)


@pytest.mark.parametrize(
    ("found", "printed"),
    [
        (kendall_tau(X, Y, ties="none"), "0.7777778"),
        (kendall_tau(X, Y_TIED, ties="a"), "0.7111111"),
        (kendall_tau(X_TIED, Y_TIED, ties="b"), "0.7500000"),
        (tau_ap(X, Y, ties="none"), "0.7491182"),
        (tau_ap(X, Y_TIED, ties="a"), "0.6074515"),
        (tau_ap(X_TIED, Y_TIED, ties="b"), "0.6269841"),
    ],
)
def test_values_of_the_literature(found: object, printed: str) -> None:
    """All six coefficients come out as Urbano and Marrero's own package prints them."""
    assert f"{getattr(found, 'value'):.7f}" == printed  # noqa: B009


def test_kendall_agrees_with_scipy_on_random_data() -> None:
    """tau_b equals scipy's to 1e-12, with and without ties."""
    stats = pytest.importorskip("scipy.stats", reason="scipy is not installed")
    for seed in range(20):
        random = np.random.default_rng(seed)
        for first, second in (random.random((2, 30)), random.integers(0, 6, (2, 30))):
            found = kendall_tau(first.tolist(), second.tolist())
            assert found.value is not None
            assert math.isclose(found.value, stats.kendalltau(first, second).statistic, abs_tol=1e-12)


def test_tau_ap_by_its_definition() -> None:
    """Without ties tau_AP is the definition of Yilmaz et al., read off the two rank lists."""
    for seed in range(20):
        random = np.random.default_rng(seed)
        truth, guess = random.permutation(12).tolist(), random.permutation(12).tolist()
        ranked = sorted(range(12), key=lambda i: -guess[i])
        right = [
            sum(truth[above] > truth[item] for above in ranked[:place]) / place
            for place, item in enumerate(ranked)
            if place
        ]
        found = tau_ap(truth, guess, ties="none")
        assert found.value == pytest.approx(2 * sum(right) / 11 - 1, abs=1e-12)
        assert found.value == pytest.approx(tau_ap(truth, guess, ties="a").value, abs=1e-12)


@given(st.lists(st.integers(0, 2), min_size=2, max_size=6))
def test_tau_ap_a_is_the_mean_over_all_orders_of_the_tied(guess: list[int]) -> None:
    """tau_AP,a is the mean of tau_AP over every way to break the ties of the estimate."""
    truth = list(range(len(guess)))
    values = []
    for order in permutations(truth):
        if all(guess[a] >= guess[b] for a, b in pairwise(order)):
            broken = [0.0] * len(guess)
            for place, item in enumerate(order):
                broken[item] = -float(place)
            values.append(tau_ap(truth, broken, ties="none").value or 0.0)
    found = tau_ap(truth, guess, ties="a").value
    assert found == pytest.approx(sum(values) / len(values), abs=1e-12)


@given(few_levels)
def test_coefficients_stay_between_minus_one_and_one(pairs: list[tuple[int, int]]) -> None:
    """With any ties, each form is in [-1, 1] or None with a reason."""
    first, second = [float(x) for x, _ in pairs], [float(y) for _, y in pairs]
    forms: tuple[TieForm, ...] = ("none", "a", "b")
    for form in forms:
        for found in (kendall_tau(first, second, ties=form), tau_ap(first, second, ties=form)):
            assert (found.value is None) == (found.note is not None)
            assert found.value is None or -1 - 1e-12 <= found.value <= 1 + 1e-12


@given(few_levels)
def test_form_b_does_not_mind_the_sides(pairs: list[tuple[int, int]]) -> None:
    """Exchanging the two rankings leaves tau_b and tau_AP,b as they are."""
    first, second = [float(x) for x, _ in pairs], [float(y) for _, y in pairs]
    assert kendall_tau(first, second).value == kendall_tau(second, first).value
    assert tau_ap(first, second, ties="b").value == tau_ap(second, first, ties="b").value


def test_tau_ap_weighs_the_top_more() -> None:
    """Swapping the two best systems costs tau_AP more than swapping the two worst; tau does not care."""
    truth = [5.0, 4.0, 3.0, 2.0, 1.0]
    top, bottom = [4.0, 5.0, 3.0, 2.0, 1.0], [5.0, 4.0, 3.0, 1.0, 2.0]
    assert kendall_tau(truth, top).value == kendall_tau(truth, bottom).value == 0.8
    high, low = tau_ap(truth, top).value, tau_ap(truth, bottom).value
    assert high is not None
    assert low is not None
    assert high < low < 1.0


def test_same_and_reverse_rankings_are_one_and_minus_one() -> None:
    """The extremes are exact."""
    up, down = [1.0, 2.0, 3.0, 4.0], [4.0, 3.0, 2.0, 1.0]
    assert kendall_tau(up, up).value == tau_ap(up, up).value == 1.0
    assert kendall_tau(up, down).value == tau_ap(up, down).value == -1.0


def test_what_is_undefined_is_none_with_a_reason() -> None:
    """One system, ties where the form forbids them, everything tied: a sentence each."""
    for found, words in (
        (kendall_tau([1.0], [1.0]), "at least two systems"),
        (tau_ap([], []), "at least two systems"),
        (tau_ap([1.0, 1.0, 2.0], [1.0, 2.0, 3.0]), "reference has tied"),
        (tau_ap([1.0, 2.0, 3.0], [1.0, 1.0, 2.0], ties="none"), "estimate has tied"),
        (kendall_tau([1.0, 1.0], [1.0, 2.0]), "ties all systems"),
        (tau_ap([1.0, 1.0], [1.0, 2.0], ties="b"), "ties all systems"),
    ):
        assert found.value is None
        assert found.note is not None
        assert words in found.note


def test_ties_are_counted() -> None:
    """The record says how many pairs either side leaves tied."""
    found = kendall_tau([1.0, 1.0, 1.0, 2.0], [1.0, 1.0, 2.0, 3.0])
    assert (found.ties_first, found.ties_second, found.items) == (3, 1, 4)


def test_bad_arguments_are_refused() -> None:
    """Different lengths, NaN and an unknown form raise."""
    with pytest.raises(ArgumentError, match="2 systems are ranked against 1"):
        kendall_tau([1.0, 2.0], [1.0])
    with pytest.raises(ArgumentError, match="NaN"):
        tau_ap([1.0, math.nan], [1.0, 2.0])
    with pytest.raises(ArgumentError, match="'c'"):
        kendall_tau([1.0], [1.0], ties="c")  # type: ignore[arg-type]


def test_swaps_name_the_pairs_that_change_order() -> None:
    """A pair that turns round or becomes tied is a swap; one that was tied before is not."""
    first = {"a": 0.5, "b": 0.4, "c": 0.3, "d": 0.3}
    second = {"a": 0.2, "b": 0.4, "c": 0.2, "d": 0.1, "only here": 1.0}
    found = [(swap.better, swap.worse) for swap in swaps(first, second)]
    assert found == [("a", "c"), ("a", "b")]
    (became_tied, turned) = swaps(first, second)
    assert became_tied.trail == 0.0
    assert turned.lead == pytest.approx(0.1)
    assert turned.trail == pytest.approx(0.2)


def test_no_swaps_where_nothing_changes() -> None:
    """Moving means without changing their order swaps nothing."""
    assert swaps({"a": 0.5, "b": 0.4}, {"a": 0.9, "b": 0.1}) == ()
