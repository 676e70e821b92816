"""The kinds of documents, and the page that each is told in.

A kind is one module of this package, called like the kind, that exports ``KIND``; nothing else needs to know
it.
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
        name: that of the command that makes it.
        document: the record that its JSON is made of.
        page: the page of such a record; nothing is computed for it.
        file: how a file is called that a report is written to, without its extension.
    """

    name: str
    document: type[D]
    page: Callable[[D], Page]
    file: str


@cache
def kinds() -> dict[str, Kind[Any]]:
    """All kinds by name, sorted."""
    return {kind.name: kind for kind in exports(__name__, "KIND")}


#: Kinds of documents that are told by a field of their name; others are told by ``study``, or are runs.
BY_FIELD = ("audit", "properties")


def kind_of(document: object) -> Kind[Any]:
    """The kind of a document; no other is imported."""
    name = next((name for name in BY_FIELD if hasattr(document, name)), getattr(document, "study", "run"))
    kind: Kind[Any] = import_module(f"{__name__}.{name}").KIND
    return kind


def page_of(document: object) -> Page:
    """The page of a document."""
    return kind_of(document).page(document)


def page(document: Any, title: Text, verdict: Verdict, blocks: Sequence[Block], brief: bool = False) -> Page:
    """The page of a document of any kind, which says what wrote it."""
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
    """The sentences that describe the measures, with which a report ends; left out where there are none."""
    said = Bullets("", sentences, noun="measure")
    return Details("For the paper", [said]) if sentences else said
