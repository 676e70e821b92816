"""Sorts: of the rows of a run, and those of the C library and of numba, where their algorithm matters."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from crosscheck.model import IntArray

__all__ = ["Keys", "merge_sorted", "quicksort_order", "sorted_by"]

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


_Item = TypeVar("_Item")


def merge_sorted(items: Sequence[_Item], compare: Callable[[_Item, _Item], float]) -> list[_Item]:
    """glibc's merge sort: halves split at n // 2, with the left element first if neither is smaller.

    Args:
        compare: negative if its first argument comes first; it need not be transitive.
    """
    if len(items) < 2:
        return list(items)
    half = len(items) // 2
    left, right = merge_sorted(items[:half], compare), merge_sorted(items[half:], compare)
    merged: list[_Item] = []
    i = j = 0
    while i < len(left) and j < len(right):
        if compare(left[i], right[j]) <= 0:
            merged.append(left[i])
            i += 1
        else:
            merged.append(right[j])
            j += 1
    return merged + left[i:] + right[j:]


#: Shorter parts are sorted by insertion, which keeps the order of equal keys.
_SHORT = 16


def quicksort_order(keys: Sequence[float]) -> list[int]:
    """Indices of the keys, smallest key first, with equal keys in the order of numba's ``argsort``.

    That is input order for fewer than 16 keys. Source: the quicksort of numba 0.68.1
    (numba/misc/quicksort.py); the order was compared with ranx's.

    Args:
        keys: numbers, none of them NaN.
    """
    order = list(range(len(keys)))
    parts = [(0, len(keys) - 1)]
    while parts:
        low, high = parts.pop()
        if high - low + 1 < _SHORT:
            order[low : high + 1] = sorted(order[low : high + 1], key=keys.__getitem__)
        else:
            middle = _partition(keys, order, low, high)
            parts += [(low, middle - 1), (middle + 1, high)]
    return order


def _partition(keys: Sequence[float], order: list[int], low: int, high: int) -> int:
    """Move smaller keys before the pivot and larger ones after it; return the position of the pivot."""
    middle = (low + high) // 2
    for a, b in ((low, middle), (middle, high), (low, middle)):  # the median of three comes to the middle
        if keys[order[b]] < keys[order[a]]:
            order[a], order[b] = order[b], order[a]
    pivot = keys[order[middle]]
    order[middle], order[high] = order[high], order[middle]
    i, j = low, high - 1
    while True:
        while i < high and keys[order[i]] < pivot:
            i += 1
        while j >= low and pivot < keys[order[j]]:
            j -= 1
        if i >= j:
            break
        order[i], order[j] = order[j], order[i]  # keys that equal the pivot are swapped as well
        i, j = i + 1, j - 1
    order[i], order[high] = order[high], order[i]
    return i
