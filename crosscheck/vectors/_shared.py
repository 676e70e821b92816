"""What all list functions share: argument checks and the exact arithmetic."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from functools import reduce
from operator import add, index
from typing import SupportsFloat

from crosscheck.conventions import AxisValue, Conventions
from crosscheck.errors import ArgumentError

__all__ = ["axes_of", "checked_cutoff", "checked_levels", "depth_of", "hits", "mean", "ratio", "total"]


def axes_of(**changes: AxisValue) -> Conventions:
    """trec_eval's conventions with some axes changed; an unknown value raises UsageError."""
    return Conventions().with_changes(**changes)


def checked_levels(rel: Iterable[float]) -> list[float]:
    """The levels as floats."""
    levels = []
    for rank, level in enumerate(rel, 1):
        levels.append(_number(level))
        if not math.isfinite(levels[-1]):
            raise ArgumentError(f"the relevance level at rank {rank} is no finite number: {level!r}")
    return levels


def _number(level: object) -> float:
    """The level as a float, NaN for anything that is no number; numpy scalars and booleans are numbers."""
    if isinstance(level, SupportsFloat) and not isinstance(level, str | bytes):
        try:
            return float(level)
        except (TypeError, ValueError):
            return math.nan
    return math.nan


def checked_cutoff(k: int) -> int:
    """The cutoff, if it is one."""
    try:
        cutoff = index(k)
    except TypeError:
        raise ArgumentError(f"a cutoff is a whole number, not {k!r}") from None
    if cutoff < 1:
        raise ArgumentError(f"a cutoff is at least 1, not {cutoff}")
    return cutoff


def depth_of(k: int | None) -> int | None:
    """Where to cut the list: None for not at all."""
    return None if k is None else checked_cutoff(k)


def hits(levels: Iterable[float], relevance_level: float) -> int:
    """Relevant documents of the list."""
    return sum(1 for level in levels if level >= relevance_level)


def total(values: Sequence[float]) -> float:
    """Sum from left to right; the builtin compensates from Python 3.12 on, and differs in the last bit."""
    return reduce(add, values, 0.0)


def ratio(numerator: float, denominator: float) -> float:
    """Quotient; 0.0 where there is nothing to divide by."""
    return numerator / denominator if denominator > 0 else 0.0


def mean(values: Sequence[float]) -> float:
    """Left-to-right sum over count; 0.0 without values."""
    return ratio(total(values), len(values))
