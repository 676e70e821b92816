"""What a report format is, and the settings that one rendering takes."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TextIO

from crosscheck.report.page import Page

__all__ = ["RenderOptions", "Renderer", "for_stream"]


@dataclass(frozen=True, slots=True)
class RenderOptions:
    """Settings of one rendering; each format uses those that mean something to it.

    Attributes:
        width: columns of the terminal.
        color: whether terminal colour codes may be written.
        encoding: what the text will be written in; characters it lacks are written as ``\\xNN``.
        verbose: show known differences and long lists in full.
        written: paths of the reports written in the same call, the most complete one first.
        pictures: what file names of pictures begin with, for a report that links them (markdown); None
            where no pictures are written.
        max_bytes: size that a report with a size limit (markdown) stays below.
        seconds: what each comparison took, by its case, run, measure and candidate; it is no part of the
            document, which is the same for the same input.
        places: where annotations of a comparison belong, by the same: ``file`` and ``line``.
    """

    width: int = 80
    color: bool = False
    encoding: str = "utf-8"
    verbose: bool = False
    written: tuple[str, ...] = ()
    pictures: str | None = None
    max_bytes: int = 900_000
    seconds: Mapping[tuple[str, str, str, str], float] = field(default_factory=dict)
    places: Mapping[tuple[str, str, str, str], Mapping[str, str]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Renderer:
    """One report format: its name, its file extension and the function that writes a page.

    Attributes:
        document: set instead by formats that are made of the document itself, of whichever kind.
    """

    name: str
    extension: str
    render: Callable[[Page, RenderOptions], str] | None = None
    document: Callable[[Any, RenderOptions], str] | None = None


def for_stream(
    stream: TextIO, environ: Mapping[str, str], *, verbose: bool = False, written: Sequence[str] = ()
) -> RenderOptions:
    """Options that fit a stream: colour only on a terminal, and never with ``NO_COLOR`` or a dumb one.

    The width is ``COLUMNS`` where that is set, else the terminal's, else 80, and at most 120 because
    longer lines are hard to read.
    """
    terminal = stream.isatty()
    columns = environ.get("COLUMNS", "")
    width = int(columns) if columns.isdecimal() and int(columns) else 80
    if terminal and not columns.isdecimal():
        try:
            width = os.get_terminal_size(stream.fileno()).columns or 80
        except OSError:  # a terminal that does not tell its size
            width = 80
    return RenderOptions(
        width=min(width, 120),
        color=terminal and not environ.get("NO_COLOR") and environ.get("TERM") != "dumb",
        encoding=stream.encoding or "utf-8",
        verbose=verbose,
        written=tuple(written),
    )
