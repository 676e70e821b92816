"""A page for a terminal: the verdict first, then every finding in at most twelve lines."""

from __future__ import annotations

from crosscheck.report._renderer import Renderer, RenderOptions
from crosscheck.report.page import Page


def render(page: Page, options: RenderOptions) -> str:
    """The page as text, at most ``options.width`` columns wide (never below 40).

    Without colour it holds no control sequence at all, so it reads the same in a file or a pipe.
    Characters that ``options.encoding`` lacks are replaced by plain ones or spelt ``\\xNN``.
    """
    from crosscheck.report._terminal import text  # it needs rich

    return text(page, options)


RENDERER = Renderer("text", "txt", render)
