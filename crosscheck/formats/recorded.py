"""Saved values: as trec_eval, ndeval or ``crosscheck evaluate`` writes them, tables, and JSON.

The digits of a single number do not show how far it was rounded, because programs drop trailing zeros. The
longest number of the same measure does.
"""

import csv
import io
import json
import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from statistics import fmean
from typing import Any, NamedTuple, TypeAlias

from msgspec import Struct

from crosscheck.errors import InputError, UsageError, first_few, quoted
from crosscheck.formats.dicts import encoded_id
from crosscheck.formats.forms import SPELLINGS, cells_of_line, place_of
from crosscheck.formats.numerals import FULL_PRECISION, PRINTED, printed_number
from crosscheck.formats.source import BOM, carriage_return, parse_json, read_input, write_whole
from crosscheck.model import display
from crosscheck.results import number as json_number

_EXPECTED = (
    "output of trec_eval -q or ir_measures -q: lines of measure, topic (or all), value; a table whose first"
    " line names its columns, such as query,measure,value or query,AP,P@10; or JSON {topic: {measure:"
    " value}}"
)
#: Column of a table -> the names that it may have.
_COLUMNS = {
    "run": [*SPELLINGS["tag"], "name"],
    "topic": SPELLINGS["topic"],
    "measure": ["measure", "metric"],
    "value": ["value", "score"],
}
#: The columns that ``crosscheck evaluate --output tsv`` writes without their names.
_UNNAMED = ["run", "measure", "query", "value"]
#: trec_eval's measures whose values are text.
_TEXT_VALUED = re.compile(r"runid|relstring(_\d+)?")
#: Numbers of digits after the point that show rounding: fewer may be short exact numbers (all values are
#: 0.5 or 1.0), more are full precision.
_ROUNDED = range(3, FULL_PRECISION)
_ALL = b"all"
#: Topics that stand for all where there is no topic "all": in tables of ndeval and gdeval, and in those that
#: people append to their own.
_MEANS = (b"amean", b"mean", b"average", b"avg", b"overall", _ALL)
#: Measure -> topic -> value.
_Values: TypeAlias = Mapping[str, Mapping[bytes, float]]


class TableError(InputError):
    """A table with blanks between its columns, as ``crosscheck evaluate`` prints: names may hold some."""


class Recorded(Struct, frozen=True, kw_only=True):
    """Saved values.

    Attributes:
        values: measure as spelt in the file -> topic -> value; NaN and infinities included.
        means: measure -> its value over all topics, if the file has one: of the topic ``all``, or in a file
            without it of ``mean``, ``average``, ``avg``, ``overall``, ``amean`` or ``ALL``.
        decimals: measure -> digits after the point that its values were printed with; None for full
            precision.
    """

    values: dict[str, dict[bytes, float]]
    means: dict[str, float]
    decimals: dict[str, int | None]


class _SavedEntry(NamedTuple):
    """One value of a file.

    Attributes:
        text: the printed number; None for a number in JSON.
        place: the line, or the number of the object in a list, of the value; 0 if ids cannot repeat.
        run: the run that the value is of; empty if the file does not say it.
    """

    measure: str
    topic: bytes
    value: float
    text: str | None
    place: int = 0
    run: str = ""


