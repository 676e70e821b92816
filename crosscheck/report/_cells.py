"""What tables of text and of Markdown have in common: cells as words, and two rankings as one table."""

from __future__ import annotations

from collections.abc import Sequence

from crosscheck.report._escape import clip
from crosscheck.report.page import Column, Figure, Id, Place, Rankings, Status, Table, TableCell

__all__ = ["cell", "fits", "record", "side_by_side"]

#: Columns of text are not made narrower than this, and two columns stand this far from each other.
_LEAST, _GAP = 10, 2


def cell(value: TableCell) -> str:
    """A cell as plain text."""
    match value:
        case Status():
            return value.glyph
        case Figure():
            return value.text
        case str():
            return clip(value)
    return "".join(map(clip, value))


def fits(columns: Sequence[Column], rows: Sequence[Sequence[str]], width: int) -> bool:
    """Whether the columns stand beside each other: numbers whole, words wrapped but not to slivers."""
    from rich.cells import cell_len

    least = 0
    for place, column in enumerate(columns):
        title = cell(column.title)
        longest = max([cell_len(title), *(cell_len(row[place]) for row in rows)])
        least += longest if column.kind == "number" else min(longest, _LEAST)
    return least + _GAP * len(columns) <= width


def record(columns: Sequence[Column], row: Sequence[str]) -> str:
    """A row as a line of words: what it is about, then its numbers with their titles."""
    held = [(column, value) for column, value in zip(columns, row, strict=True) if value]
    mark = "".join(f"{value} " for column, value in held if column.kind == "status")
    about = [value for column, value in held if column.kind in ("id", "text")]
    numbers = [f"{cell(column.title)} {value}" for column, value in held if column.kind == "number"]
    return mark + ": ".join(filter(None, (", ".join(about), ", ".join(numbers))))


def side_by_side(block: Rankings) -> Table:
    """Both rankings in one table, a row per place; documents with the same score share a letter."""
    columns = [Column("rank", "number")]
    sums = any(place.running for side in (block.reference, block.candidate) for place in side.places)
    for side in (block.reference, block.candidate):
        columns += [Column(side.title, "id"), Column("level", "number"), Column("tied")]
        columns += [Column("sum", "number")] * sums
    left = {place.rank: place for place in block.reference.places}
    right = {place.rank: place for place in block.candidate.places}
    rows: list[list[TableCell]] = [
        [f"{rank:,}", *_place(left.get(rank), sums), *_place(right.get(rank), sums)]
        for rank in sorted({*left, *right})
    ]
    title = (*((block.title,) if isinstance(block.title, str) else block.title),)
    values = f": {block.reference.value.text} and {block.candidate.value.text}"
    left_out = f"; {block.omitted:,} more documents left out" if block.omitted > 0 else ""
    return Table((*title, values + left_out), columns, rows, limit=30, noun="place")


def _place(place: Place | None, sums: bool) -> list[TableCell]:
    if place is None:
        return [""] * (3 + sums)
    level = "–" if place.level is None else str(place.level)
    told: list[TableCell] = [Id(place.docno), level, "" if place.tied is None else f"={place.tied}"]
    return [*told, place.running or ""] if sums else told
