"""Detection of the candidate's numeric precision, and the tolerance derived from it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from msgspec.structs import replace

from crosscheck.compare import Aligned
from crosscheck.conventions import AxisValue
from crosscheck.model import BoolArray, FloatArray, MeasureValues

__all__ = ["PROOF_TOLERANCE", "SINGLE", "in_single_precision", "possible_roundings", "printed_alike", "slack"]

#: Tolerance within which a recomputation reproduces the candidate's value.
PROOF_TOLERANCE = 1e-9
#: Tolerance relative to the value, for numbers computed in single precision.
SINGLE = 1e-6


def in_single_precision(values: FloatArray) -> bool:
    """Whether all finite values are single-precision numbers, and at least one cannot be so by chance.

    Numbers such as 0.25 are the same in both precisions. Any other double is a single-precision number in one
    case of 500 million, so one value is enough. Numbers that were written as text (``0.33333334``) count as
    well.
    """
    finite = values[np.isfinite(values)]
    with np.errstate(over="ignore"):
        single = finite.astype(np.float32)
    exact = single.astype(np.float64) == finite
    if not exact.all():
        exact |= np.array([float(str(number)) for number in single], np.float64) == finite
    return bool(exact.all() and _telling(finite).any())


def _telling(values: FloatArray) -> BoolArray:
    """Mask of the values that are neither multiples of 1/4096 nor numbers of at most seven decimals."""
    scaled = np.abs(values * 4096 - np.round(values * 4096))
    decimal = np.abs(values * 1e7 - np.round(values * 1e7))
    told: BoolArray = (scaled > 1e-4) & (decimal > 1e-3)
    return told


def slack(observed: Aligned, tolerance: float = PROOF_TOLERANCE) -> FloatArray:
    """Tolerance within which a recomputed value equals the observed one, per query.

    It is 1e-9, relative for values above 1. If all values are single-precision numbers or ``tolerance`` is
    above 1e-9, 1e-6 of the value (or ``tolerance``, if higher) is added, except for printed values.
    """
    size = np.where(np.isfinite(observed.values), np.abs(observed.values), 0.0)
    single = tolerance > PROOF_TOLERANCE or in_single_precision(observed.values[observed.present])
    relative = max(SINGLE, tolerance) if single and observed.decimals is None else 0.0
    return PROOF_TOLERANCE * np.maximum(size, 1.0) + relative * size


def possible_roundings(options: Sequence[AxisValue], observed: Aligned) -> list[AxisValue]:
    """The options, as numbers of decimals, that no value of the candidate exceeds; None is never excluded."""
    values = observed.values[observed.present]
    return [decimals for decimals in options if decimals is None or _fit(values, int(decimals))]


def printed_alike(values: MeasureValues, decimals: int | None) -> MeasureValues:
    """A candidate's values, marked as printed with the reference's ``decimals`` if no value has more decimals
    and some value has as many. Both sides are then rounded alike, so rounding is no difference between them.
    They are unchanged if the reference was not printed (None)."""
    own = np.array([*values.values.values(), *([] if values.mean is None else [values.mean])], np.float64)
    if decimals is None or values.decimals is not None or not _fit(own, decimals) or _fit(own, decimals - 1):
        return values
    return replace(values, decimals=decimals)


def _fit(values: FloatArray, decimals: int) -> bool:
    """Whether no finite value has more than ``decimals`` decimals."""
    finite = values[np.isfinite(values)]
    return bool((np.abs(finite - np.round(finite, decimals)) < 1e-12).all())
