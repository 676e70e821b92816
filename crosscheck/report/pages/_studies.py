"""The frame of a study's page."""

from __future__ import annotations

from crosscheck.report.page import Block, Id, Page, Status, Text, Verdict
from crosscheck.study_records import StudyDocument


def page(document: StudyDocument, title: Text, *blocks: Block, status: Status | None = None) -> Page:
    """The page of a study, which begins with its summary."""
    tool = (document.tool.name, " ", Id(document.tool.version))
    summary: str = getattr(document, "summary", "")
    return Page(document.study, title, Verdict(status, summary, title), blocks, tool)
