"""The order in which numba's quicksort leaves documents with equal scores.

``np.argsort`` in code compiled by numba is an unstable but deterministic quicksort: the order of equal keys
depends on the pivots and on the swaps around them. ranx sorts with it.
"""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["quicksort_order"]

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
