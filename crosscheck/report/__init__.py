"""Reports: documents of every kind in every format.

``pages/`` has one module per kind of document (run, audit, ties, ...), which makes a page of the document. A
format is one module of this package that exports ``RENDERER``, with a pure function from the page to text.
Both are found by their modules. JSON, JUnit and GitHub annotations are made from the document itself.
"""

from __future__ import annotations

from functools import cache

from crosscheck.errors import no_such
from crosscheck.registry import exports
from crosscheck.report._renderer import Renderer, RenderOptions
from crosscheck.report.page import Page
from crosscheck.report.pages import page_of

__all__ = ["RenderOptions", "Renderer", "default_path", "formats", "render", "renderer"]


@cache
def _renderers() -> dict[str, Renderer]:
    found: list[Renderer] = exports(__name__, "RENDERER")
    return {renderer.name: renderer for renderer in sorted(found, key=lambda renderer: renderer.name)}


def formats() -> tuple[str, ...]:
    """Names of all report formats, sorted."""
    return tuple(_renderers())


def renderer(format: str) -> Renderer:
    """The renderer of a format.

    Raises:
        UsageError: there is no such format; the message lists those that exist.
    """
    if format in _renderers():
        return _renderers()[format]
    raise no_such("report format", format, formats())


def render(
    document: object, format: str, options: RenderOptions | None = None, page: Page | None = None
) -> str:
    """A document of any kind in one format, ending in a newline; the same text for the same arguments.

    Args:
        page: the page of the document, if it has been made already; None to make it here.

    Raises:
        UsageError: there is no such format.
    """
    made, options = renderer(format), options or RenderOptions()
    if made.document is not None:
        return made.document(document, options)
    assert made.render is not None
    return made.render(page or page_of(document), options)


def default_path(format: str, file: str = "crosscheck") -> str:
    """The path of a report for which no path is given, such as ``reports/crosscheck.json``.

    Raises:
        UsageError: there is no such format.
    """
    return f"reports/{file}.{renderer(format).extension}"
