"""The document of a pool: the documents that each run contributed, and those without a judgement."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from crosscheck.study_records.base import StudyDocument

__all__ = ["PoolDocument", "PoolMemberRecord", "PoolTopic", "Unjudged"]


@dataclass(frozen=True, slots=True)
class PoolMemberRecord:
    """One run: documents it contributed to the pool, and those of them that no other run contributed."""

    run: str
    tag: str
    contributed: int
    unique: int


@dataclass(frozen=True, slots=True)
class PoolTopic:
    """One topic: pooled documents, those without a judgement (null without qrels), and each run's part."""

    topic: str
    documents: int
    unjudged: int | None
    contributed: list[int]
    unique: list[int]


@dataclass(frozen=True, slots=True)
class Unjudged:
    """Unjudged share of the first ``k`` documents of a run; ``mean`` is over ``topics`` topics."""

    run: str
    k: int
    mean: float | None
    unjudged: int
    retrieved: int
    topics: int
    notes: list[str]


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class PoolDocument(StudyDocument):
    """``crosscheck pool``: ``file`` is the pool that was written, null if none was."""

    _rows: ClassVar[str] = "topics"

    study: Literal["pool"] = "pool"
    depth: int
    qrels: str | None
    members: list[PoolMemberRecord]
    topics: list[PoolTopic]
    unjudged: list[Unjudged]
    file: str | None
    notes: list[str]
    summary: str
