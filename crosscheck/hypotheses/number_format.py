"""In what numbers a candidate reports: how closely a recomputation must meet them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from crosscheck.compare.differ import Aligned
from crosscheck.conventions import AxisValue
from crosscheck.model import BoolArray, FloatArray

__all__ = ["PROOF_TOLERANCE", "SINGLE", "in_single_precision", "possible_roundings", "slack"]

#: How closely a recomputation must meet the candidate's value to count as its reproduction.
PROOF_TOLERANCE = 1e-9
#: The same, relative to the value, for numbers that were computed in single precision.
SINGLE = 1e-6


def in_single_precision(values: FloatArray) -> bool:
    """Whether all of these are single-precision numbers, and one of them shows it.

    Numbers such as 0.25 are the same in both precisions. A double that is none of those is a
    single-precision number in one case of 500 million, so a single value is enough. Numbers that were
    written as text (``0.33333334``) count as well.
    """
    finite = values[np.isfinite(values)]
    with np.errstate(over="ignore"):
        single = finite.astype(np.float32)
    exact = single.astype(np.float64) == finite
    if not exact.all():
        exact |= np.array([float(str(number)) for number in single], np.float64) == finite
    return bool(exact.all() and _telling(finite).any())


def _telling(values: FloatArray) -> BoolArray:
    """Values with more digits than a fraction of 4096 or seven decimals has."""
    scaled = np.abs(values * 4096 - np.round(values * 4096))
    decimal = np.abs(values * 1e7 - np.round(values * 1e7))
    told: BoolArray = (scaled > 1e-4) & (decimal > 1e-3)
    return told


def slack(observed: Aligned, tolerance: float = PROOF_TOLERANCE) -> FloatArray:
    """How far a recomputation may be off, per query.

    That is 1e-9, of the value where it is above 1. Where the tolerance is wider, or all of the candidate's
    values are single-precision numbers, 1e-6 of the value is added.
    """
    size = np.where(np.isfinite(observed.values), np.abs(observed.values), 0.0)
    single = tolerance > PROOF_TOLERANCE or in_single_precision(observed.values[observed.present])
    relative = max(SINGLE, tolerance) if single and observed.decimals is None else 0.0
    return PROOF_TOLERANCE * np.maximum(size, 1.0) + relative * size


def possible_roundings(options: Sequence[AxisValue], observed: Aligned) -> list[AxisValue]:
    """Numbers of decimals that no value of the candidate exceeds."""
    values = observed.values[observed.present & np.isfinite(observed.values)]
    return [
        decimals
        for decimals in options
        if decimals is None or bool((np.abs(values - np.round(values, int(decimals))) < 1e-12).all())
    ]
