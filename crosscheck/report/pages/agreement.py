"""The page of ``crosscheck agreement``: kappas, the confusion matrix, and every topic."""

from __future__ import annotations

from crosscheck.errors import count
from crosscheck.report.page import Page, Paragraph, Section, Table
from crosscheck.report.pages import Kind, study_page
from crosscheck.report.tables import Field, columns, table
from crosscheck.report.words import file
from crosscheck.study_records.agreement import AgreementDocument

_READING = (
    "Kappa is 1 where two assessors always agree, 0 where they agree as often as chance would, and negative"
    " where less often. Landis and Koch (1977) call it slight up to 0.2, fair to 0.4, moderate to 0.6,"
    " substantial to 0.8 and almost perfect above; the limits are arbitrary, as they say themselves."
)
_KAPPA: tuple[Field, ...] = (
    ("kappa", lambda k: "unweighted" if k.weights == "none" else k.weights),
    *("#value", "#observed", "#by chance=expected"),
    ("reading", lambda k: k.reading or k.note or ""),
)
_TOPIC = (
    *("@topic", "#both=documents", "#1st only=only_first", "#2nd only=only_second"),
    *("#kappa=unweighted.value", "#linear=linear.value", "#quadratic=quadratic.value", "#overlap"),
)


def agreement_page(document: AgreementDocument) -> Page:
    """Kappas over all topics, the confusion matrix, then every topic."""
    total, levels = document.total, [str(level) for level in document.levels]
    about = "Documents per level of the first (rows) and of the second assessor (columns)"
    counts = [
        [level, *(f"{cell:,}" for cell in row)] for level, row in zip(levels, document.confusion, strict=True)
    ]
    kappas = table("", (total.unweighted, total.linear, total.quadratic), *_KAPPA)
    return study_page(
        document,
        ("Agreement of ", file(document.first), " and ", file(document.second)),
        Section("All topics", [kappas, Paragraph(_READING)]),
        Section("Levels", [Table(about, columns("", *(f"#{level}" for level in levels)), counts, limit=100)]),
        Section("Topics", [table("", document.topics, *_TOPIC, limit=60, noun="topic")]),
        notes=_dashes(document),
    )


def _dashes(document: AgreementDocument) -> list[str]:
    """The meanings of a dash in the table of topics."""
    unpaired = sum(not topic.documents for topic in document.topics)
    barren = sum(topic.overlap is None and bool(topic.documents) for topic in document.topics)
    meanings = (
        ("No kappa: no document judged by both", unpaired),
        ("No overlap: neither assessor calls a document relevant", barren),
    )
    return [f"{said} ({count(number, 'topic')})." for said, number in meanings if number]


KIND = Kind("agreement", AgreementDocument, agreement_page, "agreement")
