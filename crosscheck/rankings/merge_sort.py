"""The sort of the C library, for comparisons that are not transitive, where the result depends on the
algorithm."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

__all__ = ["merge_sorted"]

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
