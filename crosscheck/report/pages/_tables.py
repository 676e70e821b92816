"""Tables from records: a column is a field, with its title."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import attrgetter
from typing import Any, TypeAlias

from crosscheck.report._figures import figure, figures
from crosscheck.report.page import Column, Figure, Id, Made, Table, TableCell, Text
from crosscheck.results import Number

#: A column: its title with the path of a field, or with a function of the record. Several titles share a
#: function that returns as many values.
Field: TypeAlias = str | tuple[str | tuple[str, ...], Callable[[Any], Any]]
NONE = "–"
#: Title of a column -> the word by which a filter finds it.
_KEYS = {"tool": "tool", "measure": "measure", "cause": "cause", "case / run": "case"}


def columns(*titles: str) -> list[Column]:
    """Columns from titles: a title begins with ``#`` for numbers, with ``+`` for signed numbers and with
    ``@`` for ids; ``!`` alone is the status."""
    return [_column(title) for title in titles]


def _column(title: str) -> Column:
    if title == "!":
        return Column("", "status", "status")
    known = title[:1] in ("#", "+", "@")
    name = title[known:]
    return Column(name, ("id" if title[0] == "@" else "number") if known else "text", _KEYS.get(name, ""))


def table(title: Text, records: Sequence[Any], *fields: Field, limit: int = 20, noun: str = "row") -> Table:
    """A table with a row per record; rows are made on access.

    Args:
        fields: ``#title=path.of.field`` (a title alone is the path as well), a title and a function of the
            record, or several titles and a function that returns as many values. The sign before a title,
            see :func:`columns`, decides how values are shown.
        limit, noun: see :class:`Table`.
    """
    heads: list[str] = []
    read: list[tuple[Callable[[Any], Any], tuple[str, ...]]] = []
    for field in fields:
        if isinstance(field, str):
            head, _, path = field.partition("=")
            field = head, attrgetter(path or head.lstrip("#+@"))
        titles, of = field
        read.append((of, () if isinstance(titles, str) else titles))
        heads += (titles,) if isinstance(titles, str) else titles

    def cells(record: Any) -> list[TableCell]:
        found: list[Any] = []
        for of, several in read:
            found += of(record) if several else (of(record),)
        return list(map(_cell, found, heads))

    return Table(title, columns(*heads), Made(records, cells), limit, noun)


def values(
    of: Callable[[Any], tuple[Number | None, Number | None, int | None]],
    before: str = "reference",
    after: str = "candidate",
) -> Field:
    """A field of three columns: two values and their difference; ``of`` gives both and printed decimals."""
    return (f"#{before}", f"#{after}", "#delta"), lambda record: figures(*of(record))


def _cell(value: Any, head: str) -> TableCell:
    """The cell for a value: an id if its column holds ids, otherwise written by its type."""
    match value:
        case None:
            return NONE
        case Figure():
            return value
        case int():
            return Figure(f"{value:,}", value)
        case float():
            return Figure(f"{value:+.4f}" if value else "0", value) if head[:1] == "+" else figure(value)
    return Id(value) if head[:1] == "@" and isinstance(value, str) else value
