"""Agreement of two assessors (Cohen's kappa), or of two rankings of systems (Kendall's tau, tau_AP).

Kappa = (P(A) - P(E)) / (1 - P(E)), where P(A) is the observed agreement and P(E) the agreement expected by
chance if each assessor assigned levels at random, with the same share of each level. The weighted forms
penalise a disagreement between neighbouring levels less than a disagreement between distant levels.

Kendall's tau gives every pair of systems the same weight; tau_AP gives pairs at the top more weight, as
average precision does. Both are 1 for equal rankings, -1 for reverse rankings, and 0 on average for unrelated
rankings. With ties there are two forms:

- ``a``: only the estimate has ties. A tied pair is half right.
- ``b``: both rankings may have ties, and neither is the reference: the value is symmetric.

No library has tau_AP or the parts of kappa, and scipy is not needed here.

Sources: Cohen, Educ. Psychol. Meas. 20, 1960, and Psychol. Bull. 70, 1968 (weighted); Landis and Koch,
Biometrics 33, 1977 (words for kappa); Kendall, Biometrika 30, 1938, and 33, 1945 (ties); Yilmaz, Aslam and
Robertson, SIGIR 2008 (tau_AP); Urbano and Marrero, ICTIR 2017 (tau_AP with ties).
"""

import math
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations
from typing import Literal, TypeAlias

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from crosscheck.measures.arithmetic import sequential_sum
from crosscheck.results import RankCorrelation

Weights: TypeAlias = Literal["none", "linear", "quadratic"]
Confusion: TypeAlias = tuple[tuple[int, ...], ...]


class Kappa(Struct, frozen=True, kw_only=True):
    """Cohen's kappa of two lists of judgements.

    Attributes:
        weights: ``none``, ``linear`` or ``quadratic``.
        value: the kappa; None if it is undefined.
        observed, expected: observed agreement P(A) and agreement expected by chance P(E), weighted; None
            without documents.
        documents: number of documents that both assessors judged.
        reading: the value in words, such as "fair agreement"; empty without a value.
        note: why there is no value, or None.
    """

    weights: str
    value: float | None
    observed: float | None
    expected: float | None
    documents: int
    reading: str = ""
    note: str | None = None


def reading(kappa: float) -> str:
    """A kappa in words: "total agreement" for 1, "no better than chance" for 0, "worse than chance" below 0.

    Between 0 and 1 the words are those of Landis and Koch (1977), who call the bounds arbitrary: up to 0.2
    slight, up to 0.4 fair, up to 0.6 moderate, up to 0.8 substantial, above 0.8 almost perfect.
    """
    if kappa < 0:
        return "worse than chance"
    if kappa in (0, 1):
        return "total agreement" if kappa else "no better than chance"
    bands = ((0.2, "slight"), (0.4, "fair"), (0.6, "moderate"), (0.8, "substantial"))
    name = next((name for limit, name in bands if kappa <= limit), "almost perfect")
    return f"{name} agreement"


def confusion(first: Sequence[int], second: Sequence[int], levels: Sequence[int]) -> Confusion:
    """The number of documents for each pair of levels: a row per level of the first assessor, a column per
    level of the second assessor.

    Args:
        first, second: the levels of the same documents, in the same order.
    """
    counts = Counter(zip(first, second, strict=True))
    return tuple(tuple(counts[row, column] for column in levels) for row in levels)


def kappa_of(table: Confusion, weights: Weights) -> Kappa:
    """Cohen's kappa from the number of documents for each pair of levels.

    Args:
        table: see :func:`confusion`. A level that no document has increases distances between levels.
        weights: weight of a disagreement. ``none``: 1; ``linear``: the distance between the two levels;
            ``quadratic``: the square of this distance. Distances are numbers of steps on the scale, as in
            scikit-learn, not differences of level numbers.

    Returns:
        The kappa. ``value`` is None, and ``note`` says why, if no document was judged by both assessors, or
        if
            both gave every document the same level: expected agreement is then 1 and kappa is undefined.
    """
    documents = sum(map(sum, table))
    kappa = Kappa(weights=weights, value=None, observed=None, expected=None, documents=documents)
    if not documents:
        return replace(kappa, note="No document was judged by both assessors.")
    places = range(len(table))
    rows, columns = [sum(row) for row in table], [sum(row[j] for row in table) for j in places]
    # Integers up to the last division, so that the value is correctly rounded.
    apart = [[_distance(i, j, weights) for j in places] for i in places]
    observed = Fraction(sum(apart[i][j] * table[i][j] for i in places for j in places), documents)
    expected = Fraction(sum(apart[i][j] * rows[i] * columns[j] for i in places for j in places), documents**2)
    farthest = _distance(0, max(len(table) - 1, 1), weights)
    kappa = replace(kappa, observed=float(1 - observed / farthest), expected=float(1 - expected / farthest))
    if not expected:
        note = "Both assessors gave every document the same level, so kappa is undefined."
        return replace(kappa, note=note)
    value = float(1 - observed / expected)
    return replace(kappa, value=value, reading=reading(value))


