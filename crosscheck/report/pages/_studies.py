"""The frame of a study's page, and the columns of its tables in short."""

from __future__ import annotations

from collections.abc import Sequence

from crosscheck.report.page import Block, Bullets, Details, Id, Page, Status, Text, Verdict
from crosscheck.report.pages._tables import columns
from crosscheck.study_records import StudyDocument

__all__ = ["columns", "page", "paper"]


def paper(sentences: Sequence[str]) -> Block:
    """The sentences that describe the measures, with which a report ends; left out where there are none."""
    said = Bullets("", sentences, noun="measure")
    return Details("For the paper", [said]) if sentences else said


def page(document: StudyDocument, title: Text, *blocks: Block, status: Status | None = None) -> Page:
    """The page of a study, which begins with its summary."""
    tool = (document.tool.name, " ", Id(document.tool.version))
    summary: str = getattr(document, "summary", "")
    return Page(document.study, title, Verdict(status, summary, title), blocks, tool)
