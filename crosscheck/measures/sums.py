"""Sums per topic, added as trec_eval adds them: one by one, in rank order."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, Protocol, TypeVar

import numpy as np

from crosscheck.model import FloatArray, IntArray
from crosscheck.rankings.judged import JudgedRankings

__all__ = ["Once", "Terms", "places", "running", "sequential_sum", "sum_above", "sum_by_topic"]

_T = TypeVar("_T")


def places(judged: JudgedRankings, topic: IntArray) -> IntArray:
    """Position (from 1) of each entry among those of its topic; entries are grouped by topic."""
    size = judged.count(topic)
    place: IntArray = np.arange(1, len(topic) + 1) - (np.cumsum(size) - size)[topic]
    return place


def sequential_sum(values: FloatArray) -> float:
    """Sum from left to right; ``np.sum`` adds pairwise, builtin ``sum`` compensates from Python 3.12."""
    return float(np.cumsum(values)[-1]) if len(values) else 0.0


def sum_by_topic(judged: JudgedRankings, topic: IntArray, values: FloatArray) -> FloatArray:
    """Sum of ``values`` per topic, added one by one in the given (rank) order as trec_eval does.

    ``np.bincount`` adds in input order; ``np.add.reduceat`` and ``np.sum`` add pairwise and differ in
    the last bits.
    """
    # bincount returns integers for empty input.
    return np.bincount(topic, weights=values, minlength=judged.num_topics).astype(np.float64, copy=False)


class Terms(NamedTuple):
    """The terms that a measure adds up: one per document, by topic, then by rank.

    Attributes:
        deepest: the highest rank, 0 if there are no terms.
    """

    topic: IntArray
    rank: IntArray
    value: FloatArray
    deepest: int

    @classmethod
    def of(cls, topic: IntArray, rank: IntArray, value: FloatArray) -> Terms:
        return cls(topic, rank, value, int(rank.max(initial=0)))


class Once(Protocol):
    """The type of the methods ``once`` and ``once_per_pool`` of :class:`JudgedRankings`."""

    def __call__(self, what: object, find: Callable[[], _T], /) -> _T: ...


def sum_above(
    judged: JudgedRankings,
    once: Once,
    what: tuple[object, ...],
    terms: Callable[[], Terms],
    cutoff: int | None,
) -> FloatArray:
    """Sum of each topic's terms down to a cutoff, or of all its terms; see :func:`sum_by_topic`.

    Args:
        once: ``judged.once`` or ``judged.once_per_pool``, which keep the sums.
        what: the name of the terms and everything else they depend on.
    """

    def found() -> Terms:
        return judged.lately(what, terms)

    if cutoff is not None and cutoff >= once((*what, "deepest"), lambda: found().deepest):
        cutoff = None

    def added() -> FloatArray:
        topic, rank, value, _ = found()
        if cutoff is not None:
            topic, value = topic[rank <= cutoff], value[rank <= cutoff]
        return sum_by_topic(judged, topic, value)

    return once((*what, cutoff), added)


def running(function: np.ufunc, judged: JudgedRankings, topic: IntArray, values: FloatArray) -> FloatArray:
    """Running sum (``np.add``) or product of the values within each topic, one by one.

    Not computed as differences of a running sum over all topics, which would round differently.
    """
    result = values.astype(np.float64)
    size = judged.count(topic)
    end = np.cumsum(size)
    start, end, size = (column[size > 1] for column in (end - size, end, size))
    longest = int(size.max(initial=0))
    # Few long lists are processed one after the other, many short ones side by side.
    if len(size) < longest:
        for first, last in zip(start.tolist(), end.tolist(), strict=True):
            function.accumulate(values[first:last], out=result[first:last])
    else:
        for place in range(1, longest):
            start, size = start[size > place], size[size > place]
            rows = start + place
            result[rows] = function(result[rows - 1], values[rows])
    return result
