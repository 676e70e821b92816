"""Writing reports: which formats go where."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path

import click

from crosscheck.errors import UsageError
from crosscheck.report import RenderOptions, default_path, for_stream, formats, render
from crosscheck.results import Document

__all__ = ["Target", "parse_targets", "write_reports"]

#: (format, path); "-" is stdout.
Target = tuple[str, str]


def parse_targets(specs: Sequence[str]) -> list[Target]:
    """``--report FORMAT[=PATH]`` options; ``text`` goes to stdout where no path is given.

    Raises:
        UsageError: a format that does not exist, or two reports for stdout.
    """
    targets: list[Target] = []
    for spec in specs:
        name, equals, path = spec.partition("=")
        if name not in formats():
            raise UsageError(f"there is no report format {name!r}", hint=f"the formats are: {', '.join(formats())}")
        if equals and not path:
            raise UsageError(f"--report {spec}: the path is empty", hint=f"write {name}=PATH, or {name}=- for stdout")
        targets.append((name, path or ("-" if name == "text" else default_path(name))))
    if sum(path == "-" for _, path in targets) > 1:
        raise UsageError("two reports cannot both go to stdout", hint="give one of them a path: FORMAT=PATH")
    return targets


def write_reports(document: Document, specs: Sequence[str], *, verbose: bool) -> None:
    """Write what was asked for; without any, the text to stdout and JSON and Markdown to ``reports/``.

    The text goes to stdout unless another report does. A default report that cannot be written is a
    warning, one that was asked for an error.

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
            click.echo(render(document, name, options), nl=False, color=options.color)
            continue
        try:
            Path(path).parent.mkdir(parents=True, exist_ok=True)
            Path(path).write_text(render(document, name, RenderOptions(verbose=verbose)), "utf-8", newline="\n")
            written.append(path)
        except OSError as error:
            message = f"cannot write the {name} report to {path}: {error.strerror}"
            if not by_default:
                raise UsageError(message) from None
            click.echo(f"crosscheck: warning: {message}", err=True)
