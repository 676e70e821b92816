"""``crosscheck compare``: which systems are significantly better."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from crosscheck.cli.report_option import common_options

if TYPE_CHECKING:
    from crosscheck.impact_records import TestName

__all__ = ["command"]


@click.command("compare")
@click.argument("qrels")
@click.argument("runs", nargs=-1, required=True, metavar="RUN RUN...")
@click.option("-m", "--measures", multiple=True, metavar="MEASURE", help="Measure, repeatable; or a,b,c.")
@click.option("--backend", default="native", show_default=True, metavar="ID", help="Computes the values.")
@click.option("--baseline", metavar="RUN", help="Compare the others with this run; by its file name.")
@click.option(
    "--test",
    type=click.Choice(["sign", "wilcoxon", "t", "randomisation"]),
    default="t",
    show_default=True,
    help="Decides what is significant.",
)
@click.option("--alpha", type=float, default=0.05, show_default=True, help="Level of significance.")
@click.option("--confidence", type=float, default=0.95, show_default=True, help="Of the intervals.")
@common_options
def command(
    qrels: str,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    backend: str,
    baseline: str | None,
    test: TestName,
    alpha: float,
    confidence: float,
    reports: tuple[str, ...],
    verbose: bool,
    quiet: bool,
) -> int:
    """Compare systems, query by query, with paired tests.

    Sign test, Wilcoxon signed-rank test, paired t-test and randomisation test, effect sizes and
    confidence intervals, with Holm's correction over all pairs of runs.
    """
    from crosscheck.cli.output import parse_targets, write_reports
    from crosscheck.cli.progress import Progress
    from crosscheck.studies import compare_runs

    parse_targets(reports, "compare")  # Check the formats before the tests.
    with Progress(quiet=quiet) as progress:
        document = compare_runs(
            qrels,
            runs,
            measures=measures,
            backend=backend,
            baseline=baseline,
            test=test,
            alpha=alpha,
            confidence=confidence,
            progress=progress,
        )
    write_reports(document, reports, verbose=verbose)
    return 0 if document.measures else 3
