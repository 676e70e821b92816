"""The terminal report: what was compared, what agrees, what does not and why, and the verdict."""

from __future__ import annotations

import io

from crosscheck.report._renderer import Renderer, RenderOptions
from crosscheck.results import Document

__all__ = ["RENDERER", "render"]

#: What stands in for a character that the output encoding lacks.
_PLAIN = str.maketrans({"✓": "+", "✗": "x", "→": "->", "…": "...", "≈": "~", "–": "-"})


def render(document: Document, options: RenderOptions) -> str:
    """The report as text, at most ``options.width`` columns wide (never below 40).

    Without colour it holds no control sequence at all, so it reads the same in a file or a pipe.
    Characters that ``options.encoding`` lacks are replaced by plain ones or spelt ``\\xNN``.
    """
    # rich costs 30 ms that only this format needs.
    from rich.console import Console

    from crosscheck.report._terminal import report

    out = io.StringIO()
    console = Console(
        file=out,
        width=max(options.width, 40),
        height=100,  # with both given, rich asks neither the terminal nor the environment
        color_system="standard" if options.color else None,
        force_terminal=options.color,
        force_jupyter=False,
        no_color=not options.color,
        legacy_windows=False,
        markup=False,
        emoji=False,
        highlight=False,
    )
    for part in report(document, options):
        console.print(part)
    text = out.getvalue() if options.color else "\n".join(map(str.rstrip, out.getvalue().split("\n")))
    try:
        text.encode(options.encoding)
    except UnicodeEncodeError:
        text = text.translate(_PLAIN).encode(options.encoding, "backslashreplace").decode(options.encoding)
    return text


RENDERER = Renderer("text", "txt", render)
