"""Claims about crosscheck.statistics.paired: each test against scipy, the literature and bad input."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crosscheck.errors import ArgumentError, UsageError
from crosscheck.statistics.paired import (
    PairedTest,
    confidence_interval,
    effect_size,
    holm,
    randomisation_test,
    randomisation_tests,
    sign_test,
    t_test,
    units,
    wilcoxon_test,
)

stats = pytest.importorskip("scipy.stats", reason="scipy is not installed")

TESTS: tuple[Callable[[list[float]], PairedTest], ...] = (
    sign_test,
    wilcoxon_test,
    t_test,
    randomisation_test,
)

#: Darwin's maize: height of the crossed plant minus that of the self-fertilised one, in eighths of an inch.
DARWIN = [49.0, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48]

#: Effectiveness of B minus that of A on ten queries: Croft, Metzler and Strohman, "Search Engines:
#: Information Retrieval in Practice" (2010), section 8.6.1.
CROFT = [
    b - a
    for a, b in zip(
        [25, 43, 39, 75, 43, 15, 20, 52, 49, 50], [35, 84, 15, 75, 68, 85, 80, 50, 58, 75], strict=True
    )
]


def random_differences(seed: int, n: int) -> list[float]:
    return [float(x) for x in np.random.default_rng(seed).normal(0.02, 0.1, n)]


def close(value: float | None, expected: float) -> bool:
    return value is not None and math.isclose(value, expected, rel_tol=1e-12, abs_tol=1e-12)


@pytest.mark.parametrize("n", [2, 5, 20, 50, 51, 200])
def test_agree_with_scipy_on_random_data(n: int) -> None:
    """Statistic and p-value of every test equal scipy's to 1e-12, for small and large samples."""
    for seed in range(5):
        d = random_differences(seed, n)
        sign = sign_test(d)
        better = sum(x > 0 for x in d)
        assert sign.statistic == better
        assert close(sign.p, stats.binomtest(better, n, 0.5).pvalue)
        ranks, expected = wilcoxon_test(d), stats.wilcoxon(d)
        assert close(ranks.statistic, expected.statistic)
        assert close(ranks.p, expected.pvalue)
        t, expected = t_test(d), stats.ttest_rel([0.5 + x for x in d], [0.5] * n)
        assert t.statistic is not None
        assert math.isclose(t.statistic, expected.statistic, rel_tol=1e-9)
        assert close(t.statistic, stats.ttest_1samp(d, 0).statistic)
        assert close(t.p, stats.ttest_1samp(d, 0).pvalue)
        shuffled = randomisation_test(d, resamples=999, seed=seed)
        expected = stats.permutation_test(
            (d,), np.sum, permutation_type="samples", n_resamples=999, rng=seed, vectorized=True
        )
        assert close(shuffled.p, expected.pvalue)


@pytest.mark.parametrize("n", [6, 13, 14, 60])
def test_ties_and_zeros_agree_with_scipy(n: int) -> None:
    """With tied and zero differences Wilcoxon's p-value is scipy's over the differences that are not 0."""
    for seed in range(3):
        d = [float(x) for x in np.random.default_rng(seed).integers(-3, 5, n)]
        changed = [x for x in d if x]
        found, expected = wilcoxon_test(d), stats.wilcoxon(changed)
        assert found.queries == len(changed)
        assert close(found.statistic, expected.statistic)
        assert close(found.p, expected.pvalue)


def test_the_method_is_named_as_it_is() -> None:
    """Exact up to 50 untied or 13 tied differences, then the normal approximation."""
    assert wilcoxon_test(random_differences(0, 50)).method.startswith("exact")
    assert wilcoxon_test(random_differences(0, 51)).method.startswith("normal")
    assert wilcoxon_test([1.0, *map(float, range(1, 13))]).method.startswith("exact")
    assert wilcoxon_test([1.0, *map(float, range(1, 14))]).method.startswith("normal")
    assert randomisation_test(random_differences(0, 13)).method.startswith("exact")
    assert randomisation_test(random_differences(0, 14), seed=7).method.endswith("seed 7")


def test_sign_test_of_the_literature() -> None:
    """Seven plus signs of ten are no evidence even at 0.1: Tague, "The pragmatics of information retrieval
    experimentation", in Information Retrieval Experiment (1981), page 96."""
    differences = [0.11, 0.01, 0.01, -0.02, 0.02, 0.47, 0.11, -0.01, 0.01, -0.07]
    found = sign_test(differences)
    assert found.statistic == 7
    assert close(found.p, 2 * (120 + 45 + 10 + 1) / 1024)


def test_t_test_of_the_literature() -> None:
    """Croft, Metzler and Strohman (2010), section 8.6.1, print t = 2.33 and a one-sided p of 0.02."""
    found = t_test([float(d) for d in CROFT])
    assert found.statistic is not None
    assert found.p is not None
    assert f"{found.statistic:.2f}" == "2.33"
    assert f"{found.p / 2:.2f}" == "0.02"


def test_wilcoxon_of_the_literature() -> None:
    """Wilcoxon (Biometrics Bulletin 1, 1945) on Darwin's maize: the negative ranks sum to 24. Croft, Metzler
    and Strohman (2010): w = 35, the difference of the two rank sums 40 and 5."""
    found = wilcoxon_test(DARWIN)
    assert found.statistic == 24
    assert close(found.p, 0.041259765625)
    found = wilcoxon_test([float(d) for d in CROFT])
    assert (found.statistic, found.queries) == (5, 9)


def test_randomisation_test_of_the_literature() -> None:
    """Fisher, The Design of Experiments (1935), section 21: of the 32,768 sign changes of Darwin's fifteen
    differences 1,726 have a sum at least as far from 0, 5.267 per cent."""
    found = randomisation_test(DARWIN, resamples=2**15)
    assert found.method.startswith("exact")
    assert found.p == 1726 / 32768


