"""The document of the numbers that tools print for a run."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar, Literal

from crosscheck.axes.base import AxisValue
from crosscheck.results import Number
from crosscheck.study_records.base import StudyDocument

__all__ = ["LintFinding", "ToolGroup", "ToolSwap", "ToolsDocument"]


@dataclass(frozen=True, slots=True)
class ToolGroup:
    """The tools that print the same number for a run.

    Attributes:
        printed: the number with the decimals of the document; empty for tools that print no number, a range
            for tools of which a convention is unknown.
        value: the number of the first tool; low, high: the bounds of a range, else null.
        tools: names of profiles; read: the profiles among them that come from reading source code alone.
        conventions: axis -> value, for the axes that make the difference to trec_eval.
        reason: these conventions in words, or the reason why there is no number.
    """

    measure: str
    run: str
    printed: str
    value: Number | None
    low: Number | None
    high: Number | None
    tools: list[str]
    read: list[str]
    conventions: dict[str, AxisValue]
    reason: str


@dataclass(frozen=True, slots=True)
class ToolSwap:
    """Two runs that trec_eval and other tools order differently; ``better`` is trec_eval's."""

    measure: str
    better: str
    worse: str
    tools: list[str]


@dataclass(frozen=True, slots=True)
class LintFinding:
    """A property of a run and its qrels on which tools differ.

    Attributes:
        label: label of the axis; says: the property in words; queries: number of queries that have it.
        value: the mean as trec_eval computes it; effects: other value of the axis -> mean under it.
    """

    measure: str
    run: str
    label: str
    says: str
    queries: int
    value: Number | None
    effects: dict[str, Number | None]


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class ToolsDocument(StudyDocument):
    """``crosscheck tools``: for each measure and run the groups of tools, trec_eval's first.

    ``software``: profile -> tool and version. ``lint``: null if it was not asked for.
    """

    _rows: ClassVar[str] = "groups"

    study: Literal["tools"] = "tools"
    qrels: str
    runs: list[str]
    decimals: int
    groups: list[ToolGroup]
    swaps: list[ToolSwap]
    software: dict[str, str]
    lint: list[LintFinding] | None
    summary: str
    notes: list[str] = field(default_factory=list)
