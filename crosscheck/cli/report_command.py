"""``crosscheck report``: saved documents once more, in any format."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from crosscheck.cli import options
from crosscheck.errors import InputError, UsageError, quoted

if TYPE_CHECKING:
    from crosscheck.harness.exit_codes import FailOn

__all__ = ["command"]


@click.command("report")
@click.argument("saved", nargs=-1, required=True, metavar="SAVED.json...")
@options.report
@click.option(
    "--fail-on",
    type=click.Choice(["unexpected", "mismatch", "never"]),
    default="never",
    show_default=True,
    help="What ends with exit code 1.",
)
@click.option("--verbose", is_flag=True, help="Show everything in full.")
def command(saved: tuple[str, ...], reports: tuple[str, ...], fail_on: FailOn, verbose: bool) -> int:
    """Show saved results again, without running anything.

    SAVED.json is what --report json wrote, of any command. Several documents of `crosscheck run`, such as
    those of the parts of a CI job, are put together.
    """
    from crosscheck.cli.reports import parse_targets, write_reports
    from crosscheck.harness import exit_code
    from crosscheck.harness.shards import merged
    from crosscheck.report.json_report import load
    from crosscheck.report.pages import kind_of
    from crosscheck.results import Document

    documents = [load(_read(path), path=path) for path in saved]
    document = documents[0]
    if len(documents) > 1:
        for path, one in zip(saved, documents, strict=True):
            if not isinstance(one, Document):
                raise UsageError(f"{quoted(path)} is not of crosscheck run", hint="show it by itself")
        document = merged(documents, saved)
    parse_targets(reports, kind_of(document).file)
    write_reports(document, reports, verbose=verbose)
    if fail_on == "never" or not isinstance(document, Document):
        return 0
    return int(exit_code(document, fail_on=fail_on))


def _read(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError as error:
        raise InputError(f"it cannot be read: {error.strerror}", path=path) from None
