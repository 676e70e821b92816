"""The lines that trec_eval prints, with the same bytes as C's printf."""

import math
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any, TypeAlias

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from crosscheck.axes.forms import FLOOR
from crosscheck.evaluation.summarise import summary_of_total
from crosscheck.model import FloatArray
from crosscheck.trec_eval.options import OutputColumn

#: One number per evaluated topic, or one text (``relstring``, ``runid``).
Values: TypeAlias = FloatArray | list[bytes]


class Filled(Struct, frozen=True, eq=False):
    """A column with its values.

    Attributes:
        column: definition of the column.
        values: one value per evaluated topic.
    """

    column: OutputColumn
    values: Values


def without_placeholder(filled: Filled) -> Filled:
    """A column for topics with a placeholder document, with values set to 0 or an empty text where trec_eval
    10 does so.

    trec_eval 10 does so for a few columns, selected by their printed names. All further columns keep the
    value of a ranking with one unjudged document, such as a negative ``yaap``.
    """
    name, values = filled.column.name, filled.values
    if isinstance(values, list):
        return replace(filled, values=[b""] * len(values)) if name == b"relstring" else filled
    if name in (b"num_ret", b"utility", b"rbp_resid") or name.startswith(b"unj"):
        return replace(filled, values=np.zeros(len(values)))
    return filled


def joined(one: Filled, other: Filled, order: Sequence[int]) -> Filled:
    """A column joined from its values for two sets of topics. ``order``: indices that sort the concatenated
    values."""
    if isinstance(one.values, list):
        texts = [*one.values, *other.values]
        return replace(one, values=[texts[i] for i in order])
    return replace(one, values=np.concatenate([one.values, other.values])[list(order)])


def _summarised(filled: Filled, topics: int, relevant: int | None, tag: bytes) -> float | bytes:
    """The value in the summary, computed as in trec_eval: values are added from the first topic to the last,
    then divided once; the tag of the run for ``runid``. The arguments are those of :func:`summary`."""
    family, values = filled.column.about.family, filled.values
    if family is None or isinstance(values, list):
        return tag
    if family.name == "NumQ":
        return float(topics)
    if family.name == "NumRel" and relevant is not None:
        return float(relevant)
    # trec_eval starts from 0.0, so a sum of negative zeros is not negative.
    total = 0.0 + float(np.cumsum(values)[-1])
    if family.aggregate == "geometric":
        total += (topics - len(values)) * math.log(FLOOR)
    value = summary_of_total(total, family.aggregate, topics)
    assert value is not None
    return value


_QUERY = b"\0"
#: Topics per block of lines.
_TOPICS = 1 << 12


def number(value: float) -> bytes:
    """A value as C prints it with ``%6.4f``, including the sign of a NaN."""
    if math.isnan(value):
        return b"  -nan" if math.copysign(1.0, value) < 0 else b"   nan"
    return b"%6.4f" % value


def per_topic(topics: Sequence[bytes], filled: Sequence[Filled], *, zscores: bool) -> Iterator[bytes]:
    """Yield the printed lines of each topic as one bytes object, in the order of the topics."""
    shown = [f for f in filled if f.column.about.where != "summary"]
    if not shown:
        return
    template = b"".join(_template(f.column, zscores) for f in shown)
    for start in range(0, len(topics), _TOPICS):
        some = slice(start, start + _TOPICS)
        columns = [_texts(f.column, f.values[some], zscores) for f in shown]
        for topic, row in zip(topics[some], zip(*columns, strict=True), strict=True):
            yield template.replace(_QUERY, topic.replace(b"%", b"%%")) % row


def summary(
    filled: Sequence[Filled], topics: int, relevant: int | None, tag: bytes, *, zscores: bool
) -> Iterator[bytes]:
    """Yield the summary lines, which have ``all`` in place of a topic.

    Args:
        topics: the divisor: number of evaluated topics, or under ``-c`` of all judged topics.
        relevant: under ``-c``, the number of positive judgements of all topics; else None.
        tag: run id.
    """
    for column in filled:
        if column.column.about.where != "topics":
            value = _summarised(column, topics, relevant, tag)
            if not isinstance(value, bytes):
                value = b"%d" % value if column.column.about.counts and not zscores else number(value)
            yield _template(column.column, zscores).replace(_QUERY, b"all") % value


def _template(column: OutputColumn, zscores: bool) -> bytes:
    prefix = b"Z" if zscores and column.about.family is not None else b""
    name = (b"%-22s" % column.name).replace(b"%", b"%%")
    return b"%b%b\t%b\t%b\n" % (prefix, name, _QUERY, b"'%b'" if column.about.name == "relstring" else b"%b")


def _texts(column: OutputColumn, values: Values, zscores: bool) -> Sequence[bytes]:
    if isinstance(values, list):
        return values
    if column.about.counts and not zscores:
        return [b"%d" % value for value in values.tolist()]
    return _numbers(values)


#: Values from this number on need more than six bytes and are not in the lookup table.
_LIMIT = 10.0


@cache
def _table() -> Any:
    """The texts from ``0.0000`` to ``9.9999``."""
    return np.array([b"%6.4f" % (i / 10_000) for i in range(100_000)], object)


def _numbers(values: FloatArray) -> list[bytes]:
    """The text of each value (see :func:`number`), from a lookup table unless the value is near the middle
    between two texts."""
    if len(values) < 1000:
        return [number(value) for value in values.tolist()]
    listed = (values >= 0) & (values < _LIMIT - 0.001)
    scaled = np.where(listed, values, 0.0) * 10_000
    nearest = np.rint(scaled)
    texts: list[bytes] = _table().take(nearest.astype(np.int64)).tolist()
    # Near the middle between two texts the rounded product is not reliable.
    for i in np.flatnonzero((np.abs(scaled - nearest) > 0.4999) | ~listed | np.signbit(values)).tolist():
        texts[i] = number(float(values[i]))
    return texts
