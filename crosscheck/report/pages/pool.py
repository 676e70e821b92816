"""The page of ``crosscheck pool``: who contributed what, the size per topic, and what nobody judged."""

from __future__ import annotations

from crosscheck.report._page import Bullets, Id, Page, Paragraph, StudyPage, Table
from crosscheck.study_records import PoolDocument

__all__ = ["STUDY", "pool_page"]


def pool_page(document: PoolDocument) -> Page:
    """Everything a reader of a pool needs, the runs first."""
    notes = [*document.notes, *dict.fromkeys(note for rate in document.unjudged for note in rate.notes)]
    written = [Paragraph(f"The pool is in {document.file}.")] if document.file is not None else []
    return Page(
        f"A pool of depth {document.depth} from {len(document.members)} runs",
        document.summary,
        [
            ("Runs", [_runs(document)]),
            ("Topics", [_topics(document), *written]),
            ("", [Bullets("Notes", notes)]),
        ],
    )


def _runs(document: PoolDocument) -> Table:
    rates = {rate.run: rate for rate in document.unjudged}
    head = [("run", False), ("tag", False), ("contributed", True), ("unique", True)]
    if rates:
        head.append((f"unjudged@{document.unjudged[0].k}", True))
    rows = []
    for member in document.members:
        row = [Id(member.run), Id(member.tag), f"{member.contributed:,}", f"{member.unique:,}"]
        if rates:
            mean = rates[member.run].mean
            row.append("–" if mean is None else f"{mean:.4f}")
        rows.append(row)
    return Table("", head, rows, limit=100, noun="run")


def _topics(document: PoolDocument) -> Table:
    head = [("topic", False), ("documents", True), ("not judged", True)]
    rows = [
        [Id(t.topic), f"{t.documents:,}", "–" if t.unjudged is None else f"{t.unjudged:,}"]
        for t in document.topics
    ]
    if document.qrels is None:
        head, rows = head[:2], [row[:2] for row in rows]
    return Table("", head, rows, limit=60, noun="topic")


STUDY = StudyPage(PoolDocument, pool_page)
