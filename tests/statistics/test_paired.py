"""Paired tests, alone and between named systems: against scipy, the literature and bad input."""

import math
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

from crosscheck.statistics import impact, paired
from crosscheck.statistics.paired import (
    TESTS,
    Pair,
    compare_all,
    confidence_interval,
    effect_size,
    holm,
    randomisation_test,
    randomisation_tests,
    sign_test,
    units,
    wilcoxon_test,
)
from tests.support.kept import Kept, shown

stats = pytest.importorskip("scipy.stats", reason="scipy is not installed")


def drawn(seed: int, n: int) -> list[float]:
    return [float(x) for x in np.random.default_rng(seed).normal(0.02, 0.1, n)]


def values(seed: int, n: int = 25) -> dict[bytes, float]:
    return {b"%d" % i: float(v) for i, v in enumerate(np.random.default_rng(seed).random(n))}


def close(expected: Any) -> Any:
    return pytest.approx(expected, rel=1e-12, abs=1e-12)


def shuffled(d: list[float], seed: int, resamples: int = 999) -> float:
    found = stats.permutation_test(
        (d,), np.sum, permutation_type="samples", n_resamples=resamples, rng=seed, vectorized=True
    )
    return float(found.pvalue)


@pytest.mark.parametrize("n", [2, 5, 20, 50, 51, 200])
def test_statistics_and_p_values_are_those_of_scipy(n):
    """Of small and large samples; so are effect size and interval."""
    for seed in range(5):
        d = drawn(seed, n)
        better = sum(x > 0 for x in d)
        ranks, student = stats.wilcoxon(d), stats.ttest_1samp(d, 0)
        expected = {
            "sign": (better, stats.binomtest(better, n, 0.5).pvalue),
            "wilcoxon": (ranks.statistic, ranks.pvalue),
            "t": (student.statistic, student.pvalue),
        }
        for name, (statistic, p) in expected.items():
            found = TESTS[name](d)  # type: ignore[index]
            assert (found.statistic, found.p) == (close(statistic), close(p)), name
        assert randomisation_test(d, resamples=999, seed=seed).p == close(shuffled(d, seed))
        assert effect_size(d) == close(float(np.mean(d) / np.std(d, ddof=1)))
        for confidence in (0.9, 0.99):
            interval = student.confidence_interval(confidence)
            assert confidence_interval(d, confidence) == close((interval.low, interval.high))


@pytest.mark.parametrize("n", [6, 13, 14, 60])
def test_wilcoxon_drops_zeros_and_averages_tied_ranks_as_scipy(n):
    """With tied and zero differences the p-value is scipy's over the differences that are not 0."""
    for seed in range(1 if n in (13, 14) else 3):  # where scipy tries all signs
        d = [float(x) for x in np.random.default_rng(seed).integers(-3, 5, n)]
        expected, found = stats.wilcoxon([x for x in d if x]), wilcoxon_test(d)
        assert found.queries == sum(x != 0 for x in d)
        assert (found.statistic, found.p) == (close(expected.statistic), close(expected.pvalue))


KEPT = Kept(__file__, TypeError, ValueError, within=(globals(), vars(impact), vars(paired)), show=shown)


@KEPT.each()
def test_methods_corrections_and_what_is_refused(given):
    KEPT.holds(given)


def test_systems_that_are_tested_together_have_the_p_values_of_each_alone():
    """To the bit, whatever they share: all sign changes or samples, and sums that are no exact doubles."""
    systems = [drawn(seed, n) for seed in range(3) for n in (2, 5, 13, 40)] + [drawn(0, 9), drawn(1, 9)]
    for seed in range(3):  # sums of many signs are near 0, and depend on the order in which they are added
        signs = np.random.default_rng(seed).choice([-3, -2, -1, 1, 2, 3], 40)
        systems.append([float(x) * 1e7 / 3 for x in signs])
    together = randomisation_tests([[0.5], *systems], resamples=999)
    assert together[1:] == [randomisation_test(d, resamples=999) for d in systems]
    assert [found.p for found in together] == [None, *(shuffled(units(d), 0) for d in systems)]


