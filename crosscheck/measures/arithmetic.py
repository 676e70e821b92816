"""The exact arithmetic that all families share: sums, logarithms, discounts, places in rankings."""

import math
from collections.abc import Callable, Iterable
from typing import TypeAlias

import numpy as np

from crosscheck.axes.forms import FLOOR, GEOMETRIC_FLOOR, GeometricFloor
from crosscheck.axes.gains import DISCOUNT, Discount
from crosscheck.conventions import Conventions
from crosscheck.model import FloatArray, IntArray
from crosscheck.rankings.judged import JudgedRankings

#: Topic, rank and value of the terms that a measure adds up, one per document, sorted by topic, then by rank.
Terms: TypeAlias = tuple[IntArray, IntArray, FloatArray]


def returned(judged: JudgedRankings, cutoff: int | None) -> IntArray:
    """Number of documents retrieved down to the cutoff, per topic."""
    return judged.num_ret if cutoff is None else np.minimum(judged.num_ret, cutoff)


def powers(base: float, length: int) -> FloatArray:
    """1, ``base``, ``base``², ... by repeated multiplication."""
    factors = np.full(length, base)
    factors[:1] = 1.0
    return np.multiply.accumulate(factors)


def divide(numerator: FloatArray | IntArray, denominator: FloatArray | IntArray | float) -> FloatArray:
    """Quotient in double precision; 0.0 if the denominator is 0."""
    if isinstance(denominator, np.ndarray):
        never_zero = np.count_nonzero(denominator) == denominator.size
    else:
        never_zero = denominator != 0
    if never_zero:
        return numerator / denominator
    return np.divide(numerator, denominator, out=np.zeros(numerator.shape), where=denominator != 0)


def logs(function: Callable[[float], float], values: FloatArray) -> FloatArray:
    """A logarithm of each value by ``function``, which is :func:`math.log` or :func:`math.log2`. These call
    libm, as trec_eval does; numpy's logarithms differ in the last bit.

    As in C, the logarithm of 0 is -infinity, and the logarithm of a negative number is NaN.
    """
    positive = values > 0
    if positive.all():
        return np.fromiter(map(function, values.tolist()), np.float64, len(values))
    result = np.where(values == 0, -np.inf, np.nan)
    result[positive] = logs(function, values[positive])
    return result


def log2(values: FloatArray) -> FloatArray:
    """libm's log2 of each value, from a table for whole numbers."""
    if len(values) and np.all((values == np.floor(values)) & (values >= 2) & (values < 2**20)):
        return _table(math.log2, int(values.max()))[values.astype(np.int64)]
    return logs(math.log2, values)


def floored_log(values: FloatArray, conventions: Conventions) -> FloatArray:
    """ln of each value. The axis ``geometric_floor`` says which small values are raised to 0.00001 first."""
    if conventions[GEOMETRIC_FLOOR] is GeometricFloor.MAX:
        values = np.maximum(values, FLOOR)
    elif conventions[GEOMETRIC_FLOOR] is GeometricFloor.REPLACE_ZERO:
        values = np.where(values == 0, FLOOR, values)
    return logs(math.log, values)


_TABLES: dict[Callable[[float], float], FloatArray] = {}


def _table(function: Callable[[float], float], size: int) -> FloatArray:
    """``function(i)`` at index i from 0 to at least ``size``; 1.0 at indices 0 and 1.

    Computed by :mod:`math`, which calls libm; ``np.log2`` and ``np.log`` differ from it in the last bit.
    """
    table = _TABLES.get(function)
    if table is None or len(table) <= size:
        length = max(1024, 2 * (0 if table is None else len(table)), size + 1)
        values: Iterable[float] = map(function, range(2, length))
        table = np.concatenate(([1.0, 1.0], np.fromiter(values, np.float64, length - 2)))
        _TABLES[function] = table
    return table