def read_recorded(path: str, known: Callable[[str], bool] = lambda text: False) -> Recorded:
    """Read saved values, also from a compressed file. The content shows the form:

    - Three columns ``measure topic value``, as ``trec_eval -q`` prints them, or ``topic measure value``, or
      two columns ``measure value`` of means, as ir_measures prints them. Blank lines and measures whose
      values are text (runid, relstring) are skipped; ``nan``, ``-nan`` and infinities are accepted.
    - A table with commas, tabs or semicolons whose first line names a column of topics, and either columns of
      measures and values or one column for each measure, as ndeval, gdeval, pandas and ``crosscheck
      evaluate`` write it. An empty cell, ``-`` and ``NA`` are no value. Without topics, the values are means.
    - JSON ``{topic: {measure: value}}``, ``{measure: {topic: value}}`` or ``{measure: mean}``. A value is a
      number (taken as exact), a string with a number as it was printed (its digits show the rounding), or
      ``"NaN"``, ``"Infinity"`` or ``"-Infinity"``. null is an error, because a missing value is not NaN:
      leave the measure out instead.
    - JSON ``[{"query": topic, "measure": measure, "value": value}, ...]`` or ``[{"query": topic, measure:
      value, ...}, ...]``, also with one object on each line; null is no value here.

    Args:
        path: the file.
        known: whether a text is the name of a measure. The measure is what ``trec_eval`` has in its place,
            unless all texts in the place of the topic are such names, and not all in its own.

    Raises:
        TableError: the file is a table with blanks between its columns.
        InputError: the file cannot be read, holds no value, has two values of a measure for a topic, or has
            values of several runs.
    """
    data = read_input(path, _EXPECTED).removeprefix(BOM)
    if data.lstrip().startswith((b"{", b"[")):
        rows = [row for row in data.splitlines() if row.strip()]
        by_line = len(rows) > 1 and all(row.startswith(b"{") and row.rstrip().endswith(b"}") for row in rows)
        document = parse_json(b"[%b]" % b",\n".join(rows) if by_line else data, path, _EXPECTED)
        entries = list(_json_entries(document, path, known))
    elif delimiter := _delimiter(data):
        entries = list(_table_entries(data, delimiter, path))
    else:
        entries = list(_text_entries(data, path, known))
    if not entries:
        raise InputError("the file holds no value", path=path, expected=_EXPECTED)
    runs = dict.fromkeys(entry.run for entry in entries)
    if len(runs) > 1:
        problem = f"the file holds values of {len(runs)} runs: {first_few(map(quoted, runs), 3)}"
        raise InputError(problem, path=path, hint="save the values of each run in a file of its own")
    if not any(entry.topic == _ALL for entry in entries):
        entries = [e._replace(topic=_ALL) if e.topic.lower() in _MEANS else e for e in entries]
    values: dict[str, dict[bytes, float]] = {}
    means: dict[str, float] = {}
    places: dict[tuple[str, bytes], int] = {}
    for measure, topic, value, _, place, _ in entries:
        if (before := places.setdefault((measure, topic), place)) != place:
            where = f"{'objects' if data.lstrip().startswith(b'[') else 'lines'} {before} and {place}"
            twice = f"measure {quoted(measure)} has two values for topic {quoted(display(topic))}, in {where}"
            expected, hint = "the output of one call", "save the output of each call in its own file"
            raise InputError(twice, path=path, line=place, expected=expected, hint=hint)
        if topic == _ALL:
            means[measure] = value
        else:
            values.setdefault(measure, {})[topic] = value
    return Recorded(values=values, means=means, decimals=_decimals(entries, values, means))


def _text_entries(data: bytes, path: str, known: Callable[[str], bool]) -> Iterator[_SavedEntry]:
    """The values that trec_eval or ir_measures printed, one on each line."""
    rows = [
        (number, line, columns)
        for number, line in enumerate(data.split(b"\n"), 1)
        if (columns := line.split()) and not _TEXT_VALUED.fullmatch(display(columns[0]))
    ]
    means = all(len(columns) == 2 and known(display(columns[0])) for _, _, columns in rows)
    if means and any(b"." in columns[1] for _, _, columns in rows):  # else perhaps topics without values
        rows = [(number, line, [name, _ALL, text]) for number, line, (name, text) in rows]
    head = [display(word) for word in rows[0][2]] if rows else []
    of_table = head[:1] in (["run"], ["query"], ["measure"])
    if of_table and all(word in ("query", "mean") or known(word) for word in head[1:]):
        problem = "the file holds values of measures, in a table with blanks between its columns"
        raise TableError(problem, path=path, hint="save the values with crosscheck evaluate --output csv")
    for number, line, columns in rows:
        if b"\r" in line.strip():
            raise carriage_return(path, number, line)
        if len(columns) != 3 or not PRINTED.fullmatch(columns[2]):
            problem = "the line does not have the columns measure, topic and value"
            hint = "save the output of trec_eval -q as it is"
            raise InputError(problem, path=path, line=number, found=line, expected=_EXPECTED, hint=hint)
    first, second = (dict.fromkeys(display(columns[place]) for _, _, columns in rows) for place in (0, 1))
    turned = _turned(first, second, known)
    for number, _, (measure, topic, text) in rows:
        name, of = (topic, measure) if turned else (measure, topic)
        yield _SavedEntry(display(name), of, float(text), text.decode(), number)


def _turned(measures: Iterable[str], topics: Iterable[str], known: Callable[[str], bool]) -> bool:
    """Whether measures and topics are in the place of each other: all the "topics" are names of measures."""
    names = list(topics)
    return bool(names) and all(map(known, names)) and not all(map(known, measures))


