"""Paired tests, alone and between named systems: against scipy, the literature and bad input."""

import subprocess
import sys
from collections.abc import Iterable
from typing import Any

import numpy as np
import pytest

from crosscheck.statistics import impact, paired
from crosscheck.statistics.paired import TESTS, Pair, compare_all, paired_tests, randomisation_tests, units
from tests.support.kept import examples

stats = pytest.importorskip("scipy.stats", reason="scipy is not installed")


def drawn(seed: int, n: int) -> list[float]:
    return [float(x) for x in np.random.default_rng(seed).normal(0.02, 0.1, n)]


def values(seed: int, n: int = 25) -> dict[bytes, float]:
    return {b"%d" % i: float(v) for i, v in enumerate(np.random.default_rng(seed).random(n))}


def mixed(seed: int, more: float) -> dict[bytes, float]:
    """Values that are mostly those of seed 0, and higher."""
    return {query: 0.8 * value + 0.2 * values(seed)[query] + more for query, value in values(0).items()}


def close(expected: Any) -> Any:
    return pytest.approx(expected, rel=1e-12, abs=1e-12)


def shuffled(d: list[float], seed: int, resamples: int = 999) -> float:
    found = stats.permutation_test(
        (d,), np.sum, permutation_type="samples", n_resamples=resamples, rng=seed, vectorized=True
    )
    return float(found.pvalue)


@pytest.mark.parametrize(
    ("tied", "n", "seeds"),
    [
        *((False, n, 5) for n in (2, 5, 20, 50, 51, 200)),
        *((True, 6, 3), (True, 13, 1), (True, 14, 1), (True, 60, 3)),  # scipy tries all signs of 13 and of 14
    ],
)
def test_statistics_and_p_values_are_those_of_scipy(tied, n, seeds):
    """Of small and large samples, without the differences that are 0, and tied ranks averaged; so are effect
    size and interval."""
    for seed in range(seeds):
        whole = [float(x) for x in np.random.default_rng(seed).integers(-3, 5, n)]
        d = whole if tied else drawn(seed, n)
        changed = [x for x in d if x]
        ranks, student = stats.wilcoxon(changed), stats.ttest_1samp(d, 0)
        better = sum(x > 0 for x in d)
        expected = {
            "sign": (better, stats.binomtest(better, len(changed), 0.5).pvalue, len(changed)),
            "wilcoxon": (ranks.statistic, ranks.pvalue, len(changed)),
            "t": (student.statistic, student.pvalue, n),
        }
        for name, (statistic, p, queries) in expected.items():
            found = TESTS[name](d)  # type: ignore[index]
            assert (found.statistic, found.p, found.queries) == (close(statistic), close(p), queries), name
        assert paired.randomisation_test(changed, resamples=999, seed=seed).p == close(
            shuffled(changed, seed)
        )
        assert paired.effect_size(d) == close(float(np.mean(d) / np.std(d, ddof=1)))
        for confidence in (0.9, 0.99):
            interval = student.confidence_interval(confidence)
            assert paired.confidence_interval(d, confidence) == close((interval.low, interval.high))


def test_systems_that_are_tested_together_have_the_p_values_of_each_alone():
    """To the bit, whatever they share: all sign changes or samples, and sums that are no exact doubles."""
    systems = [drawn(seed, n) for seed in range(3) for n in (2, 5, 13, 40)] + [drawn(0, 9), drawn(1, 9)]
    for seed in range(3):  # sums of many signs are near 0, and depend on the order in which they are added
        signs = np.random.default_rng(seed).choice([-3, -2, -1, 1, 2, 3], 40)
        systems.append([float(x) * 1e7 / 3 for x in signs])
    together = randomisation_tests([[0.5], *systems], resamples=999)
    assert together[1:] == [paired.randomisation_test(d, resamples=999) for d in systems]
    assert [found.p for found in together] == [None, *(shuffled(units(d), 0) for d in systems)]


def number(value: float | None) -> str:
    return "none" if value is None else f"{value:.9g}"


def told(pairs: Iterable[Pair]) -> list[str]:
    """Of each pair its counts, mean difference and effect size; of each test the statistic and the p-value,
    before and after correction; and notes."""
    lines = []
    for c in pairs:
        counts = f"{c.queries} queries, {c.better} better, {c.worse} worse, {c.equal} equal"
        effect = f"difference {number(c.difference)}, effect size {number(c.effect_size)}"
        lines.append(f"{c.a} and {c.b}: {counts}; {effect}; significant: {c.significant}")
        lines += [f"  {t.name} {number(t.statistic)}, p {number(t.p)}, {number(t.p_holm)}" for t in c.tests]
        lines += [f"  note: {note}" for note in c.notes]
    return lines


test_methods_corrections_and_what_is_refused = examples(globals(), None, impact, paired)


@pytest.mark.parametrize(("number", "changes"), [(1, 9_999), (24, 9_999), (25, 10_000), (300, 120_000)])
def test_many_randomisation_tests_can_be_significant_together(number, changes):
    """The lowest p-value, times the number of tests, is 0.005 at most."""
    better = [1 + n / 64 for n in range(20)]
    lowest = 2 / (changes + 1)
    assert {test.p for test in paired_tests("randomisation", [better] * number)} == {lowest}
    assert number * lowest <= 0.005


def test_a_difference_is_significant_if_the_p_value_of_its_test_is_below_alpha():
    """The corrected one of the test that is named; not at alpha itself."""
    systems = {"a": values(0), "b": mixed(1, 0.1), "c": mixed(2, 0.04)}
    for i, test in enumerate(TESTS):
        p = compare_all(systems)[0].tests[i].p_holm
        assert p is not None
        assert compare_all(systems, test=test, alpha=p)[0].significant is False
        assert compare_all(systems, test=test, alpha=p + 1e-9)[0].significant is True


def test_scipy_is_imported_when_it_is_needed_and_named_where_it_is_missing():
    """Importing the module leaves scipy alone; a test without it says what to install."""
    code = (
        "import sys, crosscheck.statistics.paired as paired\n"
        "assert 'scipy' not in sys.modules\n"
        "sys.modules['scipy'] = sys.modules['scipy.stats'] = None\n"
        "try: paired.sign_test([0.1, 0.2])\n"
        "except paired.UsageError as error: print(error)"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert "pip install scipy" in done.stdout
