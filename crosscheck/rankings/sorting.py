"""The sort of all rows of a run by topic and score."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from crosscheck.model import IntArray

__all__ = ["Keys", "sorted_by"]

_SIGN = np.uint32(1 << 31)
Keys: TypeAlias = npt.NDArray[np.float64] | npt.NDArray[np.float32] | npt.NDArray[np.int64]


def sorted_by(topic: IntArray, key: Keys) -> IntArray:
    """Rows sorted by topic, then by key; rows equal in both keep input order. No key may be NaN."""
    if key.dtype != np.float32:
        return np.lexsort((key, topic))
    # One number for both, which takes a third of the time. The bits of floats sort like integers, except for
    # negative floats, whose order is reversed, and for -0.0, which becomes 0.0.
    bits = (key + np.float32(0.0)).view(np.uint32)
    bits = np.where(bits >= _SIGN, ~bits, bits | _SIGN)
    return np.argsort(topic.astype(np.uint64) << np.uint64(32) | bits, kind="stable")