def _delimiter(data: bytes) -> str | None:
    """The character between the cells of a table; None if the first line is not one of a table."""
    for delimiter, cells in cells_of_line(data.lstrip().partition(b"\n")[0], "\t,;"):
        unnamed = delimiter == "\t" and len(cells) == len(_UNNAMED) and PRINTED.fullmatch(cells[-1].encode())
        if unnamed or _places(cells):
            return delimiter
    return None


def _places(names: Sequence[str]) -> dict[str, int]:
    """The place of each column of :data:`_COLUMNS` in a table; empty if these are not the columns of one."""
    places = {column: place_of(names, spellings) for column, spellings in _COLUMNS.items()}
    there = {column: place for column, place in places.items() if place is not None}
    if there.keys() >= {"measure", "value"}:
        return there
    if "topic" not in there and names[:1] == [""]:  # the index that pandas writes
        there["topic"] = 0
    there = {column: place for column, place in there.items() if column in ("run", "topic")}
    return there if "topic" in there and len(there) < len(names) else {}


def _table_entries(data: bytes, delimiter: str, path: str) -> Iterator[_SavedEntry]:
    """The values of a table."""
    # An id that is not UTF-8 survives: each byte that is not becomes a character of its own, and back.
    lines = csv.reader(io.StringIO(data.decode("utf-8", "surrogateescape"), newline=""), delimiter=delimiter)
    try:
        rows = [(lines.line_num, row) for row in lines if any(map(str.strip, row))]
    except csv.Error as error:  # as for a cell of more than 128 KB
        raise InputError(f"invalid table: {error}", path=path, line=lines.line_num) from None
    head, names = rows[0]
    if places := _places(names):
        del rows[0]
    else:
        head, names, places = 0, _UNNAMED, _places(_UNNAMED)
    wide = "measure" not in places
    measures = {i: name for i, name in enumerate(names) if name and wide and i not in places.values()}
    if twice := next((name for name in measures.values() if names.count(name) > 1), None):
        raise InputError(f"measure {quoted(twice)} occurs twice", path=path, line=head)
    for number, row in rows:
        cells = [cell.strip() for cell in row]
        numbers = [cells[place] for place in measures or [places["value"]]] if len(row) == len(names) else []
        odd = [text for text in numbers if not (_absent(text) or PRINTED.fullmatch(text.encode()))]
        if not numbers or odd:
            problem = f"the line does not have {len(names)} cells with numbers where values belong"
            found, expected = encoded_id(delimiter.join(row), path), f"columns {', '.join(names)}"
            hint = "save the table as its program writes it"
            for mark, other, way in (
                (",", ".", "write decimals with a point"),
                ("%", "", "write 0.5 for 50%"),
            ):
                hint = way if odd and PRINTED.fullmatch(odd[0].replace(mark, other).encode()) else hint
            raise InputError(problem, path=path, line=number, found=found, expected=expected, hint=hint)
        topic = encoded_id(cells[places["topic"]], path) if "topic" in places else _ALL
        run = cells[places["run"]] if "run" in places else ""
        for measure, text in zip([*measures.values()] or [cells[places["measure"]]], numbers, strict=True):
            if not _absent(text):
                yield _SavedEntry(measure, topic, float(text), text, number, run)


def _absent(text: str) -> bool:
    """Whether a cell holds no value."""
    return text.lower() in ("", "-", "na", "n/a", "none", "null")


def _decimals(
    entries: Sequence[_SavedEntry], values: _Values, means: Mapping[str, float]
) -> dict[str, int | None]:
    """The number of digits after the point to which each measure was rounded; None if its values are exact.

    A program that printed one value with every digit printed all of them so. Else the value of the measure
    with the most digits decides. If it has only one or two digits after the point, the values are taken as
    exact, with two exceptions: a measure elsewhere in the file shows how far all values were rounded, or some
    measure's printed mean differs from the mean of its values by what rounding of both explains.
    """
    longest: dict[str, int] = {}
    for measure, _, value, text, *_ in entries:
        exact = text is None and math.isfinite(value) and not value.is_integer()
        longest[measure] = max(longest.get(measure, 0), FULL_PRECISION if exact else _digits(text or ""))
    if any(_digits(entry.text or "") >= FULL_PRECISION for entry in entries):
        return dict.fromkeys(longest)
    of_file = max(longest.values(), default=0)
    few, unit = range(1, _ROUNDED.start), 10.0**-of_file
    pointed = Counter(entry.measure for entry in entries if entry.topic != _ALL and _digits(entry.text or ""))

    def rounded(measure: str) -> bool:
        """Whether the mean is not that of the values, but would be if they and it had not been rounded."""
        own = values.get(measure, {}).values()
        room = 0.5 * unit * (1 + pointed[measure] / max(len(own), 1)) + 1e-9
        return bool(own) and 1e-9 < abs(fmean(own) - means[measure]) <= room

    shown = of_file in few and any(rounded(measure) for measure in longest.keys() & means.keys())
    allowed = {*_ROUNDED, of_file} if shown else {*_ROUNDED}
    printed = {m: of_file if digits in few else digits for m, digits in longest.items()}
    return {measure: digits if digits in allowed else None for measure, digits in printed.items()}