def test_noise_in_the_last_bits_is_no_difference_and_zeros_are_no_evidence():
    """0.3 - 0.2 and 0.2 - 0.1 are tied, and 0.1 + 0.2 - 0.3 is 0; a zero has no sign to change, and a single
    difference proves nothing."""
    d = [0.3 - 0.2, 0.2 - 0.1, -(0.2 - 0.1), 0.1 + 0.2 - 0.3]
    found = wilcoxon_test(d)
    assert (found.queries, found.statistic, sign_test(d).queries) == (3, 2.0, 3)
    assert randomisation_test(drawn(3, 9)).p == randomisation_test([*drawn(3, 9), 0.0, 0.0]).p
    assert randomisation_test([0.0, 0.25, 0.0]).p == 1.0


@pytest.mark.parametrize(
    ("differences", "words"),
    [
        ([], "The two systems have no query in common."),
        ([0.1], "There is one query only, and a test needs at least two."),
        ([0.0, 0.0, 1e-15], "The two systems have the same value on all 3 queries, so there is no test."),
    ],
)
def test_what_cannot_be_tested_is_a_sentence_not_a_number(differences, words):
    """By every test, and in a comparison of systems, which knows the mean difference all the same."""
    for test in TESTS.values():
        found = test(differences)
        assert (found.statistic, found.p, found.note) == (None, None, words)
    b = {b"%d" % i: d for i, d in enumerate(differences)}
    pair = compare(dict.fromkeys(b, 0.0), b)
    assert words in pair.notes
    assert (pair.difference, pair.effect_size) == (pytest.approx(differences[0]) if b else None, None)
    assert "Effect size and interval need at least two queries whose differences vary." in pair.notes


def compare(a: dict[bytes, float], b: dict[bytes, float], names: tuple[str, str] = ("a", "b")) -> Pair:
    return compare_all(dict(zip(names, (a, b), strict=True)))[0]


def p_values(found: Pair) -> list[float | None]:
    return [test.p for test in found.tests]


def test_queries_that_cannot_be_paired_enter_no_number_and_are_counted():
    """Those of one side alone, those without a finite value; equal ones are named with the tests that drop
    them, and the names of systems are escaped."""
    a, b = values(0), values(1)
    more = {b"x": 1.0, b"4": math.inf, b"5": a[b"5"], b"7": 2.0}
    theirs = {q: v for q, v in b.items() if q not in (b"0", b"1")} | more
    found = compare({**a, b"3": math.nan}, theirs, names=("bm25", "\x1b[31m"))
    usable = sorted(set(a) & set(theirs) - {b"3", b"4"})
    assert (found.queries, found.better, found.worse, found.equal) == (21, 11, 9, 1)
    assert p_values(found) == p_values(compare({q: a[q] for q in usable}, {q: theirs[q] for q in usable}))
    assert found.notes == [
        "2 queries left out that only 'bm25' has.",
        r"1 query left out that only '\x1b[31m' has.",
        "2 queries left out with a value that is not finite.",
        "1 query with the same value: dropped by the sign and the Wilcoxon test.",
    ]


def test_all_pairs_or_all_against_a_baseline_are_corrected_per_test():
    """A comparison without p-value, such as that with a copy, does not count in the correction."""
    found = compare_all({"a": values(0), "b": values(1), "c": values(2)})
    assert [(c.a, c.b) for c in found] == [("a", "b"), ("a", "c"), ("b", "c")]
    for kind in range(4):
        row = [c.tests[kind] for c in found]
        assert [test.p_holm for test in row] == holm([test.p for test in row])
    copy, other = compare_all({"copy": values(0), "a": values(0), "b": values(1)}, baseline="a")
    assert [(c.a, c.b) for c in (copy, other)] == [("a", "copy"), ("a", "b")]
    assert [test.p_holm for test in copy.tests] == [None] * 4
    assert [test.p_holm for test in other.tests] == p_values(other)


def test_a_difference_is_significant_if_the_p_value_of_its_test_is_below_alpha():
    """The corrected one of the test that is named; not at alpha itself, and not without a p-value."""
    systems = {"a": values(0), "b": values(1), "c": values(2)}
    for i, test in enumerate(TESTS):
        p = compare_all(systems)[0].tests[i].p_holm
        assert compare_all(systems, test=test, alpha=p)[0].significant is False
        assert compare_all(systems, test=test, alpha=p + 1e-9)[0].significant is True
    assert compare(systems["a"], systems["a"]).significant is None


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
