"""The pictures of a finding: the steps between two means, all queries, rankings; and those of an impact."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import pairwise

from crosscheck.errors import count
from crosscheck.report.page import Block, Chart, Id, Mark, RankingPair, Side, Text
from crosscheck.report.tables import figures
from crosscheck.report.words import cause_list, place
from crosscheck.results import (
    Cell,
    Comparison,
    Evidence,
    Impact,
    QueryMove,
    QueryRankings,
    SystemMove,
    as_float,
)


def pictures(c: Comparison, found: Evidence | None, name: str) -> Iterator[Block]:
    """The charts of a comparison, whose names begin with ``name``, and the rankings in its evidence."""
    yield from _charts(c, found, name)
    yield from (_rankings(c, one) for one in (found.rankings if found else ()))


def _charts(c: Comparison, found: Evidence | None, name: str) -> Iterator[Chart]:
    """A chart of the steps between the two means, and a chart of all queries; each if it has numbers."""
    sides = (c.reference, c.candidate)
    where = f"{c.measure} of {place(c)}"
    before = _finite(c.mean.reference_value)
    if found is not None and before is not None and found.steps:
        ends = pairwise([before, *(as_float(step.mean) for step in found.steps)])
        marks = [Mark(s.cause, *values, s.cause) for s, values in zip(found.steps, ends, strict=True)]
        order = "causes in the order of an evaluation" if len(marks) > 1 else "one cause"
        caption = f"From {marks[0].reference:.4f} to {marks[-1].candidate:.4f}: {order}."
        yield Chart(f"{name}-waterfall", "waterfall", f"Mean {where}", caption, sides, marks, "cause")
    marks = [mark for cell in c.cells for mark in _mark(cell)]
    higher = sum(mark.candidate > mark.reference for mark in marks)
    which = f"{higher:,} of {count(c.queries, 'query')} {'is' if higher == 1 else 'are'}"
    caption = f"{which} higher by the candidate, {len(marks) - higher:,} lower."
    same = [Mark(Id(q), as_float(v), as_float(v)) for q, v in (found.agreeing if found else {}).items()]
    if marks and len(marks) + len(same) > 2:
        yield Chart(f"{name}-dots", "dots", where, caption, sides, [*marks, *same])


def _mark(cell: Cell) -> Iterator[Mark]:
    before, after = _finite(cell.reference_value), _finite(cell.candidate_value)
    low, high = (_finite(cell.ties.worst), _finite(cell.ties.best)) if cell.ties else (None, None)
    if before is not None and after is not None:
        yield Mark(Id(cell.query), before, after, cause_list(cell.causes), low, high)


def _finite(value: object) -> float | None:
    return value if isinstance(value, float | int) and math.isfinite(value) else None


def _rankings(c: Comparison, found: QueryRankings) -> RankingPair:
    cell = next((cell for cell in c.cells if cell.query == found.query), None)
    told = figures(cell.reference_value, cell.candidate_value) if cell else figures(None, None)
    return RankingPair(
        ("Query ", Id(found.query), ", ", Id(c.measure)),
        Side(Id(c.reference), told[0], found.reference_ranking),
        Side(Id(c.candidate), told[1], found.candidate_ranking),
        found.documents - len(found.reference_ranking),
    )


def impact_charts(impact: Impact, name: str) -> list[Chart]:
    """A chart of both rankings of the systems and one of the queries that move most, if any value changes."""
    if not impact.changed:
        return []
    sides = (impact.reference, impact.candidate)
    systems = [mark for s in impact.systems for mark in _moved(Id(s.run), s)]
    queries = [mark for q in impact.queries for mark in _moved((Id(q.query), " (", Id(q.run), ")"), q)]
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


def _moved(name: Text, move: SystemMove | QueryMove) -> Iterator[Mark]:
    if move.reference_value is not None and move.candidate_value is not None:
        yield Mark(name, move.reference_value, move.candidate_value)