def _digits(text: str) -> int:
    """The number of digits after the point. A number with an exponent gives 0, because its digits say nothing
    about other numbers, unless there are so many that it is exact."""
    number, _, exponent = text.lower().partition("e")
    digits = len(number.partition(".")[2])
    return digits if not exponent or digits >= FULL_PRECISION else 0


def _json_entries(document: Any, path: str, known: Callable[[str], bool]) -> Iterator[_SavedEntry]:
    """The values of a document ``{topic: {measure: value}}``, ``{measure: {topic: value}}`` or ``{measure:
    mean}``, or of a list of objects with one value each."""
    if isinstance(document, list):
        yield from _json_records(document, path)
        return
    if not any(isinstance(value, dict) for value in document.values()) and all(map(known, document)):
        document = {display(_ALL): document}
    inner = dict.fromkeys(name for of in document.values() if isinstance(of, dict) for name in of)
    turned = _turned(inner, document, known)
    for topic, measures in document.items():
        if not isinstance(measures, dict):
            problem = f"topic {quoted(topic)}: the value is not an object {{measure: value}}"
            raise InputError(problem, path=path, found=repr(measures), expected=_EXPECTED)
        for measure, value in measures.items():
            yield _json_entry(*((measure, topic) if turned else (topic, measure)), value, path)


def _json_records(records: Sequence[Any], path: str) -> Iterator[_SavedEntry]:
    for number, record in enumerate(records, 1):
        names = [*record] if isinstance(record, dict) else []
        if not (places := _places(names)):
            problem = f"object {number} of the list does not have a measure and a value"
            raise InputError(problem, path=path, found=repr(record), expected=_EXPECTED)
        of = {column: record[names[place]] for column, place in places.items()}
        wide = {name: record[name] for place, name in enumerate(names) if place not in places.values()}
        values = {str(of["measure"]): of["value"]} if "measure" in of else wide
        for measure, value in values.items():
            if value is not None:
                entry = _json_entry(str(of.get("topic", "all")), measure, value, path)
                yield entry._replace(place=number, run=str(of.get("run", "")))


def _json_entry(topic: str, measure: str, value: Any, path: str) -> _SavedEntry:
    where, text = f"topic {quoted(topic)}, measure {quoted(measure)}", None
    if isinstance(value, str) and value in ("NaN", "Infinity", "-Infinity"):
        value = float(value)
    elif isinstance(value, str) and (number := printed_number(value)) is not None:
        text, value = value, float(number)
    if isinstance(value, bool) or not isinstance(value, int | float):
        null = value is None
        hint = "leave the measure out where there is no value" if null else None
        expected = 'a number, also as text, or "NaN", "Infinity" or "-Infinity"'
        problem, found = f"{where}: the value is not a number", "null" if null else str(value)
        raise InputError(problem, path=path, found=found, expected=expected, hint=hint)
    try:
        return _SavedEntry(measure, encoded_id(topic, path), float(value), text)
    except OverflowError:
        problem = f"{where}: the number is too large for a float"
        raise InputError(problem, path=path, expected=_EXPECTED) from None


def write_recorded(path: str, values: _Values, means: Mapping[str, float]) -> None:
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
        if word.split() != [word]:
            raise UsageError(f"{quoted(word)} does not fit into a column of trec_eval's layout")
    text = repr(float(value))
    digits = text.partition(".")[2]
    zeros = "0" * (17 - len(digits)) if digits.isdigit() else ""
    return b"%-22s\t%s\t%s\n" % (name, topic, (text + zeros).encode())
