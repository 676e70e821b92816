"""Cohen's kappa of two assessors, and the confusion of their levels.

Kappa = (P(A) - P(E)) / (1 - P(E)), where P(A) is the observed agreement and P(E) the agreement expected by
chance, if each assessor keeps their share of every level. The weighted forms penalise a disagreement between
neighbouring levels less than one between distant levels.

Sources: Cohen, Educ. Psychol. Meas. 20, 1960, and Psychol. Bull. 70, 1968 (weighted); Landis and Koch,
Biometrics 33, 1977 (reading).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from fractions import Fraction
from typing import Literal, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from crosscheck.errors import ArgumentError

Weights: TypeAlias = Literal["none", "linear", "quadratic"]
Confusion: TypeAlias = tuple[tuple[int, ...], ...]


class Kappa(Struct, frozen=True, kw_only=True):
    """Cohen's kappa of two lists of judgements.

    Attributes:
        weights: ``none``, ``linear`` or ``quadratic``.
        value: None if it is undefined.
        observed, expected: weighted agreement observed, P(A), and expected by chance, P(E); None without
            judgements.
        documents: number of documents compared.
        reading: the meaning of the value in words; empty if there is none.
        note: the reason if there is no value, or None.
    """

    weights: str
    value: float | None
    observed: float | None
    expected: float | None
    documents: int
    reading: str = ""
    note: str | None = None


def reading(kappa: float) -> str:
    """The meaning of a kappa in words: 1 total agreement, 0 chance, below 0 worse than chance, bands in
    between.

    The bands are those of Landis and Koch (1977), who call them arbitrary: up to 0.2 slight, 0.4 fair, 0.6
    moderate, 0.8 substantial, above almost perfect.
    """
    if kappa < 0:
        return "worse than chance"
    if kappa in (0, 1):
        return "total agreement" if kappa else "no better than chance"
    bands = ((0.2, "slight"), (0.4, "fair"), (0.6, "moderate"), (0.8, "substantial"))
    name = next((name for limit, name in bands if kappa <= limit), "almost perfect")
    return f"{name} agreement"


def confusion(first: Sequence[int], second: Sequence[int], levels: Sequence[int]) -> Confusion:
    """Documents per pair of levels: one row per level of the first assessor, one column per level of the
    second.

    Raises:
        ArgumentError: the lists differ in length, or hold a level that is not in ``levels``.
    """
    if len(first) != len(second):
        raise ArgumentError(
            f"the first assessor has {len(first)} judgements and the second {len(second)}",
            hint="pass the two levels of the same documents, in the same order",
        )
    if strange := set(first).union(second).difference(levels):
        raise ArgumentError(f"level {min(strange)} is not one of the levels {list(levels)}")
    counts = Counter(zip(first, second, strict=True))
    return tuple(tuple(counts[row, column] for column in levels) for row in levels)


def cohen_kappa(
    first: Sequence[int],
    second: Sequence[int],
    *,
    weights: Weights = "none",
    levels: Collection[int] | None = None,
) -> Kappa:
    """Cohen's kappa of two assessors over the same documents.

    Args:
        first, second: level of each document, in the same order.
        weights: ``none``, every disagreement counts 1; ``linear``, the distance of the two levels;
            ``quadratic``, its square. Distances are counted in steps on the scale, as in scikit-learn, and
            are not differences of level numbers.
        levels: the scale; None takes the levels that occur. An unused level increases the distances of the
            weighted forms.

    Returns:
        The kappa. It has no value, but a reason, if there are no documents or if both assessors gave all
            documents the same level, because chance would then agree as well.

    Raises:
        ArgumentError: lists of different length, unknown weights, a level off the scale.
    """
    if weights not in ("none", "linear", "quadratic"):
        raise ArgumentError(f"there are no weights {weights!r}", hint="weights are none, linear or quadratic")
    scale = sorted(set(first).union(second) if levels is None else set(levels))
    return kappa_of(confusion(first, second, scale), weights)


def kappa_of(table: Confusion, weights: Weights) -> Kappa:
    """Cohen's kappa from the confusion of the levels on a scale; see :func:`cohen_kappa`."""
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
        note = f"Both assessors gave all {documents} documents the same level: chance would agree as well."
        return replace(kappa, note=note)
    value = float(1 - observed / expected)
    return replace(kappa, value=value, reading=reading(value))


def _distance(i: int, j: int, weights: Weights) -> int:
    match weights:
        case "none":
            return int(i != j)
        case "linear":
            return abs(i - j)
        case "quadratic":
            return (i - j) ** 2
