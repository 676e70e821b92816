"""The document of the conventions that give a printed number."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar, Literal

from crosscheck.axes.base import AxisValue
from crosscheck.results import Number
from crosscheck.study_records.base import StudyDocument

__all__ = ["WhyAnswer", "WhyDocument", "WhyNumber"]


@dataclass(frozen=True, slots=True)
class WhyNumber:
    """A number that is to be explained.

    Attributes:
        measure: the measure, null if it is not known; query: the query, null for a mean.
        printed: the number as it was given.
        value: trec_eval's mean on the given input; null without a measure or for a single query.
    """

    measure: str | None
    run: str
    query: str | None
    printed: str
    value: Number | None


@dataclass(frozen=True, slots=True)
class WhyAnswer:
    """One way to get the numbers.

    Attributes:
        another: whether this answer is "another run or other judgements"; only ``says`` and ``ask`` are then
            filled.
        says: the answer in words; change: the change of the input in words, empty if there is none.
        conventions: axis -> value, where it differs from trec_eval's.
        tools: profiles with these conventions; others: number of other sets that predict the same values.
        measures, values: for each number, the measure and the value that the answer predicts.
        chance: expected number of answers, down to this one, that give the numbers by chance.
        ask: the question to the authors.
    """

    another: bool
    says: str
    change: str
    conventions: dict[str, AxisValue]
    tools: list[str]
    others: int
    measures: list[str]
    values: list[Number]
    chance: float | None
    ask: str


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class WhyDocument(StudyDocument):
    """``crosscheck why``.

    Attributes:
        answers: the likeliest answers, likeliest first.
        tried: number of pairs of conventions and input that were tried.
        distinct: number of answers with different predictions; fitting: number that give all numbers.
        by_chance: number of answers expected to give all numbers by chance.
    """

    _rows: ClassVar[str] = "answers"

    study: Literal["why"] = "why"
    qrels: str
    runs: list[str]
    numbers: list[WhyNumber]
    answers: list[WhyAnswer]
    tried: int
    distinct: int
    fitting: int
    by_chance: float
    summary: str
    notes: list[str] = field(default_factory=list)
