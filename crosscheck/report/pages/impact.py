"""The page of ``crosscheck impact``: per measure the paragraph, the tables, and the pictures."""

from __future__ import annotations

from typing import Literal

from crosscheck.impact_records import Impact
from crosscheck.report._figures import NO_VALUE, count, figures
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
from crosscheck.report.pages._studies import columns, page
from crosscheck.report.pages.compare import p_value
from crosscheck.study_records import ImpactDocument

__all__ = ["KIND", "impact_blocks", "impact_charts", "impact_page"]


def impact_page(document: ImpactDocument) -> Page:
    """Everything a reader of an impact needs; measures on which something changes come first."""
    alone = len(document.impacts) == 1
    sections: list[Block] = []
    for place, impact in enumerate(document.impacts, 1):
        paragraph: list[Block] = [] if alone else [Paragraph(impact.summary)]
        blocks = [*paragraph, *impact_charts(impact, str(place)), *impact_blocks(impact)]
        sections.append(Section(Id(impact.measure), blocks))
    title = (
        *(Id(document.candidate), " instead of ", Id(document.reference)),
        *(f": {len(document.runs)} runs on ", Id(document.qrels)),
    )
    known = [impact.affected for impact in document.impacts if impact.affected is not None]
    status = (Status.DIFFERS if any(known) else Status.AGREE) if known else None
    return page(document, title, *sections, Bullets("Notes", document.notes), status=status)


def impact_charts(impact: Impact, name: str) -> list[Chart]:
    """The ranking before and after, the queries that move most and their differences in order."""
    if not impact.changed:
        return []
    sides = (impact.reference, impact.candidate)
    systems = [
        Mark(Id(s.run), s.reference_value, s.candidate_value)
        for s in impact.systems
        if s.reference_value is not None and s.candidate_value is not None
    ]
    queries = [
        Mark((Id(q.query), " (", Id(q.run), ")"), q.reference_value, q.candidate_value)
        for q in impact.queries
        if q.reference_value is not None and q.candidate_value is not None
    ]
    drawn = []
    if len(systems) > 1:
        title = f"{impact.measure}: the systems before and after"
        drawn.append(Chart(f"{name}-ranking", "ranking", title, _swapped(impact), sides, systems, "run"))
    if queries:
        higher = sum(mark.candidate > mark.reference for mark in queries)
        said = (
            f"Of the {count(len(queries), 'query')} that move most, {higher:,} are higher by the candidate."
        )
        left_out = max(impact.moved - len(queries), 0)
        kinds: list[tuple[Literal["queries", "differences"], str]]
        kinds = [("queries", "queries that move most"), ("differences", "their differences")]
        for kind, about in kinds:
            title = f"{impact.measure}: {about}"
            drawn.append(Chart(f"{name}-{kind}", kind, title, said, sides, queries, omitted=left_out))
    return drawn


def _swapped(impact: Impact) -> str:
    return (
        f"{count(len(impact.swaps), 'pair')} of systems change order."
        if impact.swaps
        else "No pair changes order."
    )


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
    head = columns("@run", "#rank", "#reference", "#candidate", "#delta", "#values changed")
    rows: list[list[TableCell]] = [
        [
            Id(s.run),
            _ranks(s.reference_rank, s.candidate_rank),
            *figures(s.reference_value, s.candidate_value),
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
    head = columns("@was better", "@was worse", "#lead", "#now", "", "queries")
    rows: list[list[TableCell]] = [
        [
            Id(s.better),
            Id(s.worse),
            f"{s.lead:+.4f}" if s.lead else "0",
            f"{-s.trail:+.4f}" if s.trail else "0",
            s.change,
            listed(s.queries, 20),
        ]
        for s in impact.swaps
    ]
    return Table("Pairs whose order changes, and the queries that do most to it", head, rows, noun="pair")


def _significance(impact: Impact) -> Table:
    head = columns("@a", "@b", "#b - a before", "#p", "#now", "#p", "", "queries")
    rows: list[list[TableCell]] = [
        [
            Id(c.a),
            Id(c.b),
            _difference(c.reference_difference),
            p_value(c.reference_p),
            _difference(c.candidate_difference),
            p_value(c.candidate_p),
            c.change,
            listed(c.queries, 20),
        ]
        for c in impact.significance
    ]
    return Table("Differences that become significant, or no longer are", head, rows, noun="pair")


def _difference(value: float | None) -> str:
    return "–" if value is None else f"{value:+.4f}"


def _queries(impact: Impact) -> Table:
    head = columns("@query", "#all runs", "@run that moves most", "#reference", "#candidate", "#delta")
    rows: list[list[TableCell]] = [
        [
            Id(q.query),
            Figure(f"{q.total:.4f}", q.total),
            Id(q.run),
            *figures(q.reference_value, q.candidate_value),
        ]
        for q in impact.queries
    ]
    title = f"Queries that move most, of {impact.moved:,} ({NO_VALUE}: the query has none)"
    return Table(title, head, rows, limit=10, noun="query")


KIND = Kind("impact", ImpactDocument, impact_page, "impact")
