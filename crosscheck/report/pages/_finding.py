"""One finding in full: means, how sure it is, the queries, their rankings, and how to see it again."""

from __future__ import annotations

import math
import os
import shlex
from collections.abc import Iterator, Sequence

from crosscheck.evidence_records import QueryRankings, RankedDocument
from crosscheck.harness.settings import DEFAULT_REFERENCE
from crosscheck.report._figures import count, figure, figures, rank, short
from crosscheck.report._groups import (
    Group,
    alternatives,
    differing,
    places,
    printed,
    saved,
    status,
    whole,
    worst,
)
from crosscheck.report._words import (
    cause_list,
    convention,
    evidence,
    in_axis_order,
    interval_words,
    setting,
    settings,
)
from crosscheck.report.page import (
    Block,
    Bullets,
    Chart,
    Column,
    Command,
    Details,
    Facts,
    Id,
    Made,
    Mark,
    Message,
    Place,
    Rankings,
    Section,
    Side,
    Table,
    TableCell,
    Text,
)
from crosscheck.report.pages._sentences import listed
from crosscheck.results import (
    Alternative,
    Cell,
    Comparison,
    Document,
    Evidence,
    FreshInputs,
    as_float,
)

__all__ = ["section"]

#: Comparisons of a group that are named, and queries that a short report shows.
_ROWS, _QUERIES = 3, 3


def section(document: Document, group: Group, anchor: str) -> Section:
    """Everything about one group of like comparisons, the most telling first."""
    first = group.first
    about = Id(cause_list(group.causes)) if first.outcome == "mismatch" else str(status(first))
    blocks: list[Block] = [_means(group)] if first.outcome == "mismatch" else []
    cells = worst(group)
    if cells:
        blocks.append(_queries(group, cells))
    blocks.append(Facts(list(_facts(group))))
    shown, found = _evidence(document, group)
    rest = [*_more(group, cells), *_pictures(shown, found, anchor.removeprefix("finding-"))]
    rest += [_rankings(shown, one) for one in (found.rankings if found else ())]
    if first.outcome == "mismatch":
        rest += _command(document, first, cells)
    blocks += [Details(_told(group), rest)] if rest else []
    tags: dict[str, list[str]] = {
        "tool": [first.candidate],
        "status": [status(first)],
        "cause": group.causes,
        "measure": list(dict.fromkeys(c.measure for c in group.comparisons)),
        "case": list(dict.fromkeys(c.case for c in group.comparisons)),
    }
    return Section((Id(first.candidate), ": ", about), blocks, anchor, tags)


def _told(group: Group) -> Text:
    return ("More of ", Id(group.first.candidate), ", ", Id(cause_list(group.causes)))


def _means(group: Group) -> Table:
    columns = [Column("measure", "id", "measure")]
    columns += [Column(title, "number") for title in ("reference", "candidate", "delta", "differ")]
    where = {(c.case, c.run) for c in group.comparisons}
    if len(where) > 1:
        columns.append(Column("case / run", "id", "case"))
    rows: list[list[TableCell]] = []
    for c in group.comparisons:
        row: list[TableCell] = [
            Id(c.measure),
            *figures(c.mean.reference_value, c.mean.candidate_value, printed(c)),
        ]
        row.append(differing(c))
        rows.append([*row, *([Id(f"{c.case} / {c.run}")] if len(where) > 1 else [])])
    return Table("", columns, rows, limit=_ROWS, noun="comparison")


def _facts(group: Group) -> Iterator[tuple[str, Text]]:
    first, diagnosis = group.first, group.diagnosis
    if first.outcome != "mismatch":
        for where, names in places(group.comparisons)[:3]:
            yield "where", (*listed(where, 3), ": ", *listed(names, 8))
    if first.reason:
        yield "declared", first.reason
    if first.message:
        yield "message", "; ".join(line.strip() for line in first.message.splitlines())
    if diagnosis is None:
        return
    asked = diagnosis.fresh
    yield "evidence", evidence(group) + (f"; {asked.met} of {asked.asked} fresh inputs" if asked else "")
    clauses = diagnosis.explanation.removesuffix(".").split("; ")
    if diagnosis.strength == "none":
        yield "reason", diagnosis.explanation
    elif diagnosis.strength == "consistent" and len(clauses) > max(len(diagnosis.conventions), 1):
        yield "doubt", clauses[-1]
    if diagnosis.conventions:
        name = "conventions" if whole(diagnosis) else "in part"
        yield name, (Id(settings(diagnosis.conventions)), f" (crosscheck explain {group.causes[0]})")
    tied = next(((c, cell) for c, cell in worst(group) if cell.ties), None)
    if tied is not None and tied[1].ties is not None:
        c, cell = tied
        yield "ties", ("query ", Id(cell.query), ", ", Id(c.measure), ": ", interval_words(tied[1].ties))
    others = alternatives(group)
    if others:
        named = [f"{cause_list(o.causes)} ({settings(o.conventions)})" for o, _ in others]
        yield "or", listed(named, 1)
    if diagnosis.separate_by:
        yield "to decide", diagnosis.separate_by


