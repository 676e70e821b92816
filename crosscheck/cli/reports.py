"""Reports of a document: to stdout, and to files."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import TextIO

from msgspec.structs import replace

from crosscheck.cli.github import append_summary, places
from crosscheck.cli.output import say, show, write_text
from crosscheck.errors import UsageError, quoted
from crosscheck.report import RenderOptions, default_path, format_named, render
from crosscheck.report.page import Chart, charts
from crosscheck.report.pages import kind_of, page_of
from crosscheck.report.svg import draw

__all__ = ["Target", "for_stream", "parse_targets", "write_reports"]

#: (format, path); "-" is stdout.
Target = tuple[str, str]

#: Most pictures beside a Markdown report; a report with more pictures writes none of them.
_MOST_PICTURES = 12


def parse_targets(specs: Sequence[str], file: str = "crosscheck", stdout: Sequence[str] = ()) -> list[Target]:
    """(format, path) of ``--report FORMAT[=PATH]``; ``text`` and ``github`` without a path go to stdout.

    Args:
        file: file name of a report without a path; stdout: more formats that go to stdout without a path.

    Raises:
        UsageError: a format that does not exist, an empty path, or two reports for one path.
    """
    targets: list[Target] = []
    for spec in specs:
        name, equals, path = spec.partition("=")
        usual = "-" if name in ("text", "github", *stdout) else default_path(name, file)
        if equals and not path:
            raise UsageError(
                f"--report {spec}: the path is empty", hint=f"write {name}=PATH, or {name}=- for stdout"
            )
        targets.append((name, path or usual))
    paths = [path for _, path in targets]
    for path in paths:
        if paths.count(path) > 1:
            where = "stdout" if path == "-" else quoted(path)
            raise UsageError(f"two reports cannot both go to {where}", hint="give each a path: FORMAT=PATH")
    return targets


def _write_pictures(pictures: Iterable[Chart], path: str, prefix: str) -> None:
    """Write the charts of a page beside the file that links them; ``prefix`` begins their file names."""
    for chart in pictures:
        beside = str(Path(path).with_name(f"{prefix}{chart.name}.svg"))
        write_text(beside, draw(chart).file(), typed=False)


def _not_over(path: str, complete: bool) -> str:
    """The path to write a report to; an interrupted run gets another path if the file exists."""
    if complete or not os.path.isfile(path):
        return path
    beside = str(Path(path).with_suffix(f".interrupted{Path(path).suffix}"))
    say(f"{quoted(path)} is left as it is; what there is of this run is in {quoted(beside)}")
    return beside


def write_reports(
    document: object,
    specs: Sequence[str],
    *,
    verbose: bool,
    usual: Sequence[str] = (),
    stdout: Sequence[str] = (),
    seconds: Mapping[tuple[str, str, str, str], float] = MappingProxyType({}),
) -> None:
    """Write the requested reports; the text goes to stdout unless another report does.

    A default report that cannot be written gives a warning, a requested one an error.

    Args:
        usual: formats that are written by default; stdout: see :func:`parse_targets`.
        seconds: (case, run, measure, candidate) -> seconds that it took, for formats that show them.

    Raises:
        UsageError: a report cannot be written.
    """
    file = kind_of(document).file
    targets = parse_targets(specs or usual, file, stdout)
    if all(path != "-" for _, path in targets):
        targets.append(("text", "-"))
    written: list[str] = []
    for_github = any(name == "github" for name, _ in targets)
    known = places(document) if for_github else {}
    if for_github:
        append_summary(document, os.environ)
    page = page_of(document) if any(format_named(name).of_page for name, _ in targets) else None
    # The most complete report is written first, and the others name it.
    for name, path in sorted(targets, key=lambda target: (target[1] == "-", target[0] != "json")):
        if path == "-":
            options = for_stream(sys.stdout, os.environ, verbose=verbose, written=written)
            told = replace(options, seconds=seconds, places=known)
            show(render(document, name, told, page), color=options.color)
            continue
        typed = f"{name}={path}" in specs
        path = _not_over(path, getattr(document, "complete", True))
        try:
            pictures = charts(page) if page and name == "markdown" else []
            beside = f"{Path(path).stem}." if 0 < len(pictures) <= _MOST_PICTURES else None
            options = RenderOptions(verbose=verbose, pictures=beside, seconds=seconds, places=known)
            write_text(path, render(document, name, options, page), typed=typed)
            if beside is not None:
                _write_pictures(pictures, path, beside)
            written.append(path)
        except OSError as error:
            message = f"cannot write the {name} report to {quoted(path)}: {error.strerror}"
            if specs:
                raise UsageError(message) from None
            say(f"warning: {message}")


def for_stream(
    stream: TextIO, environ: Mapping[str, str], *, verbose: bool = False, written: Sequence[str] = ()
) -> RenderOptions:
    """Options that fit a stream: colour only on a terminal that is not dumb, and not with ``NO_COLOR``.

    The width is ``COLUMNS`` if it is set, else the terminal's, else 80, and at most 120 because longer lines
    are hard to read.
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
