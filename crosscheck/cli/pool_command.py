"""``crosscheck pool``: pools of the top documents of several runs."""

from __future__ import annotations

import click

from crosscheck.cli.report_option import common_options

__all__ = ["command"]


@click.command("pool")
@click.argument("runs", nargs=-1, required=True, metavar="RUN...")
@click.option("--depth", type=click.IntRange(min=1), required=True, help="Ranks taken from each run.")
@click.option("--qrels", metavar="FILE", help="Judgements so far, for the unjudged rate of each run.")
@click.option(
    "-k", "--cutoff", type=click.IntRange(min=1), help="Of the unjudged rate.  [default: the depth]"
)
@click.option(
    "--conventions",
    default="trec_eval-9.0.8",
    show_default=True,
    metavar="SPEC",
    help="Order of the runs: a profile, axis settings, or both.",
)
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    help="Write the pool as qrels: the level of --qrels, or -1 for documents to judge.",
)
@common_options
def command(
    runs: tuple[str, ...],
    depth: int,
    qrels: str | None,
    cutoff: int | None,
    conventions: str,
    output: str | None,
    reports: tuple[str, ...],
    verbose: bool,
    quiet: bool,
) -> int:
    """Pool the first documents of several runs: contributions of each run, and documents without
    judgements."""
    from crosscheck.cli.output import parse_targets, write_reports
    from crosscheck.studies import pool_runs

    parse_targets(reports, "pool")
    document = pool_runs(runs, depth, qrels=qrels, cutoff=cutoff, conventions=conventions, file=output)
    write_reports(document, reports, verbose=verbose)
    return 0
