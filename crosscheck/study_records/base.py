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
    """The fields of the documents of all studies; a subclass names its study and adds fields."""

    _rows: ClassVar[str] = "measures"

    schema_version: int = STUDY_VERSION
    study: str
    tool: Tool
    environment: Environment


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class OnQrels(StudyDocument):
    """The fields that the documents of studies of measures on judged runs have.

    ``summary``: the findings in one paragraph. ``sentences``: descriptions of the measures for a paper; empty
    if the conventions of the values are not known.
    """

    qrels: str
    summary: str
    notes: list[str] = field(default_factory=list)
    sentences: list[str] = field(default_factory=list)
