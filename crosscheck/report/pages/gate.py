"""The page of ``crosscheck gate``: the verdict on each measure, then the queries that fell and why."""

from __future__ import annotations

from collections.abc import Sequence

from crosscheck.report.page import Block, Bullets, Id, Page, Paragraph, Section, Status, Table
from crosscheck.report.pages import Kind, study_page
from crosscheck.report.pages.compare import p_value
from crosscheck.report.tables import NONE, Field, figure, table, values
from crosscheck.report.words import files
from crosscheck.results import Number
from crosscheck.study_records.gate import FallenQuery, GateDocument, GateMeasure, GateVerdict

_STATUS: dict[GateVerdict, Status] = {
    "pass": Status.AGREE,
    "fail": Status.UNEXPECTED,
    "inconclusive": Status.ERROR,
}
_ABOUT = (
    "Beyond ties: mean of the part of the difference that no order of documents with equal scores explains;"
    " p is that of this part, corrected by {} over the measures."
)
_TIES = "Means that the order of documents with equal scores can give"


def gate_page(document: GateDocument) -> Page:
    """Verdict and reason of each measure, then the queries that fell, the largest fall first."""
    old, new = files(document.old, document.new)
    return study_page(
        document,
        ("From ", old, " to ", new),
        Section("Measures", _measures(document)),
        *(Section(("Queries that fell: ", Id(m.measure)), [_fallen(m)]) for m in document.measures if m.fell),
        _missing("old", old, document.old_missing),
        _missing("new", new, document.new_missing),
        status=_STATUS[document.verdict],
    )


def _measures(document: GateDocument) -> list[Block]:
    others = [m for m in document.measures if f"{m.measure}: {m.reason}" not in document.summary]
    tied = [m for m in document.measures if {_interval(m.old_ties), _interval(m.new_ties)} != {NONE}]
    fields: list[Field] = [
        *(("verdict", lambda m: m.verdict.upper()), "@measure", "#old", "#new"),
        *("+beyond ties=difference", ("#p", lambda m: p_value(m.p))),
        ("#fell", lambda m: f"{m.fell:,} of {m.queries:,}"),
    ]
    return [
        table("", document.measures, *fields, limit=100, noun="measure"),
        Bullets("", [(Id(m.measure), f": {m.reason}.") for m in others], limit=100),
        *([Paragraph(_ABOUT.format(document.correction))] if document.measures else []),
        table(_TIES, tied, "@measure", *_INTERVALS, limit=100, noun="measure"),
    ]


def _interval(ties: tuple[Number, Number] | None) -> str:
    if ties is None:
        return "not known"
    low, high = (figure(end).text for end in ties)
    return NONE if low == high else f"{low} to {high}"


def _fallen(measure: GateMeasure) -> Table:
    fields: list[Field] = [
        "@query",
        values(lambda q: (q.old, q.new, None), "old", "new"),
        ("what fell", _why),
    ]
    return table("", measure.fallen, *fields, limit=10, noun="query")


def _why(query: FallenQuery) -> tuple[str, ...]:
    told: list[str] = []
    for document in query.documents:
        new = document.new_rank
        now = "is no longer retrieved" if new is None else f"falls to rank {new:,}"
        told += [Id(document.docno), f" (level {document.level}, rank {document.old_rank:,}) {now}; "]
    if query.more:
        told.append(f"{query.more:,} more; ")
    if query.new_unjudged != query.old_unjudged:
        told.append(
            f"unjudged among the first {query.depth}: {query.old_unjudged} before, {query.new_unjudged} now"
        )
    *first, last = told or ["documents that are not relevant"]
    return (*first, last.removesuffix("; "))


def _missing(which: str, run: Id, queries: Sequence[str]) -> Bullets:
    title = ("Judged queries without results in the ", which, " run ", run)
    return Bullets(title, [(Id(query),) for query in queries])


_INTERVALS: tuple[Field, ...] = (
    ("#old", lambda measure: _interval(measure.old_ties)),
    ("#new", lambda measure: _interval(measure.new_ties)),
)
KIND = Kind("gate", GateDocument, gate_page, "gate")
