"""Comparison of systems: every paired test, effect size and interval, over many runs at once."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import NamedTuple

from crosscheck.errors import ArgumentError, no_such, quoted
from crosscheck.statistics.paired import (
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
from crosscheck.study_records.compare import Pair

__all__ = ["PairedComparison", "compare", "compare_all"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PairedComparison(Pair):
    """Comparison of two systems on the queries for which both have a value, before any decision on
    significance.

    Attributes:
        mean_a, mean_b: means over the queries compared, None without any.
        only_a, only_b: queries for which only this system has a value, in byte order.
        without_number: queries whose value is NaN or infinite in either system, in byte order.
    """

    mean_a: float | None
    mean_b: float | None
    only_a: tuple[bytes, ...]
    only_b: tuple[bytes, ...]
    without_number: tuple[bytes, ...]


def compare(
    a: Mapping[bytes, float],
    b: Mapping[bytes, float],
    *,
    names: tuple[str, str] = ("a", "b"),
    confidence: float = 0.95,
    resamples: int = 9_999,
    seed: int = 0,
) -> PairedComparison:
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
) -> tuple[PairedComparison, ...]:
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
) -> list[PairedComparison]:
    """The comparison of each pair of named systems."""
    sides = [_Sides.of(a, b) for _, _, a, b in pairs]
    shuffled = randomisation_tests([of.differences for of in sides], resamples=resamples, seed=seed)
    found = []
    for (name_a, name_b, a, b), of, randomisation in zip(pairs, sides, shuffled, strict=True):
        signs = units(of.differences)
        result = PairedComparison(
            name_a,
            name_b,
            queries=len(signs),
            better=sum(1 for sign in signs if sign > 0),
            worse=sum(1 for sign in signs if sign < 0),
            equal=sum(1 for sign in signs if not sign),
            mean_a=mean(of.a),
            mean_b=mean(of.b),
            difference=mean(of.differences),
            interval=confidence_interval(of.differences, confidence),
            effect_size=effect_size(of.differences),
            tests=[
                sign_test(of.differences),
                wilcoxon_test(of.differences),
                t_test(of.differences),
                randomisation,
            ],
            only_a=tuple(sorted(a.keys() - b.keys())),
            only_b=tuple(sorted(b.keys() - a.keys())),
            without_number=of.without_number,
            significant=None,
            notes=[],
        )
        found.append(replace(result, notes=_notes(result)))
    return found


class _Sides(NamedTuple):
    """The values of two systems on the queries for which both have a number."""

    a: list[float]
    b: list[float]
    differences: list[float]
    without_number: tuple[bytes, ...]

    @classmethod
    def of(cls, a: Mapping[bytes, float], b: Mapping[bytes, float]) -> _Sides:
        shared = sorted(a.keys() & b.keys())
        usable = [q for q in shared if math.isfinite(a[q]) and math.isfinite(b[q])]
        values_a, values_b = [float(a[q]) for q in usable], [float(b[q]) for q in usable]
        differences = [y - x for x, y in zip(values_a, values_b, strict=True)]
        return cls(values_a, values_b, differences, tuple(sorted(set(shared).difference(usable))))


def _corrected(comparisons: Sequence[PairedComparison]) -> tuple[PairedComparison, ...]:
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


def _notes(found: PairedComparison) -> list[str]:
    notes = []
    for name, missing in ((found.a, found.only_a), (found.b, found.only_b)):
        if missing:
            notes.append(
                f"{_queries(len(missing))} only in {quoted(name)} left out: there is nothing to pair."
            )
    if found.without_number:
        notes.append(f"{_queries(len(found.without_number))} left out, with a value that is not finite.")
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
