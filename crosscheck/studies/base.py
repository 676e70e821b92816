"""The declaration of a study, and what studies share: their inputs, the parts of documents and of pages."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar, Generic, TypeVar

import click
from msgspec import Struct

from crosscheck.report.kinds import DocumentKind, page, paper
from crosscheck.report.page import Block, Bullets, Page, Status, Text, Verdict
from crosscheck.report.tables import NONE
from crosscheck.results import Environment, Tool
from crosscheck.shown import Shown

D = TypeVar("D")
STUDY_VERSION = 2


class Study(DocumentKind[D], Generic[D], frozen=True, kw_only=True):
    """A study as its file declares it.

    Attributes:
        function: from the values of the options to the document; it gets ``progress`` if it takes that.
        code: the exit code for a document.
    """

    function: Callable[..., D]
    code: Callable[[D], int]


def study(
    document: type[D],
    function: Callable[..., D],
    page: Callable[[D], Page],
    *options: click.Parameter,
    code: Callable[[D], int] = lambda document: 0,
) -> Study[D]:
    """The study of a module: named like its file.

    Args:
        options: the arguments and options of the command, without those of its output. The command reads them
            from the text of the file, with its docstring as the help: they may use ``studies/options.py``.
    """
    return Study(
        name=function.__module__.rpartition(".")[2],
        document=document,
        page=page,
        version=STUDY_VERSION,
        function=function,
        code=code,
    )


class StudyDocument(Shown, Struct, frozen=True, kw_only=True):
    """The fields of the documents of all studies; a subclass names its study and adds fields."""

    _rows: ClassVar[str] = "measures"

    schema_version: int = STUDY_VERSION
    study: str
    tool: Tool
    environment: Environment


class OnQrels(StudyDocument, frozen=True, kw_only=True):
    """The fields that the documents of studies of measures on judged runs have.

    ``summary``: the findings in one paragraph. ``sentences``: descriptions of the measures for a paper; empty
    if the conventions of the values are not known.
    """

    qrels: str
    summary: str
    notes: list[str] = []
    sentences: list[str] = []


def study_page(
    document: StudyDocument,
    title: Text,
    *blocks: Block,
    status: Status | None = None,
    notes: Sequence[str] = (),
) -> Page:
    """The page of a study, from its summary to its notes and the sentences that describe the measures."""
    summary, own = getattr(document, "summary", ""), getattr(document, "notes", ())
    last = paper(document.sentences if isinstance(document, OnQrels) else [])
    verdict = Verdict(status=status, sentence=summary, about=title)
    return page(document, title, verdict, [*blocks, Bullets("Notes", [*own, *notes]), last])


def p_value(p: float | None) -> str:
    """A p-value as text: four decimals, ``<.0001``, or a dash for None."""
    return NONE if p is None else "<.0001" if p < 0.0001 else f"{p:.4f}"


def joined(parts: Sequence[str]) -> str:
    """``a``, ``a and b``, ``a, b and c``."""
    *first, last = [*parts] or [""]
    return f"{', '.join(first)} and {last}" if first else last
