"""The document of the changes between two results."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar, Literal, TypeAlias

from crosscheck.study_records.base import StudyDocument

__all__ = ["Change", "ChangeKind", "DiffDocument", "VersionChange"]


ChangeKind: TypeAlias = Literal[
    "new", "gone", "other cause", "other outcome", "other strength", "other values", "added", "left out"
]


@dataclass(frozen=True, slots=True)
class Change:
    """A comparison that came out otherwise than in an earlier result.

    Attributes:
        change: ``new``: a mismatch or error that was not there; ``gone``: one that is a match now;
            ``other cause``: other labels or other conventions; ``other values``: all of these are the same,
            but not the values or the means; ``added``, ``left out``: only the later or the earlier result
            has the comparison, and it is, or was, nothing new.
        before, after: the outcome, with labels and strength for a mismatch; null without a comparison.
    """

    change: ChangeKind
    case: str
    run: str
    measure: str
    candidate: str
    before: str | None
    after: str | None


@dataclass(frozen=True, slots=True)
class VersionChange:
    """A program or package with another version; null for one that was not there."""

    name: str
    before: str | None
    after: str | None


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class DiffDocument(StudyDocument):
    """``crosscheck diff`` of two result documents.

    Attributes:
        before, after: the two, as they were named; comparisons: number of comparisons in either.
        changes: in the order of the later document, those left out last.
    """

    _rows: ClassVar[str] = "changes"

    study: Literal["diff"] = "diff"
    before: str
    after: str
    comparisons: int
    changes: list[Change]
    versions: list[VersionChange]
    summary: str
    notes: list[str] = field(default_factory=list)