def _distance(i: int, j: int, weights: Weights) -> int:
    return int(i != j) if weights == "none" else abs(i - j) if weights == "linear" else (i - j) ** 2


_ALL_TIED = "In one of the two rankings all systems are tied."


def kendall_tau(first: Sequence[float], second: Sequence[float]) -> RankCorrelation:
    """Kendall's tau_b: the number of concordant minus the number of discordant pairs, divided by the
    geometric mean of two numbers: of pairs not tied in the first ranking, and of pairs not tied in the
    second.

    Args:
        first, second: score of each system, in the same order; higher is better.

    Returns:
        The correlation. ``value`` is None, and ``note`` says why, if there are fewer than two systems or if
            all systems are tied in one ranking.
    """
    pairs = list(combinations(zip(first, second, strict=True), 2))
    signs = [(_sign(one[0], other[0]), _sign(one[1], other[1])) for one, other in pairs]
    untied = sum(1 for x, _ in signs if x) * sum(1 for _, y in signs if y)
    if not untied:
        return RankCorrelation("tau_b", None, _few(first) or _ALL_TIED)
    return RankCorrelation("tau_b", sum(x * y for x, y in signs) / math.sqrt(untied), None)


def tau_ap(reference: Sequence[float], estimate: Sequence[float]) -> RankCorrelation:
    """tau_AP: for each system, the share of the systems above it that are above it in the reference as well;
    averaged over the systems and scaled to [-1, 1].

    If the reference has no ties, this is the form ``a``: the mean of tau_AP over all orders of systems that
    are tied in the estimate. If the reference has ties, this is the form ``b``: the mean of the coefficient
    for (reference, estimate) and the coefficient for (estimate, reference).

    Args:
        reference: score of each system in the true ranking; higher is better.
        estimate: score of each system in the ranking to judge, in the same order.

    Returns:
        The correlation. ``value`` is None, and ``note`` says why, if there are fewer than two systems or, for
            form ``b``, if all systems are tied in one ranking.
    """
    if note := _few(reference):
        return RankCorrelation("tau_AP,a", None, note)
    if len(set(reference)) == len(reference):
        return RankCorrelation("tau_AP,a", _tau_ap_a(reference, estimate), None)
    if 1 in (len(set(reference)), len(set(estimate))):
        return RankCorrelation("tau_AP,b", None, _ALL_TIED)
    there, back = _tau_ap_b(reference, estimate), _tau_ap_b(estimate, reference)
    return RankCorrelation("tau_AP,b", (there + back) / 2, None)


def _few(systems: Sequence[float]) -> str | None:
    return f"A rank correlation needs at least two systems, not {len(systems)}." if len(systems) < 2 else None


def _sign(x: float, y: float) -> int:
    return (x > y) - (x < y)


def _above(reference: Sequence[float], estimate: Sequence[float], item: int) -> tuple[int, int]:
    """The number of systems above system ``item`` in the estimate, and how many of these are above it in the
    reference as well."""
    above = [other for other, score in enumerate(estimate) if score > estimate[item]]
    return len(above), sum(1 for other in above if reference[other] > reference[item])


def _tau_ap_a(reference: Sequence[float], estimate: Sequence[float]) -> float:
    terms = []
    for item, score in enumerate(estimate):
        above, right = _above(reference, estimate, item)
        tied = sum(1 for other in estimate if other == score)
        # Over all orders of tied systems, each system is equally often at each place p of its group, and half
        # of the systems above it in the group are right.
        terms += [(right + p / 2) / (above + p) / tied for p in range(tied) if above + p]
    return 2 * sequential_sum(np.array(terms)) / (len(estimate) - 1) - 1


def _tau_ap_b(reference: Sequence[float], estimate: Sequence[float]) -> float:
    every = (_above(reference, estimate, item) for item in range(len(estimate)))
    terms = [right / above for above, right in every if above]
    return 2 * sequential_sum(np.array(terms)) / len(terms) - 1
