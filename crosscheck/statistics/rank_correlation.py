"""Similarity of two rankings of the same systems: Kendall's tau and tau_AP.

Kendall's tau gives every pair of systems the same weight; tau_AP gives pairs at the top more weight, as
average precision does. Both are 1 for the same ranking, -1 for the reverse and 0 on average for unrelated
ones. With ties there is more than one form:

- ``a``: ties in the estimate only; a tied pair is neither right nor wrong.
- ``b``: ties on both sides, and neither is the reference: the value is symmetric.

Both are computed here: no library has tau_AP, and rankings are compared where scipy is not installed.

Sources: Kendall, Biometrika 30, 1938, and 33, 1945 (ties); Yilmaz, Aslam and Robertson, SIGIR 2008 (tau_AP);
Urbano and Marrero, ICTIR 2017 (tau_AP with ties).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations

import numpy as np

from crosscheck.errors import ArgumentError
from crosscheck.measures.base import sequential_sum
from crosscheck.results import RankCorrelation

_ALL_TIED = "One side ties all systems: it ranks nothing."


def kendall_tau(first: Sequence[float], second: Sequence[float]) -> RankCorrelation:
    """Kendall's tau_b: concordant minus discordant pairs, over the geometric mean of the numbers of pairs not
    tied on either side.

    Args:
        first, second: score of each system, in the same order; higher is better.

    Returns:
        The correlation. It has no value, but a reason, for fewer than two systems, and if one side ties
            everything.

    Raises:
        ArgumentError: lists of different length, or a score that is NaN.
    """
    note = _refusal(first, second)
    pairs = list(combinations(zip(first, second, strict=True), 2))
    signs = [(_sign(one[0], other[0]), _sign(one[1], other[1])) for one, other in pairs]
    untied = sum(1 for x, _ in signs if x) * sum(1 for _, y in signs if y)
    if note or not untied:
        return RankCorrelation("tau_b", None, note or _ALL_TIED)
    return RankCorrelation("tau_b", sum(x * y for x, y in signs) / math.sqrt(untied), None)


def tau_ap(reference: Sequence[float], estimate: Sequence[float]) -> RankCorrelation:
    """tau_AP: the share of systems correctly ranked above each system, averaged over the estimate and scaled
    to [-1, 1].

    Without ties in the reference it is the form ``a``, the mean over all orders of systems that the estimate
    ties (without any, the coefficient of Yilmaz et al.). With ties it is the form ``b``, the mean over both
    directions.

    Args:
        reference: score of each system in the true ranking; higher is better.
        estimate: score of each system in the ranking to judge, in the same order.

    Returns:
        The correlation. It has no value, but a reason, for fewer than two systems, and if either side ties
            everything in the form ``b``.

    Raises:
        ArgumentError: lists of different length, or a score that is NaN.
    """
    form = "b" if len(set(reference)) < len(reference) else "a"
    note = _refusal(reference, estimate)
    if not note and form == "b" and 1 in (len(set(reference)), len(set(estimate))):
        note = _ALL_TIED
    if note:
        return RankCorrelation(f"tau_AP,{form}", None, note)
    if form == "a":
        return RankCorrelation("tau_AP,a", _tau_ap_a(reference, estimate), None)
    there, back = _tau_ap_b(reference, estimate), _tau_ap_b(estimate, reference)
    return RankCorrelation("tau_AP,b", (there + back) / 2, None)


def _refusal(first: Sequence[float], second: Sequence[float]) -> str | None:
    if len(first) != len(second):
        raise ArgumentError(f"{len(first)} systems are ranked against {len(second)}")
    if any(math.isnan(score) for score in (*first, *second)):
        raise ArgumentError("a score is NaN: leave systems without a value out")
    if len(first) < 2:
        return f"A rank correlation needs at least two systems, not {len(first)}."
    return None


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
    every = (_above(reference, estimate, item) for item in range(len(estimate)))
    terms = [right / above for above, right in every if above]
    return 2 * sequential_sum(np.array(terms)) / len(terms) - 1
