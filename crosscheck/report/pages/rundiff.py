"""The page of ``crosscheck rundiff``: the difference of two runs as a sum of parts."""

from __future__ import annotations

import math
from decimal import Decimal

from crosscheck.report.page import Block, Chart, Figure, Id, Mark, Page, Paragraph, Section, Status
from crosscheck.report.pages import Kind, study_page
from crosscheck.report.tables import Field, table
from crosscheck.report.words import files, listed
from crosscheck.study_records.rundiff import RundiffDocument, RundiffMeasure, RundiffPart

_ABOUT = (
    "One property of ours after the other is taken into theirs, in this order, each with all those before it."
    " Another order would move parts from one property to another; their sum is always the difference."
)


def rundiff_page(document: RundiffDocument) -> Page:
    """A table for each measure; the printed parts sum to the printed difference."""
    moved = [one for one in document.measures if one.parts]
    sections = [_section(one, place, document) for place, one in enumerate(moved, 1)]
    same = [one.measure for one in document.measures if not one.parts]
    ours, theirs = files(document.ours, document.theirs)
    return study_page(
        document,
        (ours, " instead of ", theirs),
        *sections,
        *([Paragraph(("The same on every query: ", *listed(same, 20)))] if same and moved else []),
        *([Paragraph(_ABOUT)] if moved else []),
        status=Status.DIFFERS if moved else Status.AGREE,
    )


def _section(found: RundiffMeasure, place: int, document: RundiffDocument) -> Section:
    whole = RundiffPart("", "sum", 0, [], found.theirs, found.ours, found.difference)
    blocks: list[Block] = [table("", [*found.parts, whole], *_PART, noun="part")]
    if math.isfinite(found.difference):
        marks = [Mark(part.says, part.before, part.after, part.property) for part in found.parts]
        ours, theirs = files(document.ours, document.theirs)
        said = f"From {found.theirs:.4f} to {found.ours:.4f} in {len(marks)} steps."
        title = f"{found.measure}: the parts"
        blocks.append(Chart(f"parts-{place}", "waterfall", title, said, (theirs, ours), marks))
    return Section(Id(found.measure), blocks)


def _printed(before: float, after: float) -> tuple[Figure, Figure, Figure]:
    """Both means, and the difference of the printed ones, so that printed parts sum to a printed whole."""
    texts = f"{before:.4f}", f"{after:.4f}"
    finite = math.isfinite(after - before)
    part = f"{Decimal(texts[1]) - Decimal(texts[0]):+.4f}" if finite else "–"
    return Figure(texts[0], before), Figure(texts[1], after), Figure(part, after - before)


_PART: tuple[Field, ...] = (
    ("property", lambda part: part.says),
    (("#before", "#after", "#part"), lambda part: _printed(part.before, part.after)),
    ("#queries", lambda part: part.queries if part.property else ""),
    ("most in", lambda part: listed(part.most, 5, part.queries)),
)
KIND = Kind("rundiff", RundiffDocument, rundiff_page, "rundiff")
