"""The document of the sentences that describe measures in a paper."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from crosscheck.study_records.base import StudyDocument

__all__ = ["DescribeDocument"]


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class DescribeDocument(StudyDocument):
    """``crosscheck describe``.

    Attributes:
        conventions: the conventions as they were given; sentences: one sentence for each measure.
        qrels, run: the files over which the queries were counted, null if queries were not counted.
    """

    study: Literal["describe"] = "describe"
    conventions: str
    sentences: list[str]
    summary: str
    qrels: str | None = None
    run: str | None = None
