"""``crosscheck agreement``: agreement of two assessors."""

from __future__ import annotations

import click

from crosscheck.cli.report_option import common_options

__all__ = ["command"]


@click.command("agreement")
@click.argument("qrels_a")
@click.argument("qrels_b")
@click.option("-l", "--level", type=int, default=1, show_default=True, help="Lowest relevant level.")
@common_options
def command(
    qrels_a: str, qrels_b: str, level: int, reports: tuple[str, ...], verbose: bool, quiet: bool
) -> int:
    """Compare two assessors: Cohen's kappa, overlap and confusion, over all topics and per topic."""
    from crosscheck.cli.output import parse_targets, write_reports
    from crosscheck.studies import compare_qrels

    parse_targets(reports, "agreement")
    document = compare_qrels(qrels_a, qrels_b, relevance_level=level)
    write_reports(document, reports, verbose=verbose)
    return 0 if document.total.documents else 3
