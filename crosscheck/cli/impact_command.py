"""``crosscheck impact``: does a disagreement change any conclusion?"""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from crosscheck.cli.report_option import common_options

if TYPE_CHECKING:
    from crosscheck.impact_records import TestName

__all__ = ["command"]


@click.command("impact")
@click.argument("qrels")
@click.argument("runs", nargs=-1, required=True, metavar="RUN RUN...")
@click.option(
    "--reference", default="native", show_default=True, metavar="ID", help="Backend or conventions."
)
@click.option(
    "--candidate",
    required=True,
    metavar="ID",
    help="The alternative, such as native:gain=exponential.",
)
@click.option("-m", "--measures", multiple=True, metavar="MEASURE", help="Measure, repeatable; or a,b,c.")
@click.option(
    "--test",
    type=click.Choice(["sign", "wilcoxon", "t", "randomisation"]),
    default="t",
    show_default=True,
    help="Decides what is significant.",
)
@click.option("--alpha", type=float, default=0.05, show_default=True, help="Level of significance.")
@common_options
def command(
    qrels: str,
    runs: tuple[str, ...],
    reference: str,
    candidate: str,
    measures: tuple[str, ...],
    test: TestName,
    alpha: float,
    reports: tuple[str, ...],
    verbose: bool,
    quiet: bool,
) -> int:
    """Does measuring by --candidate change any conclusion about the systems?

    Whether their ranking changes, whether a significant difference appears or vanishes, how far the
    means move, and which queries cause it.
    """
    from crosscheck.cli.output import parse_targets, write_reports
    from crosscheck.cli.progress import Progress
    from crosscheck.studies import compare_conclusions

    parse_targets(reports, "impact")
    with Progress(quiet=quiet) as progress:
        document = compare_conclusions(
            qrels,
            runs,
            reference=reference,
            candidate=candidate,
            measures=measures,
            test=test,
            alpha=alpha,
            progress=progress,
        )
    write_reports(document, reports, verbose=verbose)
    return 0 if document.impacts else 3