def _other(other: Alternative, fits: int, group: Group) -> tuple[str, ...]:
    changes = [
        f"{setting(axis, value)} ({convention(axis, value)})"
        for axis, value in in_axis_order(other.conventions)
    ]
    size = len(group.comparisons)
    scope = "" if size == 1 else f", in {fits:,} of {count(size, 'comparison')}"
    return (Id(cause_list(other.causes)), ": ", "; ".join(changes), scope)


def _queries(group: Group, cells: Sequence[tuple[Comparison, Cell]]) -> Table:
    several = len({c.measure for c in group.comparisons}) > 1
    places = len({(c.case, c.run) for c in group.comparisons}) > 1
    columns = [Column("query", "id")]
    columns += [Column("measure", "id", "measure")] * several
    columns += [Column(title, "number") for title in ("reference", "candidate", "delta")]
    columns += [Column("case / run", "id", "case")] * places + [Column("cause", key="cause")]

    def row(entry: tuple[Comparison, Cell]) -> list[TableCell]:
        c, cell = entry
        names: list[TableCell] = [Id(cell.query), *([Id(c.measure)] * several)]
        values = figures(cell.reference_value, cell.candidate_value, printed(c))
        return [*names, *values, *([Id(f"{c.case} / {c.run}")] * places), cause_list(cell.causes)]

    return Table("", columns, Made(cells, row), limit=_QUERIES, noun="query value")


def _more(group: Group, cells: Sequence[tuple[Comparison, Cell]]) -> Iterator[Block]:
    """What only some readers want: the words of the diagnosis, notes, and what else would fit."""
    first, diagnosis = group.first, group.diagnosis
    rows: list[tuple[str, Text]] = []
    if diagnosis is not None:
        rows.append(("cause", (Id(cause_list(group.causes)), ": ", diagnosis.explanation)))
    rows += [
        ("where", (*listed(where, 10), ": ", *listed(names, 20)))
        for where, names in places(group.comparisons)[:10]
    ]
    ulps = [c.max_ulp for c in group.comparisons if c.max_ulp is not None]
    if ulps and 0 < max(ulps) <= 1000:
        steps = f"{max(ulps):,} ULP (steps from one double-precision number to the next)"
        rows.append(("largest", steps))
    for outcome, side in (
        ("missing-in-candidate", first.candidate),
        ("missing-in-reference", first.reference),
    ):
        ids = list(dict.fromkeys(cell.query for _, cell in cells if cell.outcome == outcome))
        if ids:
            rows.append(
                ("no value", (Id(side), " has none where the other has one: query ", *listed(ids, 10)))
            )
    rows += [("or", _other(other, fits, group)) for other, fits in alternatives(group)[:10]]
    if diagnosis is not None and diagnosis.fresh is not None and diagnosis.fresh.met < diagnosis.fresh.asked:
        rows.append(("fresh inputs", _unmet(diagnosis.fresh)))
    yield Facts(rows)
    tied = [(c, cell, cell.ties) for c, cell in cells[:20] if cell.ties is not None]
    yield Bullets(
        "What the order of tied documents can make of it",
        [
            ("query ", Id(cell.query), ", ", Id(c.measure), ": ", interval_words(ties))
            for c, cell, ties in tied
        ],
        limit=5,
    )
    documents = next(((c, cell) for c, cell in cells if cell.documents), None)
    if documents is not None:
        yield _documents(*documents)
    yield Bullets("Notes", list(dict.fromkeys(note for c in group.comparisons for note in c.notes)))
    for message in list(dict.fromkeys(c.message for c in group.comparisons if c.message))[:3]:
        yield Message(message)


def _unmet(fresh: FreshInputs) -> Text:
    """The smallest fresh input that the conventions do not predict, or why there is none."""
    if fresh.query is None:
        return fresh.failure or "not all of them are predicted"
    return ("query ", Id(fresh.query), f": {short(fresh.found)} instead of {short(fresh.expected)}")


