"""The page of ``crosscheck rundiff``: the difference of two runs as a sum of parts."""

from __future__ import annotations

import math
from decimal import Decimal

from crosscheck.report.page import (
    Block,
    Bullets,
    Chart,
    Figure,
    Id,
    Mark,
    Page,
    Paragraph,
    Section,
    Status,
    Table,
    TableCell,
)
from crosscheck.report.pages import Kind
from crosscheck.report.pages._sentences import listed
from crosscheck.report.pages._studies import columns, page, paper
from crosscheck.study_records import RundiffDocument, RundiffMeasure, RundiffPart

__all__ = ["KIND", "rundiff_page"]

_ABOUT = (
    "One property of ours after the other is taken into theirs, in this order, each with all those before it."
    " Another order would move parts from one property to another; their sum is always the difference."
)


def rundiff_page(document: RundiffDocument) -> Page:
    """A table for each measure; the printed parts sum to the printed difference."""
    moved = [one for one in document.measures if one.parts]
    sections = [_section(one, place, document) for place, one in enumerate(moved, 1)]
    same = [one.measure for one in document.measures if not one.parts]
    return page(
        document,
        (Id(document.ours), " instead of ", Id(document.theirs)),
        *sections,
        *([Paragraph(("The same on every query: ", *listed(same, 20)))] if same and moved else []),
        *([Paragraph(_ABOUT)] if moved else []),
        Bullets("Notes", document.notes),
        paper(document.sentences),
        status=Status.DIFFERS if moved else Status.AGREE,
    )


def _section(found: RundiffMeasure, place: int, document: RundiffDocument) -> Section:
    head = columns("property", "#before", "#after", "#part", "#queries", "most in")
    rows = [_row(part) for part in found.parts]
    whole = _printed(found.theirs, found.ours)
    rows.append(["sum", *whole, "", ""])
    blocks: list[Block] = [Table("", head, rows, limit=20, noun="part")]
    if math.isfinite(found.difference):
        marks = [Mark(part.says, part.before, part.after, part.property) for part in found.parts]
        sides = (document.theirs, document.ours)
        said = f"From {whole[0].text} to {whole[1].text} in {len(marks)} steps."
        blocks.append(Chart(f"parts-{place}", "waterfall", f"{found.measure}: the parts", said, sides, marks))
    return Section(Id(found.measure), blocks)


def _row(part: RundiffPart) -> list[TableCell]:
    figures = _printed(part.before, part.after)
    return [part.says, *figures, f"{part.queries:,}", (*listed(part.most, 5, part.queries),)]


def _printed(before: float, after: float) -> tuple[Figure, Figure, Figure]:
    """Both means, and the difference of the printed ones, so that printed parts sum to a printed whole."""
    texts = f"{before:.4f}", f"{after:.4f}"
    finite = math.isfinite(after - before)
    part = f"{Decimal(texts[1]) - Decimal(texts[0]):+.4f}" if finite else "–"
    return Figure(texts[0], before), Figure(texts[1], after), Figure(part, after - before)


KIND = Kind("rundiff", RundiffDocument, rundiff_page, "rundiff")
