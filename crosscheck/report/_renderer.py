"""A report format, and the settings of one rendering."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from crosscheck.report.page import Page


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
