"""Reports: one renderer per format, each a pure function of the result document.

A format is one module of this package that exports ``RENDERER``; nothing else needs to know it. What
every format says in the same way (numbers, escaping, grouping, wording) is in the private modules.
"""

from __future__ import annotations

from functools import cache

from crosscheck.errors import no_such
from crosscheck.registry import exports
from crosscheck.report._renderer import Renderer, RenderOptions, for_stream
from crosscheck.results import Document

__all__ = ["RenderOptions", "Renderer", "default_path", "for_stream", "formats", "render", "renderer"]


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


def render(document: Document, format: str, options: RenderOptions | None = None) -> str:
    """The document in one format, ending in a newline; the same text for the same arguments.

    Raises:
        UsageError: there is no such format.
    """
    return renderer(format).render(document, options or RenderOptions())


def default_path(format: str) -> str:
    """Where a report goes when nobody says where: ``reports/crosscheck.json`` and the like.

    Raises:
        UsageError: there is no such format.
    """
    return f"reports/crosscheck.{renderer(format).extension}"
