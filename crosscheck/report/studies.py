"""Reports of the studies (compare, agreement, pool, impact, ties): text, JSON and Markdown."""

from __future__ import annotations

from typing import Any

from crosscheck.errors import UsageError
from crosscheck.report._page import Page, as_markdown, as_text
from crosscheck.report._page_agreement import agreement_page
from crosscheck.report._page_compare import compare_page
from crosscheck.report._page_impact import impact_page
from crosscheck.report._page_pool import pool_page
from crosscheck.report._page_ties import ties_page
from crosscheck.report._pictures import Picture
from crosscheck.report._renderer import RenderOptions
from crosscheck.report.json_report import as_json
from crosscheck.study_records import (
    STUDY_VERSION,
    AgreementDocument,
    CompareDocument,
    ImpactDocument,
    PoolDocument,
    StudyDocument,
    TiesDocument,
)

__all__ = ["STUDIES", "STUDY_FORMATS", "page", "pictures", "render_study", "study_path", "study_schema"]

#: Format -> file extension.
STUDY_FORMATS = {"json": "json", "markdown": "md", "text": "txt"}
#: Study -> the record that its JSON is made of.
STUDIES: dict[str, type[Any]] = {
    "agreement": AgreementDocument,
    "compare": CompareDocument,
    "impact": ImpactDocument,
    "pool": PoolDocument,
    "ties": TiesDocument,
}


def page(document: StudyDocument) -> Page:
    """What a reader of the document gets to see."""
    match document:
        case AgreementDocument():
            return agreement_page(document)
        case CompareDocument():
            return compare_page(document)
        case ImpactDocument():
            return impact_page(document)
        case PoolDocument():
            return pool_page(document)
        case TiesDocument():
            return ties_page(document)


def pictures(document: StudyDocument) -> list[Picture]:
    """The drawings that the Markdown report links."""
    return page(document).pictures()


def render_study(document: StudyDocument, format: str, options: RenderOptions | None = None) -> str:
    """The document in one format, ending in a newline.

    Raises:
        UsageError: there is no such format.
    """
    options = options or RenderOptions()
    match format:
        case "json":
            return as_json(document)
        case "markdown":
            return as_markdown(page(document), options)
        case "text":
            return as_text(page(document), options)
    raise _no_such(format)


def study_path(study: str, format: str) -> str:
    """Where a report goes when nobody says where: ``reports/impact.json`` and the like.

    Raises:
        UsageError: there is no such format.
    """
    if format not in STUDY_FORMATS:
        raise _no_such(format)
    return f"reports/{study}.{STUDY_FORMATS[format]}"


def _no_such(format: str) -> UsageError:
    return UsageError(
        f"there is no report format {format!r} here", hint=f"the formats are: {', '.join(STUDY_FORMATS)}"
    )


def study_schema(study: str) -> str:
    """The JSON Schema (draft 2020-12) of a study's document.

    Raises:
        UsageError: there is no such study.
    """
    from crosscheck.report.schema import schema_of

    if study not in STUDIES:
        raise UsageError(f"there is no study {study!r}", hint=f"the studies are: {', '.join(STUDIES)}")
    return schema_of(STUDIES[study], f"crosscheck {study} document", STUDY_VERSION)
