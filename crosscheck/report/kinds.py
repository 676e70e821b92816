"""The kinds of documents, the page of each kind, and blocks that pages of several kinds have."""

from collections.abc import Callable, Iterable, Sequence
from importlib import import_module
from typing import Any, Generic, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from crosscheck.explain.labels import causes
from crosscheck.registry import STUDIES
from crosscheck.report.page import Block, Bullets, Details, Id, Message, Page, Section, Status, Text, Verdict
from crosscheck.results import SCHEMA_VERSION

D = TypeVar("D")

#: Kind of document -> the module and name of its declaration, which is imported only when it is used.
KINDS = {
    "run": "crosscheck.report.run_page:KIND",
    "audit": "crosscheck.report.audit_page:KIND",
    "properties": "crosscheck.report.audit_page:PROPERTIES",
    **{name: f"crosscheck.studies.{name}:STUDY" for name in STUDIES},
}
#: Kinds recognised by a field with the name of the kind; other documents have ``study``, or are runs.
BY_FIELD = ("audit", "properties")


class DocumentKind(Struct, Generic[D], frozen=True):
    """A kind of document.

    Attributes:
        name: the name of the command that makes the document, or ``properties``.
        document: the record that the JSON of a document is made of.
        page: makes the page of a document, without evaluating anything.
        version: the newest version of the document.
        function: for a study, makes the document from the values of the options, and from ``progress`` if it
            has that parameter. None if the kind is not a study.
        code: the exit code for a document.
    """

    name: str
    document: type[D]
    page: Callable[[D], Page]
    version: int = SCHEMA_VERSION
    function: Callable[..., D] | None = None
    code: Callable[[D], int] = lambda document: 0


def kind(name: str) -> DocumentKind[Any]:
    """The kind of this name, one of :data:`KINDS`."""
    module, _, declared = KINDS[name].partition(":")
    return getattr(import_module(module), declared)  # type: ignore[no-any-return]


def kind_of(document: object) -> DocumentKind[Any]:
    """The kind of a document."""
    by_field = next((name for name in BY_FIELD if hasattr(document, name)), "")
    return kind(by_field or getattr(document, "study", "run"))


def page_of(document: object) -> Page:
    """The page of a document."""
    return kind_of(document).page(document)


def page(document: Any, title: Text, verdict: Verdict, blocks: Sequence[Block], brief: bool = False) -> Page:
    """A page of a document of any kind, with the name and version of the program that wrote the document. Its
    status is an error if the result of a study is inconclusive."""
    tool, of = (document.tool.name, " ", Id(document.tool.version)), kind_of(document)
    if of.code(document) == 3:
        verdict = replace(verdict, status=Status.ERROR)
    return Page(of.name, title, verdict, blocks, tool, brief)


def paper(sentences: Sequence[str]) -> Block:
    """The last block of a report: sentences for a paper that describe the measures."""
    return Details("For the paper", [Bullets("", sentences, noun="measure")])


def meanings(labels: Iterable[str]) -> Block:
    """A folded block that explains each known label, with an example; the labels on the page link to it."""
    known = causes()
    items = [
        Section((Id(label), ": ", known[label].summary), [Message(known[label].explained)], f"label-{label}")
        for label in dict.fromkeys(labels)
        if label in known
    ]
    return Details("What the labels mean", items)
