"""Properties of queries from ``topics.csv``, ``topics.toml`` or ``topics.jsonl``.

Any columns are allowed (category, difficulty, length, ...). The query id is in the column ``query`` or
``topic``, or in the first column if there is neither.
"""

import csv
import io
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from msgspec import Struct

from crosscheck.errors import InputError, quoted
from crosscheck.formats.source import BOM, parse_json, read_input
from crosscheck.formats.toml_table import parsed_toml

#: File names that a case folder may use.
TOPIC_FILES = ("topics.csv", "topics.toml", "topics.jsonl")

_WHAT = "a table of queries: a column query (or topic) and any others"


class Topics(Struct, frozen=True, eq=False):
    """A table of queries.

    Attributes:
        path: the file.
        columns: names of all columns but the id, in order of appearance.
        rows: query id -> column -> text; a column without a value for a query is missing there.
    """

    path: str
    columns: tuple[str, ...]
    rows: dict[bytes, dict[str, str]]

    def group(self, query: bytes, column: str) -> str | None:
        """The text of a query in a column; None if the query has no value there."""
        return self.rows.get(query, {}).get(column)


def read_topics(path: str) -> Topics:
    """Read a table of queries in the format given by the file's extension.

    - ``.csv``: a header, then one line per query.
    - ``.jsonl``: one JSON object per line.
    - ``.toml``: a table per query, ``[301]``, or a list of tables, ``[[topic]]`` with a key ``query``.

    Texts, numbers and booleans become text. Empty cells and null count as missing values.

    Raises:
        InputError: the file cannot be read or parsed; it holds no query, a query twice or a query without
            id; a line has more or fewer fields than the header; or a value is a list or a table.
    """
    wrong = partial(InputError, path=path, expected=_WHAT)
    data = read_input(path, _WHAT)
    try:
        text = data.removeprefix(BOM).decode("utf-8")
    except UnicodeDecodeError as error:
        raise wrong("the text is not UTF-8", line=data.count(b"\n", 0, error.start) + 1) from None
    ending = path.rpartition(".")[2]
    readers = {"csv": _csv, "jsonl": _jsonl, "toml": _toml}
    if ending not in readers:
        expected = "a name that ends in .csv, .toml or .jsonl"
        raise wrong(f"a table of queries cannot be read from .{ending}", expected=expected)
    columns: dict[str, None] = {}
    rows: dict[bytes, dict[str, str]] = {}
    for line, query, values in readers[ending](text, path):
        if not query:
            raise wrong("a query has no id", line=line)
        try:
            id = query.encode()
        except UnicodeEncodeError:  # half of a surrogate pair, as JSON can write it
            raise wrong(f"query {quoted(query)} cannot be written as UTF-8", line=line) from None
        if id in rows:
            raise wrong(f"query {quoted(query)} occurs twice", line=line, expected="each query once")
        columns |= dict.fromkeys(values)
        rows[id] = {name: value for name, value in values.items() if value}
    if not rows:
        raise wrong("the file holds no query")
    return Topics(path, tuple(columns), rows)


_Row = tuple[int | None, str, dict[str, str]]


def _csv(text: str, path: str) -> Iterator[_Row]:
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    wrong = partial(InputError, path=path)
    head: list[str] = []
    try:
        for fields in reader:
            if not any(field.strip() for field in fields):
                continue
            if not head:
                head = [field.strip() for field in fields]
                if twice := next((name for name in head if head.count(name) > 1), None):
                    problem = f"the column {quoted(twice)} occurs twice in the header"
                    raise wrong(problem, line=reader.line_num, expected=_WHAT)
                continue
            if len(fields) != len(head):
                problem = f"the line has {len(fields)} fields, the header {len(head)}"
                found, expected = ",".join(fields), f"the columns {', '.join(map(quoted, head))}"
                hint = "complete the line; put a field that contains a comma in double quotes"
                raise wrong(problem, line=reader.line_num, found=found, expected=expected, hint=hint)
            values = {name: field.strip() for name, field in zip(head, fields, strict=True)}
            yield reader.line_num, values.pop(_id_column(head)), values
    except csv.Error as error:
        raise InputError(f"invalid CSV: {error}", path=path, line=reader.line_num) from None


def _jsonl(text: str, path: str) -> Iterator[_Row]:
    expected = 'one JSON object per line, such as {"query": "301", "difficulty": "hard"}'
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            row = parse_json(line.encode("utf-8"), path, expected)
        except InputError as error:  # its line number counts within this one line
            raise InputError(error.message, path=path, line=number, found=line, expected=expected) from None
        if not isinstance(row, dict) or not row:
            problem = "the line is not a JSON object"
            raise InputError(problem, path=path, line=number, found=line, expected=expected)
        values = _texts(row, path, number)
        yield number, values.pop(_id_column(list(row))), values


def _toml(text: str, path: str) -> Iterator[_Row]:
    for name, table in parsed_toml(text, path).items():
        if isinstance(table, dict):
            yield None, name, _texts(table, path, None)
        elif isinstance(table, list) and all(isinstance(row, dict) and row for row in table):
            for row in table:
                values = _texts(row, path, None)
                yield None, values.pop(_id_column(list(row))), values
        else:
            expected = "tables [ID], or a list of tables [[topic]] with a key query"
            raise InputError(f"{quoted(name)} is not a table", path=path, expected=expected)


def _id_column(columns: list[str]) -> str:
    return next((name for name in ("query", "topic") if name in columns), columns[0])


def _texts(row: Mapping[str, Any], path: str, line: int | None) -> dict[str, str]:
    return {name: _text(name, value, path, line) for name, value in row.items()}


def _text(name: str, value: Any, path: str, line: int | None) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str | int | float):
        return str(value).strip()
    problem = f"the value of {quoted(name)} is a {'list' if isinstance(value, list) else 'table'}"
    raise InputError(problem, path=path, line=line, expected="a text, a number, true or false")
