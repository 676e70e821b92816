"""The page of ``crosscheck pool``: who contributed what, the size per topic, and what nobody judged."""

from __future__ import annotations

from crosscheck.report.page import Bullets, Id, Page, Paragraph, Section, Table, TableCell
from crosscheck.report.pages import Kind
from crosscheck.report.pages._studies import columns, page
from crosscheck.study_records import PoolDocument

__all__ = ["KIND", "pool_page"]


def pool_page(document: PoolDocument) -> Page:
    """Everything a reader of a pool needs, the runs first."""
    notes = [*document.notes, *dict.fromkeys(note for rate in document.unjudged for note in rate.notes)]
    written = [Paragraph(("The pool is in ", Id(document.file), "."))] if document.file is not None else []
    return page(
        document,
        f"A pool of depth {document.depth} from {len(document.members)} runs",
        Section("Runs", [_runs(document)]),
        Section("Topics", [_topics(document), *written]),
        Bullets("Notes", notes),
    )


def _runs(document: PoolDocument) -> Table:
    rates = {rate.run: rate for rate in document.unjudged}
    head = ["@run", "@tag", "#contributed", "#unique"]
    if rates:
        head.append(f"#unjudged@{document.unjudged[0].k}")
    rows: list[list[TableCell]] = []
    for member in document.members:
        row: list[TableCell] = [Id(member.run), Id(member.tag)]
        row += [f"{member.contributed:,}", f"{member.unique:,}"]
        if rates:
            mean = rates[member.run].mean
            row.append("–" if mean is None else f"{mean:.4f}")
        rows.append(row)
    return Table("", columns(*head), rows, limit=100, noun="run")


def _topics(document: PoolDocument) -> Table:
    head = ["@topic", "#documents", "#not judged"]
    rows: list[list[TableCell]] = [
        [Id(t.topic), f"{t.documents:,}", "–" if t.unjudged is None else f"{t.unjudged:,}"]
        for t in document.topics
    ]
    if document.qrels is None:
        head, rows = head[:2], [row[:2] for row in rows]
    return Table("", columns(*head), rows, limit=60, noun="topic")


KIND = Kind("pool", PoolDocument, pool_page, "pool")
