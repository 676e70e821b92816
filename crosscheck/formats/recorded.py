"""Saved values: as trec_eval or ndeval prints them, or JSON ``{query: {measure: value}}``.

The digits of a single number do not show how far it was rounded, because programs drop trailing zeros. The
longest number of the same measure does.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from statistics import fmean
from typing import Any, NamedTuple

from msgspec import Struct

from crosscheck.errors import InputError, UsageError, quoted
from crosscheck.formats.dicts import encoded_id
from crosscheck.formats.numerals import FULL_PRECISION, PRINTED, printed_number
from crosscheck.formats.source import BOM, parse_json, read_input, write_whole
from crosscheck.model import display
from crosscheck.results import number as json_number

#: The start of a table of ndeval or gdeval.
_HEAD = b"runid,topic,"
_MEAN = b"amean"


_EXPECTED = (
    "trec_eval -q output: lines of measure, topic (or all), value; a table of ndeval;"
    " or JSON {topic: {measure: value}}"
)
#: trec_eval's measures whose values are text.
_TEXT_VALUED = re.compile(r"runid|relstring(_\d+)?")
#: Numbers of digits after the point that show rounding: fewer may be short exact numbers (all values are
#: 0.5 or 1.0), more are full precision.
_ROUNDED = range(3, FULL_PRECISION)
_ALL = b"all"


class Recorded(Struct, frozen=True, kw_only=True):
    """Saved values.

    Attributes:
        values: measure as spelt in the file -> topic -> value; NaN and infinities included.
        means: measure -> its value over all topics (the topic ``all``), if the file has one.
        decimals: measure -> digits after the point that its values were printed with; None for full
            precision.
        source: the file.
    """

    values: dict[str, dict[bytes, float]]
    means: dict[str, float]
    decimals: dict[str, int | None]
    source: str


class _SavedEntry(NamedTuple):
    """One value of a file; ``text`` is its printed text, None for a number in JSON."""

    measure: str
    topic: bytes
    value: float
    text: str | None


def read_recorded(path: str) -> Recorded:
    """Read saved values, also from a compressed file. The content shows the form:

    - Three columns ``measure topic value``, as ``trec_eval -q`` prints them. Blank lines and measures whose
      values are text (runid, relstring) are skipped; ``nan``, ``-nan`` and infinities are accepted.
    - The output of ndeval and gdeval, whose first line is ``runid,topic,MEASURE,...``.
    - JSON ``{topic: {measure: value}}``. A value is a number (taken as exact), a string with a number as it
      was printed (its digits show the rounding), or ``"NaN"``, ``"Infinity"`` or ``"-Infinity"``. null is an
      error, because a missing value is not NaN: leave the measure out instead.

    Raises:
        InputError: the file cannot be read, holds no value, or has two values of a measure for a topic.
    """
    data = read_input(path, _EXPECTED).removeprefix(BOM)
    if data.lstrip().startswith(b"{"):
        entries = list(_json_entries(parse_json(data, path, _EXPECTED), path))
    else:
        entries = list((_table_entries if data.lstrip().startswith(_HEAD) else _text_entries)(data, path))
    values: dict[str, dict[bytes, float]] = {}
    means: dict[str, float] = {}
    for measure, topic, value, _ in entries:
        if topic == _ALL:
            means[measure] = value
        else:
            values.setdefault(measure, {})[topic] = value
    if not entries:
        raise InputError("the file holds no value", path=path, expected=_EXPECTED)
    return Recorded(values=values, means=means, decimals=_decimals(entries, values, means), source=path)


def _once(
    where: dict[Any, int], key: Any, number: int, line: bytes, path: str, problem: str, made_by: str
) -> None:
    """Remember in ``where`` that the value ``key`` is on line ``number``; raise InputError if an earlier line
    has the same key. ``made_by`` is the kind of call whose output the file should be."""
    if (before := where.setdefault(key, number)) != number:
        raise InputError(
            f"{problem} on lines {before} and {number}",
            path=path,
            line=number,
            found=line,
            expected=f"the output of one {made_by}",
            hint="save the output of each call in its own file",
        )


def _text_entries(data: bytes, path: str) -> Iterator[_SavedEntry]:
    """The values that trec_eval printed, one on each line."""
    where: dict[Any, int] = {}
    for number, line in enumerate(data.split(b"\n"), 1):
        columns = line.split()
        if not columns or _TEXT_VALUED.fullmatch(measure := display(columns[0])):
            continue
        if len(columns) != 3 or not PRINTED.fullmatch(columns[2]):
            wrong = partial(InputError, path=path, line=number, found=line, expected=_EXPECTED)
            raise wrong(
                "the line does not have the columns measure, topic and value",
                hint="save the output of trec_eval -q as it is",
            )
        _, topic, text = columns
        twice = f"measure {quoted(measure)} has two values for topic {quoted(display(topic))},"
        _once(where, (columns[0], topic), number, line, path, twice, "trec_eval call")
        yield _SavedEntry(measure, topic, float(text), text.decode())


def _table_entries(data: bytes, path: str) -> Iterator[_SavedEntry]:
    """The values in a table of ndeval or gdeval; the topic of the line ``amean`` is ``all``."""
    lines = [(number, line.strip()) for number, line in enumerate(data.split(b"\n"), 1) if line.strip()]
    head, first = lines[0]
    measures = [display(name) for name in first.split(b",")[2:]]
    if twice := next((name for name in measures if measures.count(name) > 1), None):
        raise InputError(f"measure {quoted(twice)} occurs twice", path=path, line=head)
    where: dict[Any, int] = {}
    for number, line in lines[1:]:
        _, *columns = line.split(b",")
        topic, values = b"".join(columns[:1]), columns[1:]
        if len(values) != len(measures) or not all(map(PRINTED.fullmatch, values)):
            raise InputError(
                f"the line does not have a run id, a topic and {len(measures)} numbers",
                path=path,
                line=number,
                found=line,
                expected=f"as in line {head}: {quoted(first)}",
                hint="save the output of ndeval as it is",
            )
        _once(where, topic, number, line, path, f"topic {quoted(display(topic))} is", "call of ndeval")
        for measure, text in zip(measures, values, strict=True):
            yield _SavedEntry(measure, _ALL if topic == _MEAN else topic, float(text), text.decode())


def _decimals(
    entries: Sequence[_SavedEntry], values: Mapping[str, Mapping[bytes, float]], means: Mapping[str, float]
) -> dict[str, int | None]:
    """The number of digits after the point to which each measure was rounded; None if its values are exact.

    The value of the measure with the most digits decides. If it has only one or two digits after the point,
    the values are taken as exact, with two exceptions: a measure elsewhere in the file shows how far all
    values were rounded, or the printed mean differs from the mean of the values by what rounding explains.
    """
    longest: dict[str, int] = {}
    for measure, _, value, text in entries:
        exact = text is None and math.isfinite(value) and not value.is_integer()
        longest[measure] = max(longest.get(measure, 0), FULL_PRECISION if exact else _digits(text or ""))
    of_file = max(longest.values(), default=0)
    decimals: dict[str, int | None] = {}
    for measure, digits in longest.items():
        few = 0 < digits < _ROUNDED.start
        printed = of_file if few else digits
        decimals[measure] = printed if printed in _ROUNDED else None
        if few and of_file < _ROUNDED.start and measure in means:
            off = abs(fmean(values.get(measure, {}).values() or [math.nan]) - means[measure])
            decimals[measure] = digits if 1e-9 < off <= 0.5 * 10.0**-digits else None
    return decimals


def _digits(text: str) -> int:
    """The number of digits after the point. A number with an exponent gives 0, because its digits say nothing
    about other numbers, unless there are so many that it is exact."""
    number, _, exponent = text.lower().partition("e")
    digits = len(number.partition(".")[2])
    return digits if not exponent or digits >= FULL_PRECISION else 0


def _json_entries(document: Any, path: str) -> Iterator[_SavedEntry]:
    for topic, measures in document.items():
        where = f"topic {quoted(topic)}"
        if not isinstance(measures, dict):
            problem = f"{where}: the value is not an object {{measure: value}}"
            raise InputError(problem, path=path, found=repr(measures), expected=_EXPECTED)
        for measure, value in measures.items():
            text = None
            if isinstance(value, str) and value in ("NaN", "Infinity", "-Infinity"):
                value = float(value)
            elif isinstance(value, str) and (number := printed_number(value)) is not None:
                text, value = value, float(number)
            if isinstance(value, bool) or not isinstance(value, int | float):
                raise InputError(
                    f"{where}, measure {quoted(measure)}: the value is not a number",
                    path=path,
                    found="null" if value is None else repr(value),
                    expected='a number, also as text, or "NaN", "Infinity" or "-Infinity"',
                    hint="leave the measure out where there is no value" if value is None else None,
                )
            try:
                yield _SavedEntry(measure, encoded_id(topic, path), float(value), text)
            except OverflowError:
                problem = f"{where}, measure {quoted(measure)}: the number is too large for a float"
                raise InputError(problem, path=path, expected=_EXPECTED) from None


def write_recorded(
    path: str, values: Mapping[str, Mapping[bytes, float]], means: Mapping[str, float]
) -> None:
    """Write values in the layout of ``trec_eval -q``, topics in byte order, then the means as ``all``.

    The numbers are exact: the shortest digits that read back to the same double, padded with zeros to 17
    decimals so that they do not look rounded. A path that ends in ``.json`` gets JSON ``{topic: {measure:
    value}}``.

    Raises:
        UsageError: this layout cannot hold a measure name or topic id: it is empty or contains blanks, or the
            topic is ``all``.
        InputError: the file cannot be written.
    """
    topics = sorted({topic for of_measure in values.values() for topic in of_measure})
    if _ALL in topics:
        raise UsageError("a topic named 'all' cannot be distinguished from the means in trec_eval's layout")
    by_topic = {topic: {m: held[topic] for m, held in values.items() if topic in held} for topic in topics}
    by_topic |= {_ALL: dict(means)} if means else {}
    if path.endswith(".json"):
        # An id that is not UTF-8 is written with JSON escapes.
        table = {
            topic.decode("utf-8", "surrogateescape"): {m: json_number(value) for m, value in held.items()}
            for topic, held in by_topic.items()
        }
        data = json.dumps(table, indent=1).encode() + b"\n"
    else:
        lines = [_line(m, topic, value) for topic, held in by_topic.items() for m, value in held.items()]
        data = b"".join(lines)
    try:
        write_whole(path, data)
    except OSError as error:
        raise InputError(f"the file cannot be written: {error.strerror}", path=path) from None


def _line(measure: str, topic: bytes, value: float) -> bytes:
    name = measure.encode()
    for word in (name, topic):
        if len(word.split()) != 1 or word.split() != [word]:
            raise UsageError(f"{quoted(word)} does not fit into a column of trec_eval's layout")
    return b"%-22s\t%s\t%s\n" % (name, topic, _exact(value).encode())


def _exact(value: float) -> str:
    text = repr(float(value))
    digits = text.partition(".")[2]
    return text + "0" * (17 - len(digits)) if digits.isdigit() else text
