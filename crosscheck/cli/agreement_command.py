"""``crosscheck agreement``: agreement of two assessors."""

from __future__ import annotations

import click

from crosscheck.cli.study_output import Reports, study_options

__all__ = ["command"]


@click.command("agreement")
@click.argument("qrels_a")
@click.argument("qrels_b")
@click.option("-l", "--level", type=int, default=1, show_default=True, help="Lowest relevant level.")
@study_options
def command(reports: Reports, qrels_a: str, qrels_b: str, level: int) -> int:
    """Compare two assessors: Cohen's kappa, overlap and confusion, over all topics and per topic."""
    from crosscheck.studies import compare_qrels

    with reports.of("agreement"):
        document = compare_qrels(qrels_a, qrels_b, relevance_level=level)
    reports.write(document)
    return 0 if document.total.documents else 3
