"""The document of a gate: whether a new system may replace another."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from crosscheck.impact_records import TestName
from crosscheck.results import Number
from crosscheck.study_records.base import OnQrels

__all__ = ["FallenDocument", "FallenQuery", "GateDocument", "GateMeasure", "GateVerdict"]


GateVerdict: TypeAlias = Literal["pass", "fail", "inconclusive"]


@dataclass(frozen=True, slots=True)
class FallenDocument:
    """A relevant document that the new run ranks lower; a rank is null where it is not retrieved."""

    docno: str
    level: int
    old_rank: int
    new_rank: int | None


@dataclass(frozen=True, slots=True)
class FallenQuery:
    """A query whose value falls, whatever the order of tied documents.

    Attributes:
        old, new: the value on each run, tied documents ordered as the conventions say.
        difference: the best value over all orders of tied documents of the new run, minus the worst of the
            old run; below 0.
        documents: the first relevant documents that fell, the most relevant first; more: number of others.
        old_unjudged, new_unjudged: number of unjudged documents among the first ``depth`` of each run.
    """

    query: str
    old: Number
    new: Number
    difference: float
    documents: list[FallenDocument]
    more: int
    depth: int
    old_unjudged: int
    new_unjudged: int


@dataclass(frozen=True, slots=True)
class GateMeasure:
    """One measure of the new run against the old one.

    Attributes:
        reason: the reason for the verdict, in a few words.
        queries: number of judged queries with a value on both runs.
        old, new: means; ``old_ties``, ``new_ties``: the lowest and highest mean that the order of tied
            documents gives, null where that is not known.
        difference: mean over all queries of the part of the difference that no order of tied documents
            explains.
        p: p-value of this part, corrected over the measures; null if nothing could be tested.
        rose, fell: number of queries for which this part is above or below 0.
        fallen: the queries for which it is below 0, the largest fall first.
    """

    measure: str
    verdict: GateVerdict
    reason: str
    queries: int
    old: Number | None
    new: Number | None
    old_ties: tuple[Number, Number] | None
    new_ties: tuple[Number, Number] | None
    difference: float | None
    p: float | None
    rose: int
    fell: int
    fallen: list[FallenQuery]


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class GateDocument(OnQrels):
    """``crosscheck gate``.

    Attributes:
        tolerance: the drop of a mean that passes although it is significant.
        allow_missing: number of judged queries that may be without results (they count as 0) before the gate
            is inconclusive.
        judged: number of judged queries.
        old_missing, new_missing: judged queries without results in each run, in byte order.
    """

    study: Literal["gate"] = "gate"
    old: str
    new: str
    test: TestName
    alpha: float
    tolerance: float
    allow_missing: int
    judged: int
    old_missing: list[str]
    new_missing: list[str]
    verdict: GateVerdict
    measures: list[GateMeasure]
    correction: str = "Holm"
