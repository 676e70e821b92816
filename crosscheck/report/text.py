"""The terminal report: what was compared, what agrees, what does not and why, and the verdict."""

from __future__ import annotations

from crosscheck.report._console import printed
from crosscheck.report._renderer import Renderer, RenderOptions
from crosscheck.results import Document

__all__ = ["RENDERER", "render"]


def render(document: Document, options: RenderOptions) -> str:
    """The report as text, at most ``options.width`` columns wide (never below 40).

    Without colour it holds no control sequence at all, so it reads the same in a file or a pipe.
    Characters that ``options.encoding`` lacks are replaced by plain ones or spelt ``\\xNN``.
    """
    # rich costs 30 ms that only this format needs.
    from crosscheck.report._terminal import report

    return printed(report(document, options), options)


RENDERER = Renderer("text", "txt", render)
