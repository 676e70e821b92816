"""The document of the difference between two runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from crosscheck.study_records.base import OnQrels

__all__ = ["RundiffDocument", "RundiffMeasure", "RundiffPart"]


@dataclass(frozen=True, slots=True)
class RundiffPart:
    """The part that one property of the runs has in the difference between them.

    Attributes:
        property: ``queries``, ``depth``, ``documents``, ``ties``, ``score-format`` or ``order``.
        says: the property in words.
        queries: number of queries that lose, gain or change their value; most: the five that change most.
        before, after: the mean before and after the property is taken over; part: ``after - before``.
    """

    property: str
    says: str
    queries: int
    most: list[str]
    before: float
    after: float
    part: float


@dataclass(frozen=True, slots=True)
class RundiffMeasure:
    """One measure of two runs; ``difference`` is the exact sum of the parts, which are in a fixed order."""

    measure: str
    theirs: float
    ours: float
    difference: float
    parts: list[RundiffPart]


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class RundiffDocument(OnQrels):
    """``crosscheck rundiff``: one property after the other is taken from ``ours`` into ``theirs``."""

    study: Literal["rundiff"] = "rundiff"
    theirs: str
    ours: str
    measures: list[RundiffMeasure]
