"""The page of ``crosscheck pool``: who contributed what, the size per topic, and what nobody judged."""

from __future__ import annotations

from crosscheck.report.page import Id, Page, Paragraph, Section
from crosscheck.report.pages import Kind, study_page
from crosscheck.report.tables import Field, table
from crosscheck.study_records.pool import PoolDocument


def pool_page(document: PoolDocument) -> Page:
    """A table of the runs with their contributions, then a table of the topics."""
    rates = {rate.run: rate.mean for rate in document.unjudged}
    rate: list[Field] = [(f"#unjudged@{r.k}", lambda m: rates[m.run]) for r in document.unjudged[:1]]
    unjudged = ["#not judged=unjudged"] if document.qrels is not None else []
    written = [Paragraph(("The pool is in ", Id(document.file), "."))] if document.file is not None else []
    runs = table(
        "", document.members, "@run", "@tag", "#contributed", "#unique", *rate, limit=100, noun="run"
    )
    topics = table("", document.topics, "@topic", "#documents", *unjudged, limit=60, noun="topic")
    notes = dict.fromkeys(note for rate in document.unjudged for note in rate.notes)
    return study_page(
        document,
        f"A pool of depth {document.depth} from {len(document.members)} runs",
        Section("Runs", [runs]),
        Section("Topics", [topics, *written]),
        notes=list(notes),
    )


KIND = Kind("pool", PoolDocument, pool_page, "pool")
