"""The page of ``crosscheck impact``: per measure the paragraph, the tables, and the pictures."""

from __future__ import annotations

from collections.abc import Iterator

from crosscheck.errors import count
from crosscheck.impact_records import Impact, QueryMove, SystemMove
from crosscheck.report.page import Block, Bullets, Chart, Id, Mark, Page, Paragraph, Section, Status, Text
from crosscheck.report.pages import Kind, study_page
from crosscheck.report.pages.compare import p_value
from crosscheck.report.tables import NO_VALUE, NONE, Field, table, values
from crosscheck.report.words import file, listed
from crosscheck.study_records.impact import ImpactDocument


def impact_page(document: ImpactDocument) -> Page:
    """A section per measure, with a paragraph, pictures and tables, in the order of the document."""
    alone = len(document.impacts) == 1
    sections: list[Block] = []
    for place, impact in enumerate(document.impacts, 1):
        paragraph = [] if alone else [Paragraph(impact.summary)]
        blocks: list[Block] = [*paragraph, *impact_charts(impact, str(place)), *_tables(impact)]
        sections.append(Section(Id(impact.measure), blocks))
    tools = (Id(document.candidate), " instead of ", Id(document.reference))
    title = (*tools, f": {len(document.runs)} runs on ", file(document.qrels))
    known = [impact.affected for impact in document.impacts if impact.affected is not None]
    status = (Status.DIFFERS if any(known) else Status.AGREE) if known else None
    return study_page(document, title, *sections, status=status)


def impact_charts(impact: Impact, name: str) -> list[Chart]:
    """A chart of both rankings of the systems and one of the queries that move most, if any value changes."""
    if not impact.changed:
        return []
    sides = (impact.reference, impact.candidate)
    systems = [mark for s in impact.systems for mark in _mark(Id(s.run), s)]
    queries = [mark for q in impact.queries for mark in _mark((Id(q.query), " (", Id(q.run), ")"), q)]
    drawn = []
    if len(systems) > 1:
        title = f"{impact.measure}: the systems before and after"
        swaps = len(impact.swaps)
        said = f"{count(swaps, 'pair')} of systems change order." if swaps else "No pair changes order."
        drawn.append(Chart(f"{name}-ranking", "ranking", title, said, sides, systems, "run"))
    if queries:
        higher = sum(mark.candidate > mark.reference for mark in queries)
        most = count(len(queries), "query")
        said = f"Of the {most} that move most, {higher:,} are higher by the candidate."
        rest = max(impact.moved - len(queries), 0)
        title = f"{impact.measure}: queries that move most"
        drawn.append(Chart(f"{name}-queries", "queries", title, said, sides, queries, omitted=rest))
    return drawn


def _mark(name: Text, move: SystemMove | QueryMove) -> Iterator[Mark]:
    if move.reference_value is not None and move.candidate_value is not None:
        yield Mark(name, move.reference_value, move.candidate_value)


_VALUES: Field = values(lambda move: (move.reference_value, move.candidate_value, None))
_QUERIES: Field = ("queries", lambda pair: listed(pair.queries, 20))
_SWAP: list[Field] = ["@was better=better", "@was worse=worse", "+lead", ("+now", lambda swap: -swap.trail)]
_TEST: list[Field] = [
    *("@a", "@b", "+b - a before=reference_difference", ("#p", lambda change: p_value(change.reference_p))),
    *("+now=candidate_difference", ("#p", lambda change: p_value(change.candidate_p))),
]
_CHANGE = "change"


def _tables(impact: Impact) -> list[Block]:
    """The tables of one measure, if a value changes, and the notes."""
    runs: list[Field] = ["@run", ("#rank", _ranks), _VALUES, ("#values changed", _changed)]
    moves: list[Field] = ["@query", "#all runs=total", "@run that moves most=run", _VALUES]
    moved = f"Queries that move most, of {impact.moved:,} ({NO_VALUE}: the query has none)"
    swapped = "Pairs whose order changes, and the queries that do most to it"
    appeared = "Differences that become significant, or no longer are"
    tables: list[Block] = [
        table("Systems, best first by the reference", impact.systems, *runs, limit=50, noun="run"),
        table(swapped, impact.swaps, *_SWAP, _CHANGE, _QUERIES, noun="pair"),
        table(appeared, impact.significance, *_TEST, _CHANGE, _QUERIES, noun="pair"),
        table(moved, impact.queries, *moves, limit=10, noun="query"),
    ]
    return [*(tables if impact.changed else []), Bullets("Notes", impact.notes)]


def _changed(system: SystemMove) -> str:
    return f"{system.changed:,} of {max(system.reference_queries, system.candidate_queries):,}"


def _ranks(system: SystemMove) -> str:
    before, after = system.reference_rank, system.candidate_rank
    if before is None or after is None:
        return NONE
    return str(before) if before == after else f"{before} → {after}"


KIND = Kind("impact", ImpactDocument, impact_page, "impact")
