"""The page of ``crosscheck why``: the answers, likeliest first, each with what to ask the authors."""

from __future__ import annotations

from crosscheck.report._figures import figure
from crosscheck.report._words import settings
from crosscheck.report.page import Bullets, Figure, Id, Page, Paragraph, Section, Status, Table, TableCell
from crosscheck.report.pages import Kind
from crosscheck.report.pages._sentences import listed
from crosscheck.report.pages._studies import columns, page
from crosscheck.study_records import WhyAnswer, WhyDocument

__all__ = ["KIND", "why_page"]

_ABOUT = (
    "Nothing is proved by a mean. The chance of an answer is the expected number of answers, from the first"
    " one down to it, that would give the numbers by chance; sets that predict the same are one answer."
)


def why_page(document: WhyDocument) -> Page:
    """Answers, what to ask, and the numbers."""
    head = columns("#", "answer", "settings", "tools known to compute so", "#chance")
    rows = [_row(place, answer) for place, answer in enumerate(document.answers, 1)]
    numbers: list[list[TableCell]] = [
        [Id(one.measure or "?"), Id(one.query or "mean"), one.printed, figure(one.value), Id(one.run)]
        for one in document.numbers
    ]
    asks = list(dict.fromkeys(answer.ask for answer in document.answers[:3] if answer.ask))
    return page(
        document,
        ("Numbers of ", *listed(document.runs, 3)),
        Section("Answers", [Table("", head, rows, limit=5, noun="answer"), Paragraph(_ABOUT)]),
        Bullets("What to ask the authors", asks),
        Table("Numbers", columns("@measure", "@query", "#printed", "#trec_eval", "@run"), numbers, limit=10),
        Bullets("Notes", document.notes),
        status=Status.DIFFERS if document.answers[0].another else None,
    )


def _row(place: int, answer: WhyAnswer) -> list[TableCell]:
    same = f" ({answer.others:,} other sets predict the same)" if answer.others else ""
    chance = "–" if answer.chance is None else f"{answer.chance:.2g}"
    return [
        *(str(place), answer.says + same, Id(settings(answer.conventions))),
        *((*listed(answer.tools, 6),), Figure(chance, answer.chance)),
    ]


KIND = Kind("why", WhyDocument, why_page, "why")
