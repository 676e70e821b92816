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
    """A comparison whose result differs between an earlier and a later document.

    Attributes:
        change: ``new``: a mismatch or error that was neither before; ``gone``: a former mismatch or error
            that is a match now; ``other outcome``: any other change of the outcome; ``other cause``: the same
            outcome with other labels or conventions; ``other strength``: the same cause with another
            strength; ``other values``: only values or means differ; ``added``: only in the later document,
            neither mismatch nor error; ``left out``: only in the earlier document.
        before, after: the outcome, with labels and strength for a mismatch; null if the document does not
            have the comparison.
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
        before, after: names of the two documents; comparisons: number of comparisons in either document.
        changes: changes in the order of the later document, comparisons that it does not have last.
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
