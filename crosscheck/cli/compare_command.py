"""``crosscheck compare``: which systems are significantly better."""

from __future__ import annotations

from typing import Any

import click

from crosscheck.cli import options
from crosscheck.cli.study_output import Reports, study_options

__all__ = ["command"]


@click.command("compare")
@click.argument("qrels")
@click.argument("runs", nargs=-1, required=True, metavar="RUN RUN...")
@options.measures
@click.option("--backend", default="native", show_default=True, metavar="ID", help="Computes the values.")
@click.option("--baseline", metavar="RUN", help="Compare the others with this run; by its file name.")
@options.significance()
@click.option("--confidence", type=float, default=0.95, show_default=True, help="Of the intervals.")
@study_options
def command(reports: Reports, **asked: Any) -> int:
    """Compare systems, query by query, with paired tests.

    Sign test, Wilcoxon signed-rank test, paired t-test and randomisation test, effect sizes and
    confidence intervals, with Holm's correction over all pairs of runs.
    """
    from crosscheck.studies import compare_runs

    with reports.of("compare") as progress:
        document = compare_runs(**asked, progress=progress)
    reports.write(document)
    return 0 if document.measures else 3
