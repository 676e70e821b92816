"""Comparison of systems: every paired test, effect size and interval, over many runs at once."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations

from msgspec import Struct
from msgspec.structs import replace

from crosscheck.errors import ArgumentError, no_such, quoted
from crosscheck.statistics.paired import (
    PairedTest,
    confidence_interval,
    effect_size,
    holm,
    mean,
    randomisation_tests,
    sign_test,
    t_test,
    units,
    wilcoxon_test,
)

__all__ = ["Pair", "compare", "compare_all"]


class Pair(Struct, frozen=True, kw_only=True):
    """Two systems on one measure; differences are ``b - a``.

    Attributes:
        queries: number of queries for which both systems have a value.
        better, worse, equal: number of queries on which b is better than, worse than or equal to a.
        difference: the mean difference; interval: its Student confidence interval at the document's level.
        effect_size: Cohen's d of the paired differences.
        tests: sign, Wilcoxon, t and randomisation test, in this order.
        significant: whether the document's test, corrected, is below alpha; null without a p-value.
    """

    a: str
    b: str
    queries: int
    better: int
    worse: int
    equal: int
    difference: float | None
    interval: tuple[float, float] | None
    effect_size: float | None
    tests: list[PairedTest]
    significant: bool | None
    notes: list[str]


def compare(
    a: Mapping[bytes, float],
    b: Mapping[bytes, float],
    *,
    names: tuple[str, str] = ("a", "b"),
    confidence: float = 0.95,
    resamples: int = 9_999,
    seed: int = 0,
) -> Pair:
    """Compare two systems on one measure.

    Args:
        a, b: query id -> value. Queries that only one of them has, and values that are not finite, are left
            out and reported.
        names: names of the two systems for the sentences.
        confidence: level of the confidence interval around the mean difference.
        resamples, seed: number and seed of the random sign changes of the randomisation test.

    Raises:
        UsageError: scipy is not installed, or the confidence is not between 0 and 1.
    """
    return _compared([(*names, a, b)], confidence, resamples, seed)[0]


def compare_all(
    systems: Mapping[str, Mapping[bytes, float]],
    *,
    baseline: str | None = None,
    confidence: float = 0.95,
    resamples: int = 9_999,
    seed: int = 0,
) -> tuple[Pair, ...]:
    """Compare every pair of systems, or every system with a baseline, with Holm's correction per test.

    The correction covers all comparisons made here: ``p_holm`` of each test holds for all of them together.

    Args:
        systems: name -> query id -> value, two systems or more.
        baseline: name of the system that all others are compared with; None compares all pairs.

    Raises:
        ArgumentError: fewer than two systems, or an unknown baseline.
        UsageError: scipy is not installed.
    """
    if len(systems) < 2:
        raise ArgumentError(f"a comparison needs two systems, not {len(systems)}")
    if baseline is not None and baseline not in systems:
        raise no_such("system", baseline, systems, ArgumentError)
    pairs = (
        list(combinations(systems, 2))
        if baseline is None
        else [(baseline, name) for name in systems if name != baseline]
    )
    sides = [(a, b, systems[a], systems[b]) for a, b in pairs]
    return _corrected(_compared(sides, confidence, resamples, seed))


def _compared(
    pairs: Sequence[tuple[str, str, Mapping[bytes, float], Mapping[bytes, float]]],
    confidence: float,
    resamples: int,
    seed: int,
) -> list[Pair]:
    """The comparison of each pair of named systems."""
    sides = [_differences(a, b) for _, _, a, b in pairs]
    shuffled = randomisation_tests([of for of, _ in sides], resamples=resamples, seed=seed)
    compared = []
    for (name_a, name_b, a, b), (of, left_out), randomisation in zip(pairs, sides, shuffled, strict=True):
        signs = units(of)
        pair = Pair(
            a=name_a,
            b=name_b,
            queries=len(signs),
            better=sum(1 for sign in signs if sign > 0),
            worse=sum(1 for sign in signs if sign < 0),
            equal=sum(1 for sign in signs if not sign),
            difference=mean(of),
            interval=confidence_interval(of, confidence),
            effect_size=effect_size(of),
            tests=[sign_test(of), wilcoxon_test(of), t_test(of), randomisation],
            significant=None,
            notes=[],
        )
        alone = ((name_a, len(a.keys() - b.keys())), (name_b, len(b.keys() - a.keys())))
        compared.append(replace(pair, notes=_notes(pair, alone, left_out)))
    return compared


def _differences(a: Mapping[bytes, float], b: Mapping[bytes, float]) -> tuple[list[float], int]:
    """``b - a`` for the queries for which both have a number, and how many others both have."""
    shared = sorted(a.keys() & b.keys())
    usable = [q for q in shared if math.isfinite(a[q]) and math.isfinite(b[q])]
    return [float(b[q]) - float(a[q]) for q in usable], len(shared) - len(usable)


def _corrected(comparisons: Sequence[Pair]) -> tuple[Pair, ...]:
    # One column per comparison, one row per kind of test: each kind is corrected separately.
    rows = zip(*(comparison.tests for comparison in comparisons), strict=True)
    corrected = [
        [replace(test, p_holm=p) for test, p in zip(row, holm([t.p for t in row]), strict=True)]
        for row in rows
    ]
    columns = zip(*corrected, strict=True)
    return tuple(
        replace(comparison, tests=list(tests)) for comparison, tests in zip(comparisons, columns, strict=True)
    )


def _notes(found: Pair, alone: Iterable[tuple[str, int]], left_out: int) -> list[str]:
    """Sentences about queries left out; ``alone``: system and number of queries that only it has."""
    notes = [
        f"{_queries(missing)} only in {quoted(name)} left out: there is nothing to pair."
        for name, missing in alone
        if missing
    ]
    if left_out:
        notes.append(f"{_queries(left_out)} left out, with a value that is not finite.")
    if 0 < found.equal < found.queries:
        notes.append(
            f"{_queries(found.equal)} with the same value: dropped by the sign and the Wilcoxon test."
        )
    notes += dict.fromkeys(test.note for test in found.tests if test.note is not None)
    if found.effect_size is None:
        notes.append("Effect size and interval need at least two queries whose differences vary.")
    return notes


def _queries(count: int) -> str:
    return f"{count} {'query' if count == 1 else 'queries'}"
