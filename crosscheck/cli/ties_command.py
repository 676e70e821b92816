"""``crosscheck ties``: the dependence of scores on the order of tied documents."""

from __future__ import annotations

import click

from crosscheck.cli.report_option import common_options

__all__ = ["command"]


@click.command("ties")
@click.argument("qrels")
@click.argument("run")
@click.option("-m", "--measures", multiple=True, metavar="MEASURE", help="Measure, repeatable; or a,b,c.")
@click.option(
    "--conventions",
    default="trec_eval-9.0.8",
    show_default=True,
    metavar="SPEC",
    help="Profile or AXIS=VALUE,...; its score precision decides which documents are tied.",
)
@common_options
def command(
    qrels: str,
    run: str,
    measures: tuple[str, ...],
    conventions: str,
    reports: tuple[str, ...],
    verbose: bool,
    quiet: bool,
) -> int:
    """Show the worst, best and expected value of every query over all orders of documents with equal
    scores."""
    from crosscheck.cli.output import parse_targets, write_reports
    from crosscheck.studies import tie_sensitivity

    parse_targets(reports, "ties")
    document = tie_sensitivity(qrels, run, measures, conventions=conventions)
    write_reports(document, reports, verbose=verbose)
    return 0 if any(measure.queries for measure in document.measures) else 3
