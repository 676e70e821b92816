"""The page of ``crosscheck impact``: per measure the paragraph, the tables, and the pictures."""

from __future__ import annotations

from collections.abc import Sequence

from crosscheck.impact_records import Impact
from crosscheck.report._figures import NO_VALUE, contrast
from crosscheck.report._page import Block, Bullets, Id, Page, Paragraph, StudyPage, Table
from crosscheck.report._page_compare import p_value
from crosscheck.report._pictures import impact_pictures, numbered
from crosscheck.study_records import ImpactDocument

__all__ = ["STUDY", "impact_blocks", "impact_page"]


def impact_page(document: ImpactDocument) -> Page:
    """Everything a reader of an impact needs; measures on which something changes come first."""
    alone = len(document.impacts) == 1
    sections: list[tuple[str, Sequence[Block]]] = []
    for place, impact in enumerate(document.impacts, 1):
        paragraph: list[Block] = [] if alone else [Paragraph(impact.summary)]
        pictures = numbered(impact_pictures(impact), place)
        sections.append((impact.measure, [*paragraph, *pictures, *impact_blocks(impact)]))
    sections.append(("", [Bullets("Notes", document.notes)]))
    title = (
        f"{document.candidate} instead of {document.reference}: {len(document.runs)} runs on {document.qrels}"
    )
    return Page(title, document.summary, sections)


def impact_blocks(impact: Impact) -> list[Block]:
    """The tables of one measure; none where no value changes."""
    if not impact.changed:
        return [Bullets("Notes", impact.notes)]
    return [
        _systems(impact),
        _swaps(impact),
        _significance(impact),
        _queries(impact),
        Bullets("Notes", impact.notes),
    ]


def _systems(impact: Impact) -> Table:
    head = [
        ("run", False),
        ("rank", True),
        ("reference", True),
        ("candidate", True),
        ("delta", True),
        ("values changed", True),
    ]
    rows = [
        [
            Id(s.run),
            _ranks(s.reference_rank, s.candidate_rank),
            *contrast(s.reference, s.candidate),
            f"{s.changed:,} of {max(s.reference_queries, s.candidate_queries):,}",
        ]
        for s in impact.systems
    ]
    return Table("Systems, best first by the reference", head, rows, limit=50, noun="run")


def _ranks(before: int | None, after: int | None) -> str:
    if before is None or after is None:
        return "–"
    return str(before) if before == after else f"{before} → {after}"


def _swaps(impact: Impact) -> Table:
    head = [
        ("was better", False),
        ("was worse", False),
        ("lead", True),
        ("now", True),
        ("", False),
        ("queries", False),
    ]
    rows = [
        [
            Id(s.better),
            Id(s.worse),
            f"{s.lead:+.4f}" if s.lead else "0",
            f"{-s.trail:+.4f}" if s.trail else "0",
            s.change,
            ", ".join(s.queries),
        ]
        for s in impact.swaps
    ]
    return Table("Pairs whose order changes, and the queries that do most to it", head, rows, noun="pair")


def _significance(impact: Impact) -> Table:
    head = [
        ("a", False),
        ("b", False),
        ("b - a before", True),
        ("p", True),
        ("now", True),
        ("p", True),
        ("", False),
        ("queries", False),
    ]
    rows = [
        [
            Id(c.a),
            Id(c.b),
            _difference(c.reference_difference),
            p_value(c.reference_p),
            _difference(c.candidate_difference),
            p_value(c.candidate_p),
            c.change,
            ", ".join(c.queries),
        ]
        for c in impact.significance
    ]
    return Table("Differences that become significant, or no longer are", head, rows, noun="pair")


def _difference(value: float | None) -> str:
    return "–" if value is None else f"{value:+.4f}"


def _queries(impact: Impact) -> Table:
    head = [
        ("query", False),
        ("all runs", True),
        ("run that moves most", False),
        ("reference", True),
        ("candidate", True),
        ("delta", True),
    ]
    rows = [
        [Id(q.query), f"{q.total:.4f}", Id(q.run), *contrast(q.reference, q.candidate)]
        for q in impact.queries
    ]
    title = f"Queries that move most, of {impact.moved:,} ({NO_VALUE}: the query has none)"
    return Table(title, head, rows, limit=10, noun="query")


STUDY = StudyPage(ImpactDocument, impact_page)
