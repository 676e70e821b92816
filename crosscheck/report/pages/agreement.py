"""The page of ``crosscheck agreement``: kappas, the confusion matrix, and every topic."""

from __future__ import annotations

from crosscheck.report._figures import count
from crosscheck.report.page import Bullets, Figure, Id, Page, Paragraph, Section, Table, TableCell
from crosscheck.report.pages import Kind
from crosscheck.report.pages._studies import columns, page
from crosscheck.study_records import AgreementDocument, Kappa, TopicAgreement

__all__ = ["KIND", "agreement_page"]

_NONE = "–"
_READING = (
    "Kappa is 1 where two assessors always agree, 0 where they agree as often as chance would, and negative"
    " where less often. Landis and Koch (1977) call it slight up to 0.2, fair to 0.4, moderate to 0.6,"
    " substantial to 0.8 and almost perfect above; the limits are arbitrary, as they say themselves."
)


def agreement_page(document: AgreementDocument) -> Page:
    """Everything a reader of two sets of judgements needs, all topics together first."""
    total = document.total
    kappas = [_kappa_row(kappa) for kappa in (total.unweighted, total.linear, total.quadratic)]
    levels = [str(level) for level in document.levels]
    matrix: list[list[TableCell]] = [
        [level, *(f"{cell:,}" for cell in row)] for level, row in zip(levels, document.confusion, strict=True)
    ]
    head = columns("kappa", "#value", "#observed", "#by chance", "reading")
    about = "Documents per level of the first (rows) and of the second assessor (columns)"
    confusion = Table(about, columns("", *(f"#{level}" for level in levels)), matrix, limit=100)
    return page(
        document,
        ("Agreement of ", Id(document.first), " and ", Id(document.second)),
        Section("All topics", [Table("", head, kappas), Paragraph(_READING)]),
        Section("Levels", [confusion]),
        Section("Topics", [_topics(document)]),
        Bullets("Notes", [*document.notes, *_dashes(document)]),
    )


def _dashes(document: AgreementDocument) -> list[str]:
    """What a dash in the table of topics means."""
    unpaired = sum(not topic.documents for topic in document.topics)
    barren = sum(topic.overlap is None and bool(topic.documents) for topic in document.topics)
    said = []
    if unpaired:
        said.append(f"No kappa: no document judged by both ({count(unpaired, 'topic')}).")
    if barren:
        said.append(f"No overlap: neither assessor calls a document relevant ({count(barren, 'topic')}).")
    return said


def _kappa_row(kappa: Kappa) -> list[TableCell]:
    name = "unweighted" if kappa.weights == "none" else kappa.weights
    return [
        name,
        _number(kappa.value),
        _number(kappa.observed),
        _number(kappa.expected),
        kappa.reading or kappa.note or "",
    ]


def _topics(document: AgreementDocument) -> Table:
    head = columns("@topic", "#both", "#1st only", "#2nd only", "#kappa", "#linear", "#quadratic", "#overlap")
    return Table("", head, [_topic_row(topic) for topic in document.topics], limit=60, noun="topic")


def _topic_row(topic: TopicAgreement) -> list[TableCell]:
    return [
        Id(topic.topic),
        f"{topic.documents:,}",
        f"{topic.only_first:,}",
        f"{topic.only_second:,}",
        _number(topic.unweighted.value),
        _number(topic.linear.value),
        _number(topic.quadratic.value),
        _number(topic.overlap),
    ]


def _number(value: float | None) -> Figure:
    return Figure(_NONE if value is None else f"{value:.4f}", value)


KIND = Kind("agreement", AgreementDocument, agreement_page, "agreement")
