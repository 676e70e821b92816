"""The document of the dependence of values on the order of tied documents."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from crosscheck.results import Number
from crosscheck.study_records.base import OnQrels

__all__ = ["TiedMeasure", "TiedQuery", "TiesDocument"]


@dataclass(frozen=True, slots=True)
class TiedQuery:
    """One query over all orders of tied documents; ``expected`` is null if no exact form is known."""

    query: str
    value: Number
    worst: Number
    best: Number
    expected: Number | None


@dataclass(frozen=True, slots=True)
class TiedMeasure:
    """One measure over all orders of tied documents.

    Attributes:
        queries: number of queries with a value; tied: the queries whose value depends on the order.
        mean: mean over the queries with a value, under the conventions' tie rule.
        worst, best, expected: mean of the worst, best and expected values of these queries; null, with a note
            in the document, if the measure has no exact form. Without ``worst`` and ``best``, ``tied`` is
            empty.
    """

    measure: str
    queries: int
    mean: Number | None
    worst: Number | None
    best: Number | None
    expected: Number | None
    tied: list[TiedQuery]


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class TiesDocument(OnQrels):
    """The result of ``crosscheck ties``; ``score_precision`` is that in which scores were compared."""

    study: Literal["ties"] = "ties"
    run: str
    score_precision: str
    measures: list[TiedMeasure]
