"""Rich renderables as text, the same wherever they are printed."""

from __future__ import annotations

import io
from collections.abc import Iterable
from typing import TYPE_CHECKING

from crosscheck.report._renderer import RenderOptions

if TYPE_CHECKING:
    from rich.console import RenderableType

__all__ = ["printed"]

#: What stands in for a character that the output encoding lacks.
_PLAIN = str.maketrans({"✓": "+", "✗": "x", "→": "->", "…": "...", "≈": "~", "–": "-"})


def printed(parts: Iterable[RenderableType], options: RenderOptions) -> str:
    """The parts one after the other, in the width, colour and encoding that the options ask for."""
    from rich.console import Console

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
    for part in parts:
        console.print(part)
    text = out.getvalue() if options.color else "\n".join(map(str.rstrip, out.getvalue().split("\n")))
    try:
        text.encode(options.encoding)
    except UnicodeEncodeError:
        text = text.translate(_PLAIN).encode(options.encoding, "backslashreplace").decode(options.encoding)
    return text
