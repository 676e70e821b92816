"""The document of the impact of conventions on the conclusions about systems."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from crosscheck.impact_records import Impact
from crosscheck.study_records.base import OnQrels

__all__ = ["ImpactDocument"]


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class ImpactDocument(OnQrels):
    """``crosscheck impact``: one entry of ``impacts`` per measure."""

    _rows: ClassVar[str] = "impacts"

    study: Literal["impact"] = "impact"
    runs: list[str]
    reference: str
    candidate: str
    reference_engine: str
    candidate_engine: str
    impacts: list[Impact]