def test_sampled_randomisation_is_near_the_exact_one_and_repeatable() -> None:
    """A sampled p-value lies within five standard errors of the exact one and depends on the seed only."""
    first = randomisation_test(DARWIN, seed=1)
    assert first.p is not None
    assert abs(first.p - 1726 / 32768) < 5 * math.sqrt(0.053 * 0.947 / 9_999)
    assert first == randomisation_test(DARWIN, seed=1)


def test_systems_that_are_tested_together_have_the_p_values_of_each_alone() -> None:
    """To the bit, whatever they share: all sign changes or samples, and sums that are no exact doubles."""
    systems = [random_differences(seed, n) for seed in range(3) for n in (2, 5, 13, 40)]
    for seed in range(3):  # sums of many signs are near 0, and depend on the order in which they are added
        drawn = np.random.default_rng(seed).choice([-3, -2, -1, 1, 2, 3], 40)
        systems.append([float(x) * 1e7 / 3 for x in drawn])
    together = randomisation_tests([[0.5], *systems], resamples=999)
    assert together[1:] == [randomisation_test(d, resamples=999) for d in systems]
    assert together[0].p is None
    for d, found in zip(systems, together[1:], strict=True):
        expected = stats.permutation_test(
            (units(d),), np.sum, permutation_type="samples", n_resamples=999, rng=0, vectorized=True
        )
        assert found.p == expected.pvalue


def test_differences_that_doubles_tell_apart_are_still_ties() -> None:
    """0.3 - 0.2 and 0.2 - 0.1 are tied, and 0.1 + 0.2 - 0.3 is a zero difference."""
    d = [0.3 - 0.2, 0.2 - 0.1, -(0.2 - 0.1), 0.1 + 0.2 - 0.3]
    found = wilcoxon_test(d)
    assert (found.queries, found.statistic) == (3, 2.0)
    assert sign_test(d).queries == 3


def test_a_single_difference_proves_nothing() -> None:
    """Where all queries but one are equal, both signs of that one are as far from 0."""
    found = randomisation_test([0.0, 0.25, 0.0])
    assert found.p == 1.0
    assert found.method.startswith("exact")


def test_zero_differences_do_not_alter_the_randomisation_test() -> None:
    """A zero has no sign to change: with and without it the p-value is the same."""
    d = random_differences(3, 9)
    assert randomisation_test(d).p == randomisation_test([*d, 0.0, 0.0]).p


@pytest.mark.parametrize("test", TESTS)
def test_bad_input_is_a_sentence_not_a_number(test: Callable[[list[float]], PairedTest]) -> None:
    """No query, one query, all differences zero: statistic and p are None and a note says why."""
    for differences, words in (
        ([], "no query in common"),
        ([0.1], "one query only"),
        ([0.0, 0.0, 1e-15], "same value on all 3 queries"),
    ):
        found = test(differences)
        assert (found.statistic, found.p) == (None, None)
        assert found.note is not None
        assert words in found.note


def test_a_constant_difference_has_no_t() -> None:
    """The same difference everywhere: t is refused with a reason, the other tests are made."""
    d = [0.3 - 0.2, 0.2 - 0.1, 0.1]
    found = t_test(d)
    assert found.p is None
    assert found.note is not None
    assert "without variance" in found.note
    assert sign_test(d).p == 0.25
    assert effect_size(d) is None
    assert confidence_interval(d) is None


@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_a_difference_that_is_no_number_is_refused(value: float) -> None:
    """NaN and infinity belong to no test, and the message says which difference it is."""
    with pytest.raises(ArgumentError, match="difference 2"):
        sign_test([0.1, value])


def test_effect_size_and_interval_agree_with_scipy() -> None:
    """Cohen's d is mean over standard deviation, the interval is scipy's, at any confidence."""
    for seed in range(5):
        d = random_differences(seed, 30)
        assert close(effect_size(d), float(np.mean(d) / np.std(d, ddof=1)))
        for confidence in (0.9, 0.95, 0.99):
            expected = stats.ttest_1samp(d, 0).confidence_interval(confidence)
            found = confidence_interval(d, confidence)
            assert found is not None
            assert close(found[0], expected.low)
            assert close(found[1], expected.high)


@pytest.mark.parametrize("confidence", [0.0, 1.0, 95.0])
def test_a_confidence_outside_0_and_1_is_refused(confidence: float) -> None:
    """95 is not 0.95."""
    with pytest.raises(UsageError, match="between 0 and 1"):
        confidence_interval([0.1, 0.2], confidence)


def test_holm_on_a_worked_example() -> None:
    """Four p-values: times 4, 3, 2, 1 in rising order, never falling, in the original order."""
    found = holm([0.01, 0.04, 0.03, 0.005])
    assert found == pytest.approx([0.03, 0.06, 0.06, 0.02], abs=1e-15)


def test_holm_leaves_out_what_was_not_tested() -> None:
    """A comparison without p-value stays without one and is not counted."""
    assert holm([0.02, None, 0.04]) == [0.04, None, 0.04]
    assert holm([]) == []


@given(st.lists(st.floats(0, 1), max_size=20))
def test_holm_keeps_the_order_and_never_exceeds_bonferroni(p_values: list[float]) -> None:
    """Corrected values are at least the p-values, at most n times them or 1, and keep their order."""
    corrected = [p for p in holm(list(p_values)) if p is not None]
    for p, c in zip(p_values, corrected, strict=True):
        assert p <= c <= min(1.0, len(p_values) * p)
    order = sorted(range(len(p_values)), key=p_values.__getitem__)
    assert [corrected[i] for i in order] == sorted(corrected)
