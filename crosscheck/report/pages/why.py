"""The page of ``crosscheck why``: the answers, likeliest first, each with what to ask the authors."""

from __future__ import annotations

from crosscheck.report.page import Bullets, Figure, Id, Page, Paragraph, Section, Status
from crosscheck.report.pages import Kind, study_page
from crosscheck.report.tables import Field, table
from crosscheck.report.words import listed, settings
from crosscheck.study_records.why import WhyAnswer, WhyDocument

_ABOUT = (
    "Nothing is proved by a mean. The chance of an answer is the expected number of answers, from the first"
    " one down to it, that would give the numbers by chance; sets that predict the same are one answer."
)


def why_page(document: WhyDocument) -> Page:
    """Answers, what to ask, and the numbers."""
    answers: list[Field] = [
        *(("#no.", lambda of: str(of[0])), ("answer", lambda of: _says(of[1]))),
        *_SETTINGS * any(answer.conventions or answer.tools for answer in document.answers),
        ("#chance", lambda of: of[1].chance if of[1].chance is None else _chance(of[1].chance)),
    ]
    numbers: list[Field] = [
        *(("@measure", lambda one: one.measure or "?"), ("@query", lambda one: one.query or "mean")),
        *("#printed", "#trec_eval=value", "@run"),
    ]
    likeliest = list(enumerate(document.answers, 1))
    asks = list(dict.fromkeys(answer.ask for answer in document.answers[:3] if answer.ask))
    return study_page(
        document,
        ("Numbers of ", *listed(document.runs, 3)),
        Section("Answers", [table("", likeliest, *answers, limit=5, noun="answer"), Paragraph(_ABOUT)]),
        *([Section("What to ask the authors", [Bullets("", asks)])] if asks else []),
        Section("Numbers", [table("", document.numbers, *numbers, limit=10)]),
        status=Status.DIFFERS if document.answers[0].another else None,
    )


def _says(answer: WhyAnswer) -> str:
    return answer.says + (f" ({answer.others:,} other sets predict the same)" if answer.others else "")


def _chance(chance: float) -> Figure:
    return Figure(f"{chance:.2g}", chance)


_SETTINGS: tuple[Field, ...] = (
    ("settings", lambda of: Id(settings(of[1].conventions))),
    ("tools known to compute so", lambda of: listed(of[1].tools, 6)),
)
KIND = Kind("why", WhyDocument, why_page, "why")
