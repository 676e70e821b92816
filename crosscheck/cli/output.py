"""Output: results to stdout, messages to stderr, reports to files."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

import click

from crosscheck.errors import UsageError, quoted
from crosscheck.formats.whole_files import write_whole
from crosscheck.report import RenderOptions, default_path, for_stream, render
from crosscheck.report.charts import draw
from crosscheck.report.page import Page, charts
from crosscheck.report.pages import kind_of, page_of

__all__ = ["Target", "parse_targets", "say", "show", "write_reports", "write_text"]

#: (format, path); "-" is stdout.
Target = tuple[str, str]


#: Pictures beside a Markdown report; one of more findings leaves them to the HTML report.
_MOST_PICTURES = 12


def show(text: str, *, color: bool = False) -> None:
    """Print a result to stdout, unchanged.

    A reader that closes the output (head, less) is not a failure: the rest is discarded, and the exit code is
    unchanged.

    Raises:
        UsageError: stdout cannot be written, such as for a full disk.
    """
    try:
        click.echo(text, nl=False, color=color)
    except BrokenPipeError:
        discard_stdout()
    except OSError as error:
        discard_stdout()
        raise UsageError(f"cannot write to stdout: {error.strerror}") from None


def discard_stdout() -> None:
    """Discard the rest of stdout's buffer, so that Python does not report it again at exit."""
    with open(os.devnull, "wb") as nowhere:
        os.dup2(nowhere.fileno(), sys.stdout.fileno())


def say(message: str) -> None:
    """Print a message to stderr."""
    click.echo(f"crosscheck: {message}", err=True)


def parse_targets(specs: Sequence[str], file: str = "crosscheck", stdout: Sequence[str] = ()) -> list[Target]:
    """``--report FORMAT[=PATH]`` options; ``text`` goes to stdout if no path is given.

    Args:
        file: name of a report without a path; stdout: further formats that go to stdout then.

    Raises:
        UsageError: a format that does not exist, or two reports for one place.
    """
    targets: list[Target] = []
    for spec in specs:
        name, equals, path = spec.partition("=")
        usual = "-" if name in ("text", *stdout) else default_path(name, file)
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


def write_text(path: str, text: str, *, typed: bool = True) -> None:
    """Write a file whole, as UTF-8, with its folder; see :mod:`crosscheck.formats.whole_files`."""
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, text, typed=typed)


def _write_pictures(page: Page, path: str, prefix: str) -> None:
    """Write the charts of a page beside the file that links them; ``prefix`` begins their file names."""
    for chart in charts(page):
        beside = str(Path(path).with_name(f"{prefix}{chart.name}.svg"))
        write_text(beside, draw(chart).file(), typed=False)


def _not_over(path: str, complete: bool) -> str:
    """The path of a report; an interrupted run does not overwrite the report of an earlier one."""
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
        seconds: what each comparison took, for formats that say so.

    Raises:
        UsageError: a report cannot be written.
    """
    file = kind_of(document).file
    targets = parse_targets(specs or usual, file, stdout)
    if all(path != "-" for _, path in targets):
        targets.append(("text", "-"))
    written: list[str] = []
    # The most complete report is written first, and the others name it.
    for name, path in sorted(targets, key=lambda target: (target[1] == "-", target[0] != "json")):
        if path == "-":
            options = for_stream(sys.stdout, os.environ, verbose=verbose, written=written)
            show(render(document, name, replace(options, seconds=seconds)), color=options.color)
            continue
        typed = f"{name}={path}" in specs
        path = _not_over(path, getattr(document, "complete", True))
        try:
            few = name == "markdown" and len(charts(page_of(document))) <= _MOST_PICTURES
            beside = f"{Path(path).stem}." if few else None
            options = RenderOptions(verbose=verbose, pictures=beside, seconds=seconds)
            write_text(path, render(document, name, options), typed=typed)
            if beside is not None:
                _write_pictures(page_of(document), path, beside)
            written.append(path)
        except OSError as error:
            message = f"cannot write the {name} report to {quoted(path)}: {error.strerror}"
            if specs:
                raise UsageError(message) from None
            say(f"warning: {message}")