#: Discount -> its logarithm, the number added to the rank first, and the lowest rank with a logarithm of its
#: own (lower ranks have the logarithm of this rank).
_LOGS: dict[Discount, tuple[Callable[[float], float], int, int]] = {
    Discount.LOG2: (math.log2, 1, 0),
    Discount.JARVELIN: (math.log2, 0, 0),
    Discount.LN_JARVELIN: (math.log, 0, 0),
    Discount.LN: (math.log, 1, 0),
    Discount.LOG10: (math.log10, 1, 0),
    Discount.JARVELIN_3: (lambda value: math.log(value, 3), 0, 3),
    Discount.JARVELIN_10: (math.log10, 0, 10),
}


def discounts(conventions: Conventions, rank: IntArray) -> FloatArray:
    """Divisor of the gain at each rank (1-based), under the axis ``discount``."""
    discount = conventions[DISCOUNT]
    if discount is Discount.RANK:
        return rank.astype(np.float64)
    if discount is Discount.NONE:
        return np.ones(len(rank))
    logarithm, shift, least = _LOGS[discount]
    shifted = np.maximum(rank + shift, least) if least else rank + shift
    return _table(logarithm, int(shifted.max(initial=1)))[shifted]


def places(judged: JudgedRankings, topic: IntArray) -> IntArray:
    """Position, from 1, of each entry among the entries of its topic. Entries must be grouped by topic."""
    size = judged.count(topic)
    return np.arange(1, len(topic) + 1) - (np.cumsum(size) - size)[topic]


def number_before(key: IntArray, order: IntArray) -> IntArray:
    """For each entry, the number of entries with the same key that come earlier in ``order``. In ``order``,
    entries with equal keys must be next to each other."""
    starts = np.flatnonzero(np.diff(key[order], prepend=-1))
    before = np.empty(len(key), np.int64)
    before[order] = np.arange(len(key)) - np.repeat(starts, np.diff(np.append(starts, len(key))))
    return before


def sequential_sum(values: FloatArray) -> float:
    """Sum added from left to right, as in C. ``np.sum`` adds pairwise, and the builtin ``sum`` corrects
    rounding errors from Python 3.12 on."""
    return float(np.cumsum(values)[-1]) if len(values) else 0.0


def sum_by_topic(judged: JudgedRankings, topic: IntArray, values: FloatArray) -> FloatArray:
    """Sum of ``values`` per topic, added one by one in the given (rank) order as trec_eval does.

    ``np.bincount`` adds in input order; ``np.add.reduceat`` and ``np.sum`` add pairwise and differ in
    the last bits.
    """
    # bincount returns integers for empty input.
    return np.bincount(topic, weights=values, minlength=judged.num_topics).astype(np.float64, copy=False)


def sum_above(
    judged: JudgedRankings,
    what: tuple[object, ...],
    terms: Callable[[], Terms],
    cutoff: int | None,
    *,
    per_pool: bool = False,
) -> FloatArray:
    """Sum of each topic's terms down to a cutoff (None: of all terms), added by :func:`sum_by_topic`. Results
    are cached.

    Args:
        what: key of the cache: a name for the terms, and everything that they depend on.
        terms: computes the terms.
        per_pool: whether the terms depend only on the judgements, not on the run.
    """
    once = judged.once_per_pool if per_pool else judged.once

    def found() -> Terms:
        return judged.once_keep_latest(what, terms)

    if cutoff is not None and cutoff >= once((*what, "deepest"), lambda: found()[1].max(initial=0)):
        cutoff = None

    def added() -> FloatArray:
        topic, rank, value = found()
        if cutoff is not None:
            topic, value = topic[rank <= cutoff], value[rank <= cutoff]
        return sum_by_topic(judged, topic, value)

    return once((*what, cutoff), added)


def running(function: np.ufunc, judged: JudgedRankings, topic: IntArray, values: FloatArray) -> FloatArray:
    """Running sum (``np.add``) or running product (``np.multiply``) of the values within each topic.

    Each topic starts anew: differences of a running sum over all topics would be rounded differently.
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
