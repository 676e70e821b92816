"""``crosscheck tools``: what would each known tool print for this run?"""

from __future__ import annotations

from typing import Any

import click

from crosscheck.cli import options
from crosscheck.cli.study_output import Reports, study_options

__all__ = ["command"]


@click.command("tools")
@click.argument("qrels")
@click.argument("runs", nargs=-1, required=True, metavar="RUN...")
@options.measures
@click.option("--lint", "find_causes", is_flag=True, help="Also list what in the input makes tools differ.")
@click.option(
    "--decimals",
    type=click.IntRange(0, 15),
    default=4,
    show_default=True,
    help="Numbers that agree to so many decimals are the same.",
)
@study_options
def command(reports: Reports, **asked: Any) -> int:
    """Print what every known tool would print for these runs, and the conventions that make them differ.

    No tool is called: each number is recomputed under the tool's profile. Profiles were observed by running
    the tool, or read in its source, which is marked [read].
    """
    from crosscheck.studies import tools

    with reports.of("tools") as progress:
        document = tools(**asked, progress=progress)
    reports.write(document)
    return 0 if any(group.printed for group in document.groups) else 3
