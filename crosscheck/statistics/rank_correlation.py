"""Similarity of two rankings of the same systems: Kendall's tau, tau_AP, and the swapped pairs.

Kendall's tau gives every pair of systems the same weight; tau_AP gives pairs at the top more weight, as
average precision does. Both are 1 for the same ranking, -1 for the reverse and 0 on average for unrelated
ones. With ties there is more than one form:

- ``none``: no ties allowed on either side.
- ``a``: ties allowed in the estimate only; a tied pair is neither right nor wrong.
- ``b``: ties allowed on both sides, and neither is the reference: the value is symmetric.

Sources: Kendall, Biometrika 30, 1938, and 33, 1945 (ties); Yilmaz, Aslam and Robertson, SIGIR 2008 (tau_AP);
Urbano and Marrero, ICTIR 2017 (tau_AP with ties).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Literal, TypeAlias

import numpy as np
from msgspec import Struct

from crosscheck.errors import ArgumentError
from crosscheck.measures.base import sequential_sum

TieForm: TypeAlias = Literal["none", "a", "b"]


class Correlation(Struct, frozen=True, kw_only=True):
    """A rank correlation.

    Attributes:
        name: ``tau``, ``tau_a``, ``tau_b``, ``tau_AP``, ``tau_AP,a`` or ``tau_AP,b``.
        value: in [-1, 1], or None if undefined.
        items: systems ranked.
        ties_first, ties_second: pairs of systems tied on the first or the second side.
        note: the reason if there is no value, or None.
    """

    name: str
    value: float | None
    items: int
    ties_first: int
    ties_second: int
    note: str | None = None


class Swap(Struct, frozen=True, kw_only=True):
    """Two systems whose order changes.

    ``better`` leads ``worse`` by ``lead`` in the first ranking and trails it by ``trail`` in the second (0.0
    if they are tied there).
    """

    better: str
    worse: str
    lead: float
    trail: float


def kendall_tau(first: Sequence[float], second: Sequence[float], *, ties: TieForm = "b") -> Correlation:
    """Kendall's tau: concordant minus discordant pairs, over all pairs.

    Args:
        first, second: score of each system, in the same order; higher is better.
        ties: ``none`` and ``a`` divide by all n(n - 1)/2 pairs, ``b`` by the geometric mean of the numbers of
            pairs not tied on either side.

    Returns:
        The correlation. It has no value, but a reason, for fewer than two systems, for ties that the form
            does not allow, and for ``b`` if one side ties everything.

    Raises:
        ArgumentError: lists of different length, a score that is NaN, an unknown form.
    """
    name = {"none": "tau", "a": "tau_a", "b": "tau_b"}[_form(ties)]
    found = _Pairs(first, second)
    pairs = len(first) * (len(first) - 1) // 2
    balance = sum(x * y for x, y in found.signs)
    if note := found.refusal(ties):
        return found.correlation(name, None, note)
    if ties != "b":
        return found.correlation(name, balance / pairs)
    untied = (pairs - found.ties_first) * (pairs - found.ties_second)
    if not untied:
        return found.correlation(name, None, "One side ties all systems: it ranks nothing.")
    return found.correlation(name, balance / math.sqrt(untied))


def tau_ap(reference: Sequence[float], estimate: Sequence[float], *, ties: TieForm = "a") -> Correlation:
    """tau_AP: the share of systems correctly ranked above each system, averaged over the estimate and scaled
    to [-1, 1].

    Args:
        reference: score of each system in the true ranking; higher is better.
        estimate: score of each system in the ranking to judge, in the same order.
        ties: ``none`` is the coefficient of Yilmaz et al.; ``a`` averages it over all orders of tied systems
            in the estimate, and equals it without ties; ``b`` averages both directions.

    Returns:
        The correlation. It has no value, but a reason, for fewer than two systems, for ties that the form
            does not allow, and for ``b`` if one side ties everything.

    Raises:
        ArgumentError: lists of different length, a score that is NaN, an unknown form.
    """
    name = {"none": "tau_AP", "a": "tau_AP,a", "b": "tau_AP,b"}[_form(ties)]
    found = _Pairs(reference, estimate)
    if note := found.refusal(ties):
        return found.correlation(name, None, note)
    if ties != "b":
        return found.correlation(name, _tau_ap_a(reference, estimate))
    if len(set(reference)) == 1 or len(set(estimate)) == 1:
        return found.correlation(name, None, "One side ties all systems: it ranks nothing.")
    there, back = _tau_ap_b(reference, estimate), _tau_ap_b(estimate, reference)
    return found.correlation(name, (there + back) / 2)


def swaps(first: Mapping[str, float], second: Mapping[str, float]) -> tuple[Swap, ...]:
    """Pairs of systems that are reversed or tied in the second ranking.

    Args:
        first, second: system -> score, higher is better; systems on one side only are ignored.

    Returns:
        Swaps by descending lead in the first ranking, then by name.
    """
    shared = sorted(first.keys() & second.keys())
    found = []
    for one, other in combinations(shared, 2):
        better, worse = (one, other) if first[one] > first[other] else (other, one)
        lead, trail = first[better] - first[worse], second[worse] - second[better]
        if lead > 0 and trail >= 0:
            found.append(Swap(better=better, worse=worse, lead=lead, trail=trail))
    return tuple(sorted(found, key=lambda swap: (-swap.lead, swap.better, swap.worse)))


class _Pairs:
    """All pairs of systems, as the sign of their difference on either side."""

    def __init__(self, first: Sequence[float], second: Sequence[float]) -> None:
        if len(first) != len(second):
            raise ArgumentError(f"{len(first)} systems are ranked against {len(second)}")
        if any(math.isnan(score) for score in (*first, *second)):
            raise ArgumentError("a score is NaN: leave systems without a value out")
        self.items = len(first)
        self.signs = [
            (_sign(first[i], first[j]), _sign(second[i], second[j]))
            for i, j in combinations(range(self.items), 2)
        ]
        self.ties_first = sum(1 for sign, _ in self.signs if not sign)
        self.ties_second = sum(1 for _, sign in self.signs if not sign)

    def refusal(self, ties: TieForm) -> str | None:
        if self.items < 2:
            return f"A rank correlation needs at least two systems, not {self.items}."
        if ties != "b" and self.ties_first:
            return "The reference has tied systems, which only the form b allows."
        if ties == "none" and self.ties_second:
            return "The estimate has tied systems, which the forms a and b allow."
        return None

    def correlation(self, name: str, value: float | None, note: str | None = None) -> Correlation:
        return Correlation(
            name=name,
            value=value,
            items=self.items,
            ties_first=self.ties_first,
            ties_second=self.ties_second,
            note=note,
        )


def _form(ties: str) -> str:
    if ties not in ("none", "a", "b"):
        raise ArgumentError(f"there is no form {ties!r} of ties", hint="the forms are none, a and b")
    return ties


def _sign(x: float, y: float) -> int:
    return (x > y) - (x < y)


def _above(reference: Sequence[float], estimate: Sequence[float], item: int) -> tuple[int, int]:
    """Number of items above ``item`` in the estimate, and number of those above it in the reference too."""
    above = [other for other, score in enumerate(estimate) if score > estimate[item]]
    return len(above), sum(1 for other in above if reference[other] > reference[item])


def _tau_ap_a(reference: Sequence[float], estimate: Sequence[float]) -> float:
    terms = []
    for item, score in enumerate(estimate):
        above, right = _above(reference, estimate, item)
        tied = sum(1 for other in estimate if other == score)
        # Over all orders of its tie group the item is equally often at each place p, and half of the group
        # members above it are correctly placed.
        terms += [(right + p / 2) / (above + p) / tied for p in range(tied) if above + p]
    return 2 * sequential_sum(np.array(terms)) / (len(estimate) - 1) - 1


def _tau_ap_b(reference: Sequence[float], estimate: Sequence[float]) -> float:
    terms = [
        right / above
        for above, right in (_above(reference, estimate, item) for item in range(len(estimate)))
        if above
    ]
    return 2 * sequential_sum(np.array(terms)) / len(terms) - 1
