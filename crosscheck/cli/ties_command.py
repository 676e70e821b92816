"""``crosscheck ties``: the dependence of scores on the order of tied documents."""

from __future__ import annotations

from typing import Any

import click

from crosscheck.cli import options
from crosscheck.cli.study_output import Reports, study_options

__all__ = ["command"]


@click.command("ties")
@click.argument("qrels")
@click.argument("run")
@options.measures
@options.conventions
@study_options
def command(reports: Reports, **asked: Any) -> int:
    """Show the worst, best and expected value of every query over all orders of documents with equal
    scores.

    The score precision of the conventions decides which documents are tied.
    """
    from crosscheck.studies import tie_sensitivity

    with reports.of("ties"):
        document = tie_sensitivity(**asked)
    reports.write(document)
    return 0 if any(measure.queries for measure in document.measures) else 3
