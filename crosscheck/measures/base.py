"""What a measure family is, and the exact arithmetic that all of them share."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

import numpy as np

from crosscheck.conventions import Conventions, Discount
from crosscheck.model import FloatArray, IntArray, Measure
from crosscheck.rankings.judged import Judged

__all__ = ["Compute", "Family", "discounts", "divide", "relevant", "sum_by_topic"]

#: From judged rankings, conventions and parameters to one value per topic, shape (num_topics,).
Compute: TypeAlias = Callable[[Judged, Conventions, Measure], FloatArray]


@dataclass(frozen=True, slots=True)
class Family:
    """One family of measures: each module of this package exports some as ``FAMILIES``.

    Attributes:
        name: canonical (ir_measures) name.
        compute: see :data:`Compute`. Values of topics without relevant documents are trec_eval's.
        summary: what it measures, in one line.
        trec_eval: trec_eval's name without a cutoff, None where it has none.
        trec_eval_cut: trec_eval's name with a cutoff, None where it has none.
        cutoff: whether ``@k`` is refused, possible or needed.
        rel: whether ``(rel=n)`` is possible.
        params: further parameters with their defaults.
        axes: the axes of :class:`Conventions` that its formula reads, beyond those of the ranking.
        ranked: whether the order of the retrieved documents matters.
        total: whether trec_eval's summary is the sum over topics instead of the mean.
        aliases: other spellings.
    """

    name: str
    compute: Compute
    summary: str
    trec_eval: str | None = None
    trec_eval_cut: str | None = None
    cutoff: Literal["none", "optional", "required"] = "none"
    rel: bool = True
    params: dict[str, float] = field(default_factory=dict)
    axes: frozenset[str] = frozenset()
    ranked: bool = True
    total: bool = False
    aliases: tuple[str, ...] = ()


def relevant(judged: Judged, level: int, cutoff: int | None = None) -> tuple[IntArray, IntArray]:
    """Topic and rank of the retrieved documents with a level of at least ``level``, up to ``cutoff``."""
    hit = judged.rel >= level
    if cutoff is not None:
        hit &= judged.rank <= cutoff
    return judged.topic[hit], judged.rank[hit]


def sum_by_topic(judged: Judged, topic: IntArray, values: FloatArray) -> FloatArray:
    """Sum of ``values`` per topic, added one by one in the given (rank) order as trec_eval does.

    ``np.bincount`` adds in input order; ``np.add.reduceat`` and ``np.sum`` add pairwise and differ in
    the last bits.
    """
    summed: FloatArray = np.bincount(topic, weights=values, minlength=judged.num_topics)
    return summed


def divide(numerator: FloatArray | IntArray, denominator: FloatArray | IntArray | float) -> FloatArray:
    """Quotient in double precision; 0.0 where the denominator is 0."""
    over = np.broadcast_to(np.asarray(denominator, np.float64), np.shape(numerator))
    result = np.zeros(np.shape(numerator))
    np.divide(numerator, over, out=result, where=over != 0)
    return result


_TABLES: dict[Callable[[float], float], FloatArray] = {}


def _table(function: Callable[[float], float], size: int) -> FloatArray:
    """``function(i)`` at index i from 0 to at least ``size``; 1.0 at indices 0 and 1.

    From :mod:`math`, which is libm's: ``np.log2`` and ``np.log`` differ from it in the last bit.
    """
    table = _TABLES.get(function)
    if table is None or len(table) <= size:
        length = max(1024, 2 * (0 if table is None else len(table)), size + 1)
        values: Iterable[float] = map(function, range(2, length))
        table = np.concatenate(([1.0, 1.0], np.fromiter(values, np.float64, length - 2)))
        _TABLES[function] = table
    return table


def discounts(conventions: Conventions, rank: IntArray) -> FloatArray:
    """Divisor of the gain at each rank (1-based): log2(i + 1), or Järvelin's form with log2 or ln."""
    deepest = int(rank.max(initial=1))
    match conventions.discount:
        case Discount.LOG2:
            return _table(math.log2, deepest + 1)[rank + 1]
        case Discount.JARVELIN:
            return _table(math.log2, deepest)[rank]
        case Discount.LN_JARVELIN:
            return _table(math.log, deepest)[rank]
