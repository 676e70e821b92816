"""trec_eval's lines, byte by byte as C's printf writes them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

import numpy as np

from crosscheck.model import FloatArray
from crosscheck.trec_eval.parameters import Column
from crosscheck.trec_eval.table import Filled, Values

__all__ = ["number", "per_topic", "summary"]

_QUERY = b"\0"
#: Topics per block of lines.
_TOPICS = 1 << 12


def number(value: float) -> bytes:
    """A value as C prints it with ``%6.4f``, also the sign of a NaN."""
    if math.isnan(value):
        return b"  -nan" if math.copysign(1.0, value) < 0 else b"   nan"
    return b"%6.4f" % value


def per_topic(topics: Sequence[bytes], filled: Sequence[Filled], *, zscores: bool) -> Iterator[bytes]:
    """The printed lines of each topic, as one bytes object per topic, in order."""
    shown = [f for f in filled if f.column.about.where != "summary"]
    if not shown:
        return
    template = b"".join(_template(f.column, zscores) for f in shown)
    for start in range(0, len(topics), _TOPICS):
        some = slice(start, start + _TOPICS)
        columns = [_texts(f.column, f.values[some], zscores) for f in shown]
        for topic, row in zip(topics[some], zip(*columns, strict=True), strict=True):
            yield template.replace(_QUERY, topic.replace(b"%", b"%%")) % row


def summary(filled: Sequence[Filled], *, zscores: bool) -> bytes:
    """The summary lines, which have ``all`` in place of a topic."""
    lines: list[bytes] = []
    for column in filled:
        if isinstance(column.summary, bytes):
            text = column.summary
        elif column.summary is None:
            continue
        elif column.column.about.counts and not zscores:
            text = b"%d" % column.summary
        else:
            text = number(column.summary)
        lines.append(_template(column.column, zscores).replace(_QUERY, b"all") % text)
    return b"".join(lines)


def _template(column: Column, zscores: bool) -> bytes:
    text = column.about.name in ("runid", "relstring")
    name = b"%-22s" % column.name
    quotes = b"'%b'" if column.about.name == "relstring" else b"%b"
    return b"%b%b\t%b\t%b\n" % (
        b"Z" if zscores and not text else b"",
        name.replace(b"%", b"%%"),
        _QUERY,
        quotes,
    )


def _texts(column: Column, values: Values, zscores: bool) -> Sequence[bytes]:
    if isinstance(values, list):
        return values
    if column.about.counts and not zscores:
        return [b"%d" % value for value in values.tolist()]
    return _numbers(values)


#: Larger values need more than six bytes and are not in the table.
_LIMIT = 10.0


@cache
def _table() -> Any:
    """The texts from ``0.0000`` to ``9.9999``."""
    return np.array([b"%6.4f" % (i / 10_000) for i in range(100_000)], object)


def _numbers(values: FloatArray) -> list[bytes]:
    """:func:`number` of each value, from a lookup table unless the value is near a rounding boundary."""
    if len(values) < 1000:
        return [number(value) for value in values.tolist()]
    scaled = np.where((values >= 0) & (values < _LIMIT - 0.001), values, 0.0) * 10_000
    nearest = np.rint(scaled)
    texts: list[bytes] = _table().take(nearest.astype(np.int64)).tolist()
    # Near the middle between two texts the rounded product is not reliable.
    doubtful = (np.abs(scaled - nearest) > 0.4999) | ~((values >= 0) & (values < _LIMIT - 0.001))
    doubtful |= np.signbit(values)
    for i in np.flatnonzero(doubtful).tolist():
        texts[i] = number(float(values[i]))
    return texts
