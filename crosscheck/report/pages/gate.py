"""The page of ``crosscheck gate``: the verdict on each measure, then the queries that fell and why."""

from __future__ import annotations

from collections.abc import Sequence

from crosscheck.report._figures import figure, figures, rank
from crosscheck.report.page import (
    Block,
    Bullets,
    Column,
    Figure,
    Id,
    Page,
    Paragraph,
    Section,
    Status,
    Table,
    TableCell,
)
from crosscheck.report.pages import Kind
from crosscheck.report.pages._studies import columns, page, paper
from crosscheck.report.pages.compare import p_value
from crosscheck.results import Number
from crosscheck.study_records import FallenQuery, GateDocument, GateMeasure, GateVerdict

__all__ = ["KIND", "gate_page"]

_STATUS: dict[GateVerdict, Status] = {
    "pass": Status.AGREE,
    "fail": Status.UNEXPECTED,
    "inconclusive": Status.ERROR,
}
_ABOUT = (
    "Beyond ties: mean of the part of the difference that no order of documents with equal scores explains;"
    " p is that of this part, corrected by {} over the measures."
)
_NOTHING_TIED = "–"
_TIES = "Means that the order of documents with equal scores can give"


def gate_page(document: GateDocument) -> Page:
    """Verdict and reason of each measure, then the queries that fell, the largest fall first."""
    return page(
        document,
        ("From ", Id(document.old), " to ", Id(document.new)),
        Section("Measures", _measures(document)),
        *(Section(("Queries that fell: ", Id(m.measure)), [_fallen(m)]) for m in document.measures if m.fell),
        *_missing("old", document.old, document.old_missing),
        *_missing("new", document.new, document.new_missing),
        Bullets("Notes", document.notes),
        paper(document.sentences),
        status=_STATUS[document.verdict],
    )


def _measures(document: GateDocument) -> list[Block]:
    head = columns("verdict", "@measure", "#old", "#new", "#beyond ties", "#p", "#fell")
    rows: list[list[TableCell]] = [
        [
            measure.verdict.upper(),
            Id(measure.measure),
            figure(measure.old),
            figure(measure.new),
            Figure("–" if measure.difference is None else f"{measure.difference:+.4f}", measure.difference),
            p_value(measure.p),
            f"{measure.fell:,} of {measure.queries:,}",
        ]
        for measure in document.measures
    ]
    if not rows:
        return []
    others = [m for m in document.measures if m.verdict != document.verdict]
    ties = [(m.measure, _interval(m.old_ties), _interval(m.new_ties)) for m in document.measures]
    tied: list[list[TableCell]] = [
        [Id(name), old, new] for name, old, new in ties if (old, new) != (_NOTHING_TIED, _NOTHING_TIED)
    ]
    return [
        Table("", head, rows, limit=100, noun="measure"),
        Bullets("", [(Id(m.measure), f": {m.reason}.") for m in others], limit=100),
        Paragraph(_ABOUT.format(document.correction)),
        Table(_TIES, columns("@measure", "#old", "#new"), tied, limit=100, noun="measure"),
    ]


def _interval(ties: tuple[Number, Number] | None) -> str:
    if ties is None:
        return "not known"
    low, high = (figure(end).text for end in ties)
    return _NOTHING_TIED if low == high else f"{low} to {high}"


def _fallen(measure: GateMeasure) -> Table:
    head = [*columns("@query", "#old", "#new", "#delta"), Column("what fell")]
    rows: list[list[TableCell]] = [
        [Id(query.query), *figures(query.old, query.new), _why(query)] for query in measure.fallen
    ]
    return Table("", head, rows, limit=10, noun="query")


def _why(query: FallenQuery) -> tuple[str, ...]:
    told: list[str] = []
    for document in query.documents:
        place = "is not retrieved" if document.new_rank is None else f"to {rank(document.new_rank)}"
        told += [Id(document.docno), f" (level {document.level}) from rank {document.old_rank} {place}; "]
    if query.more:
        told.append(f"{query.more:,} more; ")
    if query.new_unjudged != query.old_unjudged:
        told.append(
            f"unjudged among the first {query.depth}: {query.old_unjudged} before, {query.new_unjudged} now"
        )
    *first, last = told or ["documents that are not relevant"]
    return (*first, last.removesuffix("; "))


def _missing(which: str, run: str, queries: Sequence[str]) -> list[Block]:
    return [
        Bullets(
            ("Judged queries without results in the ", which, " run ", Id(run)), [(Id(q),) for q in queries]
        )
    ]


KIND = Kind("gate", GateDocument, gate_page, "gate")
