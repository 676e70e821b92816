"""``crosscheck gate``: is a new run worse than the old one?"""

from __future__ import annotations

from typing import Any

import click

from crosscheck.cli import options
from crosscheck.cli.study_output import Reports, study_options

__all__ = ["command"]

_EXIT = {"pass": 0, "fail": 1, "inconclusive": 3}


@click.command("gate")
@click.argument("qrels")
@click.argument("old")
@click.argument("new")
@options.measures
@options.conventions
@options.significance(default="randomisation")
@click.option(
    "--tolerance",
    type=options.TOLERANCE,
    default=0.0,
    show_default=True,
    help="A drop of the mean up to this passes, even if it is significant.",
)
@click.option(
    "--allow-missing",
    type=click.IntRange(min=0),
    default=0,
    show_default=True,
    metavar="N",
    help="Up to so many judged queries without results count as 0.",
)
@study_options
def command(reports: Reports, **asked: Any) -> int:
    """Is the run NEW worse than the run OLD?

    PASS (exit code 0) if no measure falls significantly, FAIL (1) with the queries that fell and why, and
    INCONCLUSIVE (3) if a run has no results for judged queries, or ties too many documents to tell. Only
    the part of a difference counts that no order of documents with equal scores explains.
    """
    from crosscheck.studies import gate

    with reports.of("gate"):
        document = gate(**asked)
    reports.write(document)
    return _EXIT[document.verdict]
