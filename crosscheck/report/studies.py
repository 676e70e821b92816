"""Reports of the studies (compare, agreement, pool, ...): text, JSON and Markdown.

A study is one file ``_page_<name>.py`` of this package that exports ``STUDY``, found by looking.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Any

from crosscheck.errors import no_such
from crosscheck.registry import modules
from crosscheck.report._page import Page, StudyPage, as_markdown, as_text
from crosscheck.report._pictures import Picture
from crosscheck.report._renderer import RenderOptions
from crosscheck.report.json_report import as_json
from crosscheck.study_records import STUDY_VERSION, StudyDocument

__all__ = ["STUDY_FORMATS", "page", "pictures", "render_study", "studies", "study_path", "study_schema"]

#: Format -> file extension.
STUDY_FORMATS = {"json": "json", "markdown": "md", "text": "txt"}
_FILE = "_page_"


@cache
def studies() -> tuple[str, ...]:
    """Names of all studies, sorted."""
    return tuple(modules("crosscheck.report", _FILE))


def _study(name: str) -> StudyPage[Any]:
    found: StudyPage[Any] = import_module(f"crosscheck.report.{_FILE}{name}").STUDY
    return found


def page(document: StudyDocument) -> Page:
    """What a reader of the document gets to see."""
    return _study(document.study).page(document)


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
    raise no_such("report format", format, STUDY_FORMATS)


def study_path(study: str, format: str) -> str:
    """Where a report goes when nobody says where: ``reports/impact.json`` and the like.

    Raises:
        UsageError: there is no such format.
    """
    if format not in STUDY_FORMATS:
        raise no_such("report format", format, STUDY_FORMATS)
    return f"reports/{study}.{STUDY_FORMATS[format]}"


def study_schema(study: str) -> str:
    """The JSON Schema (draft 2020-12) of a study's document.

    Raises:
        UsageError: there is no such study.
    """
    from crosscheck.report.schema import schema_of

    if study not in studies():
        raise no_such("study", study, studies(), several="studies")
    return schema_of(_study(study).document, f"crosscheck {study} document", STUDY_VERSION)
