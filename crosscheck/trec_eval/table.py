"""The numbers printed by one call: a column per measure, with values per topic and a summary."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from crosscheck.axes.forms import FLOOR
from crosscheck.model import FloatArray
from crosscheck.trec_eval.parameters import Column

__all__ = ["Filled", "Totals", "Values", "joined", "summarised", "without_placeholder"]

#: One number per evaluated topic, or one text (``relstring``, ``runid``).
Values: TypeAlias = FloatArray | list[bytes]


class Filled(Struct, frozen=True, eq=False):
    """A column with its values.

    Attributes:
        column: definition of the column.
        values: one value per evaluated topic.
        summary: value over all topics; None if there is none.
    """

    column: Column
    values: Values
    summary: float | bytes | None = None


class Totals(Struct, frozen=True, kw_only=True, eq=False):
    """The numbers that the summary needs beside the values.

    Attributes:
        topics: the divisor: topics evaluated, or all topics of the judgements under ``-c``.
        without_values: number of these topics that were not evaluated.
        relevant: positive judgements of all topics under ``-c``, else None.
        tag: run id.
    """

    topics: int
    without_values: int
    relevant: int | None
    tag: bytes


def without_placeholder(filled: Filled) -> Filled:
    """The column of topics with a placeholder document, reset to 0 or an empty text if trec_eval 10 does so.

    trec_eval 10 resets a few columns, by their printed name. The other columns keep the value for a ranking
    of one unjudged document, such as a negative ``yaap``.
    """
    name, values = filled.column.name, filled.values
    if isinstance(values, list):
        return replace(filled, values=[b""] * len(values)) if name == b"relstring" else filled
    if name in (b"num_ret", b"utility", b"rbp_resid") or name.startswith(b"unj"):
        return replace(filled, values=np.zeros(len(values)))
    return filled


def joined(one: Filled, other: Filled, order: Sequence[int]) -> Filled:
    """One column from its values for two sets of topics; ``order`` indexes the two, one after the other."""
    if isinstance(one.values, list) or isinstance(other.values, list):
        texts = [*one.values, *other.values]
        return replace(one, values=[texts[i] for i in order])
    return replace(one, values=np.concatenate([one.values, other.values])[list(order)])


def summarised(filled: Filled, totals: Totals) -> Filled:
    """The column with trec_eval's summary: additions from the first topic to the last, then one division."""
    about, values = filled.column.about, filled.values
    if about.where == "topics":
        return filled
    if isinstance(values, list):
        return replace(filled, summary=totals.tag)
    if about.name == "num_q":
        return replace(filled, summary=float(totals.topics))
    if about.name == "num_rel" and totals.relevant is not None:
        return replace(filled, summary=float(totals.relevant))
    # trec_eval starts from 0.0, so a sum of negative zeros is not negative.
    total = 0.0 + float(np.cumsum(values)[-1])
    if about.counts:
        return replace(filled, summary=total)
    if not about.name.startswith("gm_"):
        return replace(filled, summary=total / totals.topics)
    if totals.without_values:
        total += totals.without_values * math.log(FLOOR)
    return replace(filled, summary=_exp(total / totals.topics))


def _exp(value: float) -> float:
    try:
        return math.exp(value)
    except OverflowError:
        return math.inf
