"""``crosscheck pool``: pools of the top documents of several runs."""

from __future__ import annotations

from typing import Any

import click

from crosscheck.cli import options
from crosscheck.cli.study_output import Reports, study_options

__all__ = ["command"]


@click.command("pool")
@click.argument("runs", nargs=-1, required=True, metavar="RUN...")
@click.option("--depth", type=click.IntRange(min=1), required=True, help="Ranks taken from each run.")
@click.option("--qrels", metavar="FILE", help="Judgements so far, for the unjudged rate of each run.")
@click.option(
    "-k", "--cutoff", type=click.IntRange(min=1), help="Of the unjudged rate.  [default: the depth]"
)
@options.conventions
@click.option(
    "-o",
    "--output",
    "file",
    metavar="FILE",
    help="Write the pool as qrels: the level of --qrels, or -1 for documents to judge.",
)
@study_options
def command(reports: Reports, **asked: Any) -> int:
    """Pool the first documents of several runs: contributions of each run, and documents without
    judgements."""
    from crosscheck.studies import pool_runs

    with reports.of("pool"):
        document = pool_runs(**asked)
    reports.write(document)
    return 0
