"""The parts that the documents of all studies share.

Field names are those of the JSON, as in :mod:`crosscheck.results`. null means that there is no value, and a
note gives the reason. Every document of a study holds ``schema_version``, ``study``, ``tool`` and
``environment``.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from crosscheck.results import Environment, Tool
from crosscheck.shown import Shown

__all__ = ["STUDY_VERSION", "OnQrels", "StudyDocument"]

STUDY_VERSION = 2


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class StudyDocument(Shown):
    """The document of a study; each names its study and has additional fields."""

    _rows: ClassVar[str] = "measures"

    schema_version: int = STUDY_VERSION
    study: str
    tool: Tool
    environment: Environment


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class OnQrels(StudyDocument):
    """The part that studies of measures on judged runs share.

    ``summary``: the findings in one paragraph. ``sentences`` describe the measures in a paper, where the
    conventions that they are under are known.
    """

    qrels: str
    summary: str
    notes: list[str] = field(default_factory=list)
    sentences: list[str] = field(default_factory=list)
