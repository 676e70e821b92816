"""Output of a study: the text to stdout, other formats as given by ``--report``."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from crosscheck.errors import UsageError, quoted

if TYPE_CHECKING:
    from crosscheck.cli.output import Target
    from crosscheck.study_records import StudyDocument

__all__ = ["common_options", "parse_study_targets", "write_study"]

_REPORT = "text, json or markdown, repeatable; PATH - is stdout."


def common_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options that all studies share."""
    for option in (
        click.option("--quiet", is_flag=True, help="No progress on stderr."),
        click.option("--verbose", is_flag=True, help="Show every row of every table."),
        click.option("--report", "reports", multiple=True, metavar="FORMAT[=PATH]", help=_REPORT),
    ):
        command = option(command)
    return command


def parse_study_targets(specs: Sequence[str], study: str) -> list[Target]:
    """As :func:`~crosscheck.cli.output.parse_targets`, for the formats of a study."""
    from crosscheck.cli.output import parse_targets
    from crosscheck.report.studies import study_path

    return parse_targets(specs, partial(study_path, study))


def write_study(document: StudyDocument, specs: Sequence[str], *, verbose: bool) -> None:
    """Write the requested files, then print the text (or the requested format) to stdout.

    Raises:
        UsageError: a file cannot be written.
    """
    from crosscheck.cli.output import show, write_pictures, write_text
    from crosscheck.report import RenderOptions, for_stream
    from crosscheck.report.studies import pictures, render_study

    targets = parse_study_targets(specs, document.study)
    if all(path != "-" for _, path in targets):
        targets.append(("text", "-"))
    written: list[str] = []
    for name, path in sorted(targets, key=lambda target: (target[1] == "-", target[0] != "json")):
        if path == "-":
            options = for_stream(sys.stdout, os.environ, verbose=verbose, written=written)
            show(render_study(document, name, options), color=options.color)
            continue
        beside = f"{Path(path).stem}." if name == "markdown" else None
        options = RenderOptions(verbose=verbose, pictures=beside)
        try:
            write_text(path, render_study(document, name, options), typed=f"{name}={path}" in specs)
            if beside is not None:
                write_pictures(pictures(document), path, beside)
        except OSError as error:
            raise UsageError(f"cannot write the {name} report to {quoted(path)}: {error.strerror}") from None
        written.append(path)
