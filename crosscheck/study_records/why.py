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
        measure: null if it is not known; query: null for a mean.
        printed: as it was given; value: trec_eval's, null without a measure.
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
        another: whether it is that they are of another run or of other judgements; all else is empty then.
        says: in words; change: of the input, empty if there is none; conventions: other than trec_eval's.
        tools: known to compute so; others: number of other sets of conventions that predict the same.
        measures, values: what it predicts for each number.
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
        answers: likeliest first; tried: number of sets of conventions and inputs; distinct: of those that
            predict different numbers; fitting: of distinct ones that give all numbers; by_chance: how many
            are expected to do so by chance.
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
