"""``crosscheck describe``: the sentence for the paper."""

from __future__ import annotations

from typing import Any

import click

from crosscheck.cli import options
from crosscheck.cli.study_output import Reports, study_options

__all__ = ["command"]


@click.command("describe")
@click.argument("conventions", default="trec_eval-9.0.8", metavar="[SPEC]")
@options.measures
@click.option("--qrels", metavar="FILE", help="With --run: count the queries that the mean is over.")
@click.option("--run", metavar="FILE", help="See --qrels.")
@study_options
def command(reports: Reports, **asked: Any) -> int:
    """Print the sentence that describes a measure in a paper.

    SPEC is a profile, AXIS=VALUE,... or both, as `crosscheck profiles` takes them.
    """
    from crosscheck.studies import describe

    with reports.of("describe"):
        document = describe(**asked)
    reports.write(document)
    return 0
