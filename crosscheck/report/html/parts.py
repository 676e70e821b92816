"""The functions that templates call: blocks by name, text from outside, drawings, and tables as data."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from crosscheck.errors import count
from crosscheck.report.charts import Drawing, draw
from crosscheck.report.charts.svg import escaped, num
from crosscheck.report.html.rankings import rankings, rankings_table
from crosscheck.report.page import (
    Block,
    Chart,
    Column,
    Details,
    Figure,
    Id,
    Matrix,
    RankingPair,
    Section,
    Status,
    Table,
    TableCell,
    Text,
    first_sentence,
    parts,
)
from crosscheck.report.words import clip, lines

if TYPE_CHECKING:
    from markupsafe import Markup

#: Characters after which text from outside is cut.
_LIMIT = 4000
#: Most characters of a heading.
_HEADLINE = 120
#: Characters of the longest text that can be read in a narrow column.
_SHORT = 40
#: A table shows this many times the rows that it shows on a terminal.
_ROOM = 4
#: Most rows in the table of the numbers of a drawing.
_NUMBERS = 500
#: Charts that stand side by side.
_NARROW = ("waterfall", "dots")


class Ids:
    """Gives ids to the parts of a page; ``data``: id -> all rows of a long table, for the script."""

    def __init__(self) -> None:
        self._last = 0
        self.data: dict[str, Any] = {}

    def new(self) -> str:
        """An id that no other part has."""
        self._last += 1
        return f"x{self._last}"

    def keep(self, id: str, table: Table) -> None:
        """Keep all rows of a table for the script, if more than :func:`room` of them exist."""
        if len(table.rows) > room(table):
            cells = zip(*table.rows, strict=True)
            columns = [_column(column, held) for column, held in zip(table.columns, cells, strict=True)]
            self.data[id] = {"limit": room(table), "columns": columns}


def _column(column: Column, cells: Sequence[TableCell]) -> dict[str, Any]:
    """A column as data for the script.

    ``text`` and ``value`` of each row if all cells are numbers; else the distinct ``cells``, and ``where``,
    the index of its cell for each row.
    """
    if all(isinstance(cell, Figure) for cell in cells):
        figures = [cell for cell in cells if isinstance(cell, Figure)]
        return {"text": [f.text for f in figures], "value": [_finite(f.value) for f in figures]}
    places: dict[tuple[type, TableCell], int] = {}  # the type tells an id from the same words
    where = [places.setdefault((type(cell), cell), len(places)) for cell in cells]
    return {"cells": [_cell(cell) for _, cell in places], "where": where}


def _finite(value: float | None) -> float | None:
    """A finite number, or None: JSON has no NaN and no infinity, which sort like no value."""
    return value if value is not None and abs(value) < float("inf") else None


def _cell(cell: TableCell) -> Any:
    match cell:
        case Status():
            return {"status": cell.value, "glyph": cell.glyph}
        case Figure():
            return cell.text
        case tuple():
            return {"parts": [_cell(part) for part in cell]}
        case Id():
            return {"id": clip(cell, _LIMIT)}
    return clip(cell, _LIMIT)


def kind(block: object) -> str:
    """The name of the macro that writes a block."""
    return type(block).__name__.lower()


def is_id(text: str) -> bool:
    """Whether a text is an id, which came from outside and is shown as code."""
    return isinstance(text, Id)


def explained(text: str, anchors: Collection[str]) -> list[str]:
    """The labels in an id such as ``a + b`` if the page explains all of them; otherwise an empty list."""
    labels = text.split(" + ")
    return labels if isinstance(text, Id) and all(f"label-{label}" in anchors for label in labels) else []


def shown(text: str) -> str:
    """Text from outside without invisible characters, cut where it is very long."""
    return clip(text, _LIMIT)


def flat(text: Text) -> str:
    """A sentence in one piece, for an attribute."""
    return clip("".join(parts(text)), _LIMIT)


def headline(text: Text) -> tuple[Text, Text]:
    """A heading and the text after it: a long text is split after its first sentence."""
    return first_sentence(text) if len(flat(text)) > _HEADLINE else (text, "")


def message(text: str) -> str:
    """Lines as a tool wrote them."""
    return "\n".join(lines(text))


def drawing(block: Chart | RankingPair, id: str) -> Markup:
    """The drawing of a chart as an ``<svg>`` element, with its texts escaped."""
    from markupsafe import Markup

    made = drawn(block)
    body, width, height = "\n".join(made.parts), num(made.width), num(made.height)
    return Markup(
        f'<svg viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img"'
        f' aria-labelledby="{id}-t {id}-d"><title id="{id}-t">{escaped(made.title)}</title>'
        f'<desc id="{id}-d">{escaped(made.caption, 2000)}</desc>\n{body}\n</svg>'
    )


def drawn(block: Chart | RankingPair) -> Drawing:
    """The drawing of a block."""
    return rankings(block) if isinstance(block, RankingPair) else draw(block)


def numbers(block: Chart | RankingPair) -> Table:
    """The numbers of a drawing as a table of at most ``_NUMBERS`` rows."""
    table = rankings_table(block) if isinstance(block, RankingPair) else block.table()
    cut = f"The first {_NUMBERS:,} of {len(table.rows):,}" if len(table.rows) > _NUMBERS else ""
    return replace(table, title=cut, rows=table.rows[:_NUMBERS])


def caption(block: Chart | RankingPair) -> str:
    return drawn(block).caption


def grouped(blocks: Sequence[object]) -> Iterator[tuple[bool, list[object]]]:
    """Lists of consecutive blocks, each with a flag: True for charts that stand side by side."""
    for narrow, some in groupby(blocks, lambda b: isinstance(b, Chart) and b.kind in _NARROW):
        yield narrow, list(some)


def room(table: Table) -> int:
    """The largest number of a table's rows that are written out."""
    return _ROOM * table.limit


def carded(blocks: Sequence[Block]) -> Iterator[tuple[bool, list[Block]]]:
    """Lists of consecutive nonempty blocks of a page, each with a flag: True for blocks that share one card,
    False for blocks that are cards of their own."""
    own = (Matrix, Section, Details)
    for loose, some in groupby(filter(_filled, blocks), lambda block: not isinstance(block, own)):
        yield loose, list(some)


def _filled(block: Block) -> bool:
    held = getattr(block, "rows", None), getattr(block, "items", None), getattr(block, "marks", None)
    return all(one is None or len(one) > 0 for one in held)


def wordy(table: Table) -> bool:
    """Whether a table has texts so long that they stand below the numbers in a narrow window."""
    texts = [column.kind == "text" for column in table.columns]
    cells = [cell for row in table.rows[: room(table)] for cell, text in zip(row, texts, strict=True) if text]
    return any(isinstance(cell, str | tuple) and len(flat(cell)) > _SHORT for cell in cells)


def rest(table: Table) -> str:
    """The number of rows that are not written out, such as ``3 more rows``; empty if all are."""
    more = len(table.rows) - room(table)
    return count(more, f"more {table.noun}") if more > 0 else ""


#: Name -> function, for the functions that templates use.
FILTERS: dict[str, Callable[..., Any]] = {
    function.__name__: function
    for function in (
        kind, parts, is_id, explained, shown, flat, headline, message, drawing, numbers, caption, grouped,
        carded, rest, room, wordy,
    )
}  # fmt: skip
