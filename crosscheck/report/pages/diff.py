"""The page of ``crosscheck diff`` of two result documents."""

from __future__ import annotations

from crosscheck.report.page import Id, Page, Section, Status
from crosscheck.report.pages import Kind, study_page
from crosscheck.report.tables import table
from crosscheck.study_records.changes import DiffDocument


def diff_page(document: DiffDocument) -> Page:
    """The changes between two results, then the programs with another version."""
    changes = table(
        "",
        document.changes,
        ("change", lambda c: c.change),
        ("@case / run", lambda c: f"{c.case} / {c.run}"),
        *("@measure", "@tool=candidate", "@before", "@after"),
        limit=100,
        noun="change",
    )
    versions = table("", document.versions, "@name", "@before", "@after", limit=100, noun="version")
    return study_page(
        document,
        ("From ", Id(document.before), " to ", Id(document.after)),
        *([Section("Comparisons that changed", [changes])] if document.changes else []),
        *([Section("Other versions", [versions])] if document.versions else []),
        status=Status.UNEXPECTED if document.changes else Status.AGREE,
    )


KIND = Kind("diff", DiffDocument, diff_page, "diff")
