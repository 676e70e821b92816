"""Output of a study: the text to stdout, other formats as given by ``--report``."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial, wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from crosscheck.cli import options
from crosscheck.errors import UsageError, quoted

if TYPE_CHECKING:
    from crosscheck.cli.output import Target
    from crosscheck.cli.progress import Progress
    from crosscheck.study_records import StudyDocument

__all__ = ["Reports", "study_options"]

_REPORT = "text, json or markdown, repeatable; PATH - is stdout."


def study_options(command: Callable[..., int]) -> Callable[..., Any]:
    """The options that all studies share, handed to a command as its ``reports``."""

    @wraps(command)
    def called(reports: tuple[str, ...], verbose: bool, quiet: bool, **asked: Any) -> int:
        return command(Reports(reports, verbose, quiet), **asked)

    wrapped: Callable[..., Any] = called
    for option in (
        options.quiet,
        click.option("--verbose", is_flag=True, help="Show every row of every table."),
        click.option("--report", "reports", multiple=True, metavar="FORMAT[=PATH]", help=_REPORT),
    ):
        wrapped = option(wrapped)
    return wrapped


@dataclass(frozen=True, slots=True)
class Reports:
    """What a study is to be printed as.

    Attributes:
        specs: of ``--report``; verbose: with every row; quiet: without progress on stderr.
    """

    specs: Sequence[str]
    verbose: bool
    quiet: bool

    def of(self, study: str) -> Progress:
        """The progress of a study, which it is called with.

        Raises:
            UsageError: a format that does not exist; a misspelt one must not cost the tests.
        """
        from crosscheck.cli.progress import Progress

        self._targets(study)
        return Progress(quiet=self.quiet)

    def _targets(self, study: str) -> list[Target]:
        from crosscheck.cli.output import parse_targets
        from crosscheck.report.studies import study_path

        return parse_targets(self.specs, partial(study_path, study))

    def write(self, document: StudyDocument) -> None:
        """Write the files that were asked for, then print the text (or what was asked for) to stdout.

        Raises:
            UsageError: a file cannot be written.
        """
        from crosscheck.cli.output import show, write_pictures, write_text
        from crosscheck.report import RenderOptions, for_stream
        from crosscheck.report.studies import pictures, render_study

        targets = self._targets(document.study)
        if all(path != "-" for _, path in targets):
            targets.append(("text", "-"))
        written: list[str] = []
        for name, path in sorted(targets, key=lambda target: (target[1] == "-", target[0] != "json")):
            if path == "-":
                seen = for_stream(sys.stdout, os.environ, verbose=self.verbose, written=written)
                show(render_study(document, name, seen), color=seen.color)
                continue
            beside = f"{Path(path).stem}." if name == "markdown" else None
            seen = RenderOptions(verbose=self.verbose, pictures=beside)
            try:
                write_text(path, render_study(document, name, seen), typed=f"{name}={path}" in self.specs)
                if beside is not None:
                    write_pictures(pictures(document), path, beside)
            except OSError as error:
                raise UsageError(
                    f"cannot write the {name} report to {quoted(path)}: {error.strerror}"
                ) from None
            written.append(path)
