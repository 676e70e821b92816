"""Claims about crosscheck.statistics.paired: pairing, sentences and correction over many runs."""

from __future__ import annotations

import math

import numpy as np
import pytest

from crosscheck.errors import ArgumentError
from crosscheck.statistics.paired import Pair, compare, compare_all, holm, t_test

pytest.importorskip("scipy.stats", reason="scipy is not installed")


def values(seed: int, n: int = 25) -> dict[bytes, float]:
    return {b"%d" % i: float(v) for i, v in enumerate(np.random.default_rng(seed).random(n))}


def p_values(found: Pair) -> list[float | None]:
    return [test.p for test in found.tests]


def test_queries_are_paired_by_id_not_by_position() -> None:
    """The order in which either side lists its queries does not matter."""
    a, b = values(0), values(1)
    assert compare(a, b) == compare(dict(reversed(a.items())), b)


def test_differences_are_b_minus_a() -> None:
    """Positive differences and positive t mean that b is better; exchanging the sides changes the signs."""
    a = {b"1": 0.1, b"2": 0.2, b"3": 0.5}
    b = {b"1": 0.4, b"2": 0.3, b"3": 0.4}
    found, back = compare(a, b), compare(b, a)
    assert (found.better, found.worse, found.equal) == (2, 1, 0)
    assert found.difference == pytest.approx(0.1)
    assert found.interval is not None
    assert found.interval[0] < 0.1 < found.interval[1]
    assert p_values(found) == pytest.approx(p_values(back))
    assert (back.better, back.worse) == (1, 2)
    t = {test.name: test for test in found.tests}["t"]
    assert t == t_test([b[q] - a[q] for q in sorted(a)])


def test_unpaired_queries_are_named_and_left_out() -> None:
    """Queries that one side alone has are counted in a sentence, and enter no number."""
    a, b = values(0), values(1)
    smaller = {q: v for q, v in b.items() if q not in (b"0", b"1")}
    found = compare(a, {**smaller, b"x": 1.0}, names=("bm25", "dense"))
    assert found.queries == 23
    assert "2 queries only in 'bm25' left out: there is nothing to pair." in found.notes
    assert "1 query only in 'dense' left out: there is nothing to pair." in found.notes
    assert p_values(found) == p_values(compare({q: a[q] for q in smaller}, smaller))


def test_nothing_in_common_is_one_sentence() -> None:
    """Two runs without a common query have no mean, no test, and a note that says so."""
    found = compare({b"1": 0.1}, {b"2": 0.1})
    assert (found.queries, found.difference, found.interval) == (0, None, None)
    assert p_values(found) == [None] * 4
    assert "The two systems have no query in common." in found.notes


def test_one_query_has_means_but_no_test() -> None:
    """One query: the difference is known, a test is not."""
    found = compare({b"1": 0.1}, {b"1": 0.3})
    assert found.difference == pytest.approx(0.2)
    assert p_values(found) == [None] * 4
    assert "There is one query only, and a test needs at least two." in found.notes


def test_identical_runs_are_one_sentence() -> None:
    """A run against itself: all differences zero, no test, no NaN, one sentence."""
    found = compare(values(0), values(0))
    assert (found.equal, found.difference, found.effect_size) == (25, 0.0, None)
    assert p_values(found) == [None] * 4
    assert "The two systems have the same value on all 25 queries: nothing to test." in found.notes


def test_values_that_are_no_number_are_left_out() -> None:
    """NaN or infinity on either side takes the query out of every number, and a sentence counts them."""
    a, b = values(0), values(1)
    found = compare({**a, b"3": math.nan}, {**b, b"4": math.inf})
    assert found.queries == 23
    assert found.difference is not None
    assert math.isfinite(found.difference)
    assert "2 queries left out, with a value that is not finite." in found.notes


def test_zero_differences_are_mentioned() -> None:
    """Ties between the systems are counted and the sentence says which tests drop them."""
    a = values(0)
    found = compare(a, {**values(1), b"0": a[b"0"]})
    assert found.equal == 1
    assert "1 query with the same value: dropped by the sign and the Wilcoxon test." in found.notes


def test_names_of_systems_are_escaped_in_sentences() -> None:
    """A control character in a run name does not reach the terminal."""
    found = compare({b"1": 0.1, b"2": 0.1}, {b"1": 0.1}, names=("\x1b[31mred", "b"))
    assert not any("\x1b" in note for note in found.notes)


def test_all_pairs_are_compared_and_corrected_per_test() -> None:
    """Three systems make three comparisons; each kind of test is corrected for three."""
    found = compare_all({"a": values(0), "b": values(1), "c": values(2)})
    assert [(c.a, c.b) for c in found] == [("a", "b"), ("a", "c"), ("b", "c")]
    for kind in range(4):
        row = [c.tests[kind] for c in found]
        assert [test.p_holm for test in row] == holm([test.p for test in row])


def test_a_baseline_is_compared_with_every_other_system() -> None:
    """With a baseline there is one comparison per other system, the baseline always as a."""
    found = compare_all({"a": values(0), "b": values(1), "c": values(2)}, baseline="b")
    assert [(c.a, c.b) for c in found] == [("b", "a"), ("b", "c")]


def test_a_comparison_without_p_value_does_not_count_in_the_correction() -> None:
    """A copy of the baseline has nothing to test and leaves the other p-value as it is."""
    found = compare_all({"a": values(0), "copy": values(0), "b": values(1)}, baseline="a")
    assert [test.p_holm for test in found[0].tests] == [None] * 4
    assert [test.p_holm for test in found[1].tests] == p_values(found[1])


def test_too_few_systems_and_an_unknown_baseline_are_refused() -> None:
    """One system cannot be compared, and an unknown baseline lists those that there are."""
    with pytest.raises(ArgumentError, match="two systems"):
        compare_all({"a": values(0)})
    with pytest.raises(ArgumentError, match=r"(?s)no system 'z'.*: a, b"):
        compare_all({"a": values(0), "b": values(1)}, baseline="z")
