"""The kinds of documents, and the page of each kind.

A kind is one module of this package, named like the kind, that exports ``KIND``; kinds are found by their
modules.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import Any, Generic, TypeVar

from crosscheck.registry import exports
from crosscheck.report.page import Block, Bullets, Details, Id, Page, Status, Text, Verdict
from crosscheck.study_records.base import OnQrels, StudyDocument

__all__ = ["BY_FIELD", "Kind", "kind_of", "kinds", "page", "page_of", "paper", "study_page"]

D = TypeVar("D")


@dataclass(frozen=True, slots=True)
class Kind(Generic[D]):
    """A kind of document.

    Attributes:
        name: the name of the command that makes the document, or ``properties``.
        document: the record that the JSON of a document is made of.
        page: makes the page of a document, without evaluating anything.
        file: the file name of a report, without its extension.
    """

    name: str
    document: type[D]
    page: Callable[[D], Page]
    file: str


@cache
def kinds() -> dict[str, Kind[Any]]:
    """All kinds of documents that have a page, by name, sorted."""
    return {kind.name: kind for kind in exports(__name__, "KIND")}


#: Kinds recognised by a field with the name of the kind; other documents have ``study``, or are runs.
BY_FIELD = ("audit", "properties")


def kind_of(document: object) -> Kind[Any]:
    """The kind of a document; the modules of other kinds are not imported."""
    name = next((name for name in BY_FIELD if hasattr(document, name)), getattr(document, "study", "run"))
    kind: Kind[Any] = import_module(f"{__name__}.{name}").KIND
    return kind


def page_of(document: object) -> Page:
    """The page of a document."""
    return kind_of(document).page(document)


def page(document: Any, title: Text, verdict: Verdict, blocks: Sequence[Block], brief: bool = False) -> Page:
    """A page of a document of any kind, with the name and version of the program that wrote the document."""
    tool = (document.tool.name, " ", Id(document.tool.version))
    return Page(kind_of(document).name, title, verdict, blocks, tool, brief)


def study_page(
    document: StudyDocument,
    title: Text,
    *blocks: Block,
    status: Status | None = None,
    notes: Sequence[str] = (),
) -> Page:
    """The page of a study, from its summary to its notes and the sentences that describe the measures."""
    summary, told = getattr(document, "summary", ""), [*getattr(document, "notes", ()), *notes]
    last = paper(document.sentences if isinstance(document, OnQrels) else [])
    return page(document, title, Verdict(status, summary, title), [*blocks, Bullets("Notes", told), last])


def paper(sentences: Sequence[str]) -> Block:
    """The last block of a report: the sentences that describe the measures; empty if there are none."""
    said = Bullets("", sentences, noun="measure")
    return Details("For the paper", [said]) if sentences else said