def _documents(c: Comparison, cell: Cell) -> Table:
    columns = [Column("docno", "id"), Column("score", "number"), Column("relevance", "number")]
    columns += [Column("rank in reference", "number"), Column("in candidate", "number")]
    rows: list[list[TableCell]] = [
        [
            Id(d.docno),
            figure(d.score, full=True),
            "not judged" if d.rel is None else str(d.rel),
            rank(d.reference_rank),
            rank(d.candidate_rank),
        ]
        for d in cell.documents
    ]
    title = (
        "Documents that make the difference in query ",
        Id(cell.query),
        " of ",
        Id(f"{c.case} / {c.run}"),
    )
    return Table(title, columns, rows, limit=10, noun="document")


def _evidence(document: Document, group: Group) -> tuple[Comparison, Evidence | None]:
    """The first comparison that there is evidence of; else the first of all."""
    held = {(e.case, e.run, e.measure, e.candidate): e for e in document.evidence}
    for c in group.comparisons:
        if found := held.get((c.case, c.run, c.measure, c.candidate)):
            return c, found
    return group.first, None


def _pictures(c: Comparison, found: Evidence | None, name: str) -> Iterator[Chart]:
    """From one mean to the other by its causes, and all queries."""
    sides = (c.reference, c.candidate)
    where = f"{c.measure} of {c.case} / {c.run}"
    before = _finite(c.mean.reference_value)
    if found is not None and before is not None and found.steps:
        marks = []
        for step in found.steps:
            after = as_float(step.mean)
            marks.append(Mark(step.cause, before, after, step.cause))
            before = after
        order = "causes in the order of an evaluation" if len(marks) > 1 else "one cause"
        caption = f"From {marks[0].reference:.4f} to {marks[-1].candidate:.4f}: {order}."
        yield Chart(f"{name}-waterfall", "waterfall", f"Mean {where}", caption, sides, marks, "cause")
    marks = [mark for cell in c.cells if (mark := _mark(cell)) is not None]
    if not marks:
        return
    higher = sum(mark.candidate > mark.reference for mark in marks)
    lower = len(marks) - higher
    caption = f"Of {count(c.queries, 'query')}, {higher:,} are higher by the candidate and {lower:,} lower."
    same = [Mark(Id(q), as_float(v), as_float(v)) for q, v in (found.agreeing if found else {}).items()]
    if len(marks) + len(same) > 2:
        yield Chart(f"{name}-dots", "dots", where, caption, sides, [*marks, *same])


def _mark(cell: Cell) -> Mark | None:
    before, after = _finite(cell.reference_value), _finite(cell.candidate_value)
    if before is None or after is None:
        return None
    low, high = (_finite(cell.ties.worst), _finite(cell.ties.best)) if cell.ties else (None, None)
    return Mark(Id(cell.query), before, after, cause_list(cell.causes), low, high)


def _finite(value: object) -> float | None:
    return value if isinstance(value, float | int) and math.isfinite(value) else None


def _rankings(c: Comparison, found: QueryRankings) -> Rankings:
    cell = next((cell for cell in c.cells if cell.query == found.query), None)
    values = figures(cell.reference_value, cell.candidate_value) if cell else figures(None, None)
    return Rankings(
        ("Query ", Id(found.query), ", ", Id(c.measure)),
        Side(Id(c.reference), values[0], [_place(d) for d in found.reference_ranking]),
        Side(Id(c.candidate), values[1], [_place(d) for d in found.candidate_ranking]),
        found.documents - len(found.reference_ranking),
    )


def _place(d: RankedDocument) -> Place:
    gain, discount, running = (None if v is None else figure(v) for v in (d.gain, d.discount, d.running))
    return Place(d.rank, Id(d.docno), d.rel, figure(d.score, full=True), gain, discount, running, d.tied)


def _command(
    document: Document, c: Comparison, cells: Sequence[tuple[Comparison, Cell]]
) -> Iterator[Command]:
    """The call that makes this comparison again, for the query that differs most where there is one."""
    files = next((i for i in document.inputs if (i.case, i.run) == (c.case, c.run)), None)
    if files is None or not files.run_path:
        return
    query = next((["--query", cell.query] for of, cell in cells if of is c), [])
    reference = [] if c.reference == DEFAULT_REFERENCE else ["--reference", c.reference]
    if c.reference.startswith(_SAVED) and c.candidate.startswith(_SAVED):
        sides = [side.removeprefix(_SAVED) for side in (c.reference, c.candidate)]
        call = ["diff", *sides, "--qrels", files.qrels_path, "--run", files.run_path, "-m", c.measure]
    elif c.candidate in saved(document):
        call = [os.path.dirname(files.qrels_path) or ".", "-m", c.measure, *query, *reference]
    else:
        call = [files.qrels_path, files.run_path, "-m", c.measure, "-b", c.candidate, *query, *reference]
    yield Command(shlex.join(["crosscheck", *call]), "To see this alone")


_SAVED = "recorded:"
