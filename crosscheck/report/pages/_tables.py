"""Tables from records: a column is a field, with its title."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import attrgetter
from typing import Any, TypeAlias

from crosscheck.report._figures import figure, figures
from crosscheck.report.page import Column, Figure, Id, Made, Table, TableCell, Text
from crosscheck.results import Number

#: A column: its title with the path of the field, or with a function of the record; or several of them.
Field: TypeAlias = str | tuple[str | tuple[str, ...], Callable[[Any], Any]]
NONE = "–"
#: Columns that filters know, with their words for them.
_KEYS = {"tool": "tool", "measure": "measure", "cause": "cause", "case / run": "case"}


def columns(*titles: str) -> list[Column]:
    """Columns by their titles: ``#`` stands before one of numbers, ``+`` before one of signed numbers,
    ``@`` before one of ids, and ``!`` for the status."""
    return [_column(title) for title in titles]


def _column(title: str) -> Column:
    if title == "!":
        return Column("", "status", "status")
    known = title[:1] in ("#", "+", "@")
    name = title[known:]
    return Column(name, ("id" if title[0] == "@" else "number") if known else "text", _KEYS.get(name, ""))


def table(title: Text, records: Sequence[Any], *fields: Field, limit: int = 20, noun: str = "row") -> Table:
    """A table with a row per record, made when it is looked at.

    Args:
        fields: ``#title=path.of.field`` (the path may be left out where it is the title), or a title and a
            function; titles and a function that gives as many values. They become cells by the signs that
            :func:`columns` reads.
        limit, noun: as of a :class:`Table`.
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
    """Two values of a record under their titles, and the delta; ``of``: both, and their printed decimals."""
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
