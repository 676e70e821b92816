"""Output: results to stdout, messages to stderr, reports to files."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import click

from crosscheck.errors import UsageError, quoted
from crosscheck.formats.whole_files import write_whole
from crosscheck.report import RenderOptions, default_path, for_stream, render
from crosscheck.report._document_pictures import document_pictures
from crosscheck.report._pictures import Picture
from crosscheck.results import Document

__all__ = ["Target", "parse_targets", "say", "show", "write_pictures", "write_reports", "write_text"]

#: (format, path); "-" is stdout.
Target = tuple[str, str]


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


def parse_targets(specs: Sequence[str], default: Callable[[str], str] = default_path) -> list[Target]:
    """``--report FORMAT[=PATH]`` options; ``text`` goes to stdout if no path is given.

    Args:
        default: gives the destination of a format without a path; raises UsageError for an unknown format.

    Raises:
        UsageError: a format that does not exist, or two reports for one place.
    """
    targets: list[Target] = []
    for spec in specs:
        name, equals, path = spec.partition("=")
        usual = default(name)
        if equals and not path:
            raise UsageError(
                f"--report {spec}: the path is empty", hint=f"write {name}=PATH, or {name}=- for stdout"
            )
        targets.append((name, path or ("-" if name == "text" else usual)))
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


def write_pictures(pictures: Sequence[Picture], path: str, prefix: str) -> None:
    """Write pictures beside the file that links them; ``prefix`` begins their file names."""
    for picture in pictures:
        write_text(str(Path(path).with_name(f"{prefix}{picture.name}.svg")), picture.svg, typed=False)


def _not_over(path: str, document: Document) -> str:
    """The path of a report; an interrupted run does not overwrite the report of an earlier one."""
    if document.complete or not os.path.isfile(path):
        return path
    beside = str(Path(path).with_suffix(f".interrupted{Path(path).suffix}"))
    say(f"{quoted(path)} is left as it is; what there is of this run is in {quoted(beside)}")
    return beside


def write_reports(document: Document, specs: Sequence[str], *, verbose: bool) -> None:
    """Write the requested reports; by default the text to stdout, and JSON and Markdown to ``reports/``.

    The text goes to stdout unless another report does. A default report that cannot be written gives a
    warning, a requested one an error.

    Raises:
        UsageError: a report cannot be written.
    """
    targets = parse_targets(specs)
    by_default = not specs
    if by_default:
        targets = [("json", default_path("json")), ("markdown", default_path("markdown"))]
    if all(path != "-" for _, path in targets):
        targets.append(("text", "-"))
    written: list[str] = []
    for name, path in sorted(targets, key=lambda target: target[1] == "-"):
        if path == "-":
            options = for_stream(sys.stdout, os.environ, verbose=verbose, written=written)
            show(render(document, name, options), color=options.color)
            continue
        typed = f"{name}={path}" in specs
        path = _not_over(path, document)
        try:
            beside = f"{Path(path).stem}." if name == "markdown" else None
            text = render(document, name, RenderOptions(verbose=verbose, pictures=beside))
            write_text(path, text, typed=typed)
            if beside is not None:
                write_pictures(document_pictures(document), path, beside)
            written.append(path)
        except OSError as error:
            message = f"cannot write the {name} report to {quoted(path)}: {error.strerror}"
            if not by_default:
                raise UsageError(message) from None
            say(f"warning: {message}")
