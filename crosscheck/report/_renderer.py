"""A report format, and the settings of one rendering."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from crosscheck.report.page import Page


@dataclass(frozen=True, slots=True)
class RenderOptions:
    """Settings of one rendering; each format uses the settings that apply to it.

    Attributes:
        width: columns of the terminal.
        color: whether terminal colour codes may be written.
        encoding: encoding of the output; characters that it lacks become plain ones or ``\\xNN``.
        verbose: show known differences and long lists in full.
        written: paths of the reports written in the same call, the most complete one first.
        pictures: prefix of the file names of pictures, for a report that links to pictures (markdown); None
            if no pictures are written.
        max_bytes: size that a report with a size limit (markdown) stays below.
        seconds: (case, run, measure, candidate) -> seconds that the comparison took. They are not in the
            document, which must be the same for the same input.
        places: (case, run, measure, candidate) -> ``file`` and, if known, ``line`` of the annotation of the
            comparison.
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
    """One report format: its name, its file extension and the function that makes its text.

    Attributes:
        render: makes the text from a page; None if ``document`` is set.
        document: makes the text from a document of any kind; None if ``render`` is set.
    """

    name: str
    extension: str
    render: Callable[[Page, RenderOptions], str] | None = None
    document: Callable[[Any, RenderOptions], str] | None = None
