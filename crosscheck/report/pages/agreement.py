"""The page of ``crosscheck agreement``: kappas, the confusion matrix, and every topic."""

from __future__ import annotations

from crosscheck.report._figures import count
from crosscheck.report._page import Bullets, Id, Page, Paragraph, StudyPage, Table
from crosscheck.study_records import AgreementDocument, Kappa, TopicAgreement

__all__ = ["STUDY", "agreement_page"]

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
    matrix = [
        [level, *(f"{cell:,}" for cell in row)] for level, row in zip(levels, document.confusion, strict=True)
    ]
    head = [("kappa", False), ("value", True), ("observed", True), ("by chance", True), ("reading", False)]
    return Page(
        f"Agreement of {document.first} and {document.second}",
        document.summary,
        [
            ("All topics", [Table("", head, kappas), Paragraph(_READING)]),
            (
                "Levels",
                [
                    Table(
                        "Documents per level of the first (rows) and of the second assessor (columns)",
                        [("", False), *((level, True) for level in levels)],
                        matrix,
                        limit=100,
                    )
                ],
            ),
            ("Topics", [_topics(document)]),
            ("", [Bullets("Notes", [*document.notes, *_dashes(document)])]),
        ],
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


def _kappa_row(kappa: Kappa) -> list[str]:
    name = "unweighted" if kappa.weights == "none" else kappa.weights
    return [
        name,
        _number(kappa.value),
        _number(kappa.observed),
        _number(kappa.expected),
        kappa.reading or kappa.note or "",
    ]


def _topics(document: AgreementDocument) -> Table:
    head = [
        ("topic", False),
        ("both", True),
        ("1st only", True),
        ("2nd only", True),
        ("kappa", True),
        ("linear", True),
        ("quadratic", True),
        ("overlap", True),
    ]
    return Table("", head, [_topic_row(topic) for topic in document.topics], limit=60, noun="topic")


def _topic_row(topic: TopicAgreement) -> list[str]:
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


def _number(value: float | None) -> str:
    return _NONE if value is None else f"{value:.4f}"


STUDY = StudyPage(AgreementDocument, agreement_page)
