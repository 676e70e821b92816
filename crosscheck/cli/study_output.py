"""Output of a study: the text to stdout, other formats as given by ``--report``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import wraps
from typing import TYPE_CHECKING, Any

import click

from crosscheck.cli import options

if TYPE_CHECKING:
    from crosscheck.cli.progress import Progress
    from crosscheck.study_records.base import StudyDocument

__all__ = ["Reports", "study_options"]


def study_options(command: Callable[..., int]) -> Callable[..., Any]:
    """A study's command with the options that all studies share; it gets them as its ``reports``."""

    @wraps(command)
    def called(reports: tuple[str, ...], verbose: bool, quiet: bool, **asked: Any) -> int:
        return command(Reports(reports, verbose, quiet), **asked)

    wrapped: Callable[..., Any] = called
    for option in (
        options.quiet,
        click.option("--verbose", is_flag=True, help="Show every row of every table."),
        options.report,
    ):
        wrapped = option(wrapped)
    return wrapped


@dataclass(frozen=True, slots=True)
class Reports:
    """The options of the output of a study.

    Attributes:
        specs: the values of ``--report``.
        verbose: whether tables show every row; quiet: whether there is no progress on stderr.
    """

    specs: Sequence[str]
    verbose: bool
    quiet: bool

    def of(self, study: str) -> Progress:
        """The progress display of a study; the report formats are checked first.

        Raises:
            UsageError: a format does not exist. This is found before the study computes anything.
        """
        from crosscheck.cli.progress import Progress
        from crosscheck.cli.reports import parse_targets

        parse_targets(self.specs, study)
        return Progress(quiet=self.quiet)

    def write(self, document: StudyDocument) -> None:
        """Write the requested files, then print the text (or the requested format) to stdout.

        Raises:
            UsageError: a file cannot be written.
        """
        from crosscheck.cli.reports import write_reports

        write_reports(document, self.specs, verbose=self.verbose)
