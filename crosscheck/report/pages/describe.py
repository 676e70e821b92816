"""The page of ``crosscheck describe``: a sentence for each measure."""

from __future__ import annotations

from crosscheck.report.page import Bullets, Id, Page
from crosscheck.report.pages import Kind, study_page
from crosscheck.study_records.describe import DescribeDocument


def describe_page(document: DescribeDocument) -> Page:
    """The page of a description: one sentence is the verdict itself, several are a list."""
    told = document.sentences if len(document.sentences) > 1 else []
    return study_page(document, ("Measures under ", Id(document.conventions)), Bullets("", told, limit=100))


KIND = Kind("describe", DescribeDocument, describe_page, "describe")
