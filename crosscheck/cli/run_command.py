"""``crosscheck run``: compare backends over cases."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from crosscheck.cli import options
from crosscheck.cli.options import TOLERANCE
from crosscheck.errors import UsageError

if TYPE_CHECKING:
    from crosscheck.harness import Timings
    from crosscheck.harness.exit_codes import FailOn
    from crosscheck.model import Case

__all__ = ["command"]


@click.command("run")
@click.argument("paths", nargs=-1, metavar="PATH...")
@options.measures
@click.option("-b", "--backends", multiple=True, metavar="ID", help="Candidate to compare, repeatable.")
@click.option("--reference", metavar="ID", help="Backend to compare with.  [default: pytrec_eval]")
@click.option("--require", multiple=True, metavar="ID", help="Backend that must be available, repeatable.")
@click.option("--qrels", metavar="FILE", help="Judgements, instead of case folders; needs --run.")
@click.option("--run", "runs", multiple=True, metavar="FILE", help="Run for --qrels, repeatable.")
@click.option("--topics", metavar="FILE", help="Table of queries for --qrels: .csv, .toml or .jsonl.")
@click.option("--group-by", metavar="COLUMN", help="Show results per group of queries as well.")
@click.option("--case", "only", multiple=True, metavar="NAME", help="Only this case, repeatable.")
@click.option("--query", "queries", multiple=True, metavar="ID", help="Only this query, repeatable.")
@click.option("--tolerance", type=TOLERANCE, help="Absolute tolerance.  [default: 1e-9]")
@options.report
@click.option(
    "--fail-on",
    type=click.Choice(["unexpected", "mismatch", "never"]),
    help="The results that give exit code 1.  [default: unexpected]",
)
@click.option("--accept", metavar="REASON", help="Declare every unexpected mismatch in its case.toml.")
@click.option("--prune", is_flag=True, help="Remove every stale expectation from its case.toml.")
@click.option("--accept-unexplained", is_flag=True, help="With --accept: unexplained ones (none) as well.")
@click.option(
    "--jobs",
    type=click.IntRange(min=1),
    default=None,
    help="Processes that compute at a time.  [default: CPUs]",
)
@click.option(
    "--cache", is_flag=True, help="Keep results of cases, and use those kept where nothing changed."
)
@options.timeout("Seconds one backend may take for one run.  [default: 600]")
@options.memory_limit
@options.trec_eval_bin
@click.option("--timings", is_flag=True, help="Print seconds and peak memory to stderr.")
@click.option("--verbose", is_flag=True, help="Show expected mismatches in full as well.")
@options.quiet
def command(
    paths: tuple[str, ...],
    measures: tuple[str, ...],
    backends: tuple[str, ...],
    reference: str | None,
    require: tuple[str, ...],
    qrels: str | None,
    runs: tuple[str, ...],
    topics: str | None,
    group_by: str | None,
    only: tuple[str, ...],
    queries: tuple[str, ...],
    tolerance: float | None,
    reports: tuple[str, ...],
    fail_on: FailOn | None,
    accept: str | None,
    prune: bool,
    accept_unexplained: bool,
    jobs: int | None,
    cache: bool,
    timeout: float | None,
    memory_limit: int | None,
    trec_eval_bin: str,
    timings: bool,
    verbose: bool,
    quiet: bool,
) -> int:
    """Compare backends over cases and find the cause of every mismatch.

    PATH is a case folder (qrels* and run* files, optionally case.toml) or a folder of them; or a qrels file
    and one or more runs. On such loose files tools that are not named inform and fail nothing. The text
    report goes to stdout; JSON, HTML and Markdown go to reports/ unless --report says otherwise. The table
    [tool.crosscheck] of pyproject.toml may set backends, measures, fail-on and timeout.
    """
    from msgspec.structs import replace

    from crosscheck.backends.base import Options
    from crosscheck.cli.output import say
    from crosscheck.cli.progress import Progress
    from crosscheck.cli.project import read_project
    from crosscheck.cli.reports import parse_targets, write_reports
    from crosscheck.harness import Settings, Timings, exit_code, run_with
    from crosscheck.harness.accept import accept_mismatches, is_open, prune_stale
    from crosscheck.harness.exit_codes import absent_backends

    parse_targets(reports)  # Check the formats before the run.
    if qrels is None and not runs and len(paths) > 1 and all(map(os.path.isfile, paths)):
        qrels, runs, paths = paths[0], paths[1:], ()
    cases = _cases(paths, qrels, runs, only, topics)
    if accept is not None and (qrels or queries or not accept.strip()):
        raise UsageError(
            "--accept needs case folders, all their queries, and a reason",
            hint='crosscheck CASES --accept "why these mismatches are known"',
        )
    if prune and (qrels or queries):
        raise UsageError("--prune needs case folders, and all their queries", hint="crosscheck CASES --prune")
    if accept_unexplained and accept is None:
        raise UsageError(
            "--accept-unexplained belongs to --accept",
            hint='--accept "why they are known" --accept-unexplained',
        )
    project = read_project(quiet=quiet)
    # What a case or its published numbers name goes before what the project does.
    cases = tuple(c if c.measures or c.published else replace(c, measures=project.measures) for c in cases)
    backends = backends or project.backends
    at_a_time = jobs or os.cpu_count() or 1
    settings = Settings(
        measures=measures,
        backends=backends,
        reference=reference,
        require=require,
        queries=queries,
        loose=qrels is not None,
        group_by=group_by,
        tolerance=tolerance,
        jobs=at_a_time,
        cache=_cache() if cache else None,
        options=Options(
            trec_eval_bin=trec_eval_bin,
            timeout=timeout or project.timeout or 600.0,
            memory=memory_limit,
            children=at_a_time,
        ),
    )
    clock = Timings()
    with Progress(quiet=quiet) as progress:
        document = run_with(cases, settings, progress=progress, timings=clock)
    if not document.complete:
        say("interrupted")
    if document.complete and prune:
        document, removed = prune_stale(document, cases, show=_show_change)
        say(f"removed {removed} stale expectation{'' if removed == 1 else 's'} from case.toml")
    if document.complete and accept is not None:
        document, declared = accept_mismatches(
            document, cases, accept, unexplained=accept_unexplained, show=_show_change
        )
        say(f"declared {_mismatches(declared)} in case.toml")
        if refused := sum(map(is_open, document.comparisons)):
            say(
                f"not declared: {_mismatches(refused)} without an explanation (strength none), which may be "
                "a bug; look into the report, then add --accept-unexplained"
            )
    with clock.stage("report"):
        write_reports(
            document, reports, verbose=verbose, usual=("json", "html", "markdown"), seconds=clock.comparisons
        )
    if timings:
        _print_timings(clock)
    required = {*settings.require, *settings.backends}
    for about in absent_backends(document, required):
        say(f"{about.id} is needed, and not available: {about.reason}")
    fail_on = fail_on or project.fail_on or "unexpected"
    return int(exit_code(document, fail_on=fail_on, required=required))


def _cache() -> Path:
    """The folder of crosscheck in the user's cache, as in the XDG base directory specification."""
    given = os.environ.get("XDG_CACHE_HOME", "")
    return Path(given if os.path.isabs(given) else os.path.expanduser("~/.cache"), "crosscheck")


def _show_change(path: str, before: str, after: str) -> None:
    """Print a change of a file to stderr as a diff, before it is written."""
    from difflib import unified_diff

    from crosscheck.errors import quoted

    lines = unified_diff(before.splitlines(), after.splitlines(), path, path, lineterm="")
    for line in lines:
        click.echo(quoted(line, 4096)[1:-1], err=True)


def _mismatches(number: int) -> str:
    return f"{number} mismatch{'' if number == 1 else 'es'}"


def _cases(
    paths: tuple[str, ...],
    qrels: str | None,
    runs: tuple[str, ...],
    only: tuple[str, ...],
    topics: str | None,
) -> tuple[Case, ...]:
    from crosscheck.formats.cases import find_cases
    from crosscheck.model import Case

    if qrels is None and topics is not None:
        raise UsageError("--topics belongs to --qrels", hint="in a case folder, name the file topics.csv")
    if qrels is None and not runs:
        if not paths:
            raise UsageError(
                "nothing to compare", hint="name a case folder (crosscheck fixtures/), or --qrels Q --run R"
            )
        return find_cases(paths, tuple(dict.fromkeys(only)))
    if qrels is None or not runs:
        raise UsageError(
            "--qrels and --run belong together", hint="crosscheck --qrels QRELS --run RUN [--run RUN2]"
        )
    if paths or only:
        raise UsageError("case folders and --qrels exclude each other", hint="call crosscheck once for each")
    return (Case(name=Path(qrels).name, qrels=qrels, runs=tuple(dict.fromkeys(runs)), topics=topics),)


def _print_timings(clock: Timings) -> None:
    rows = [*clock.stages.items(), *((f"backend {name}", cost) for name, cost in clock.backends.items())]
    click.echo("seconds  peak MB  stage or backend", err=True)
    for name, (seconds, peak) in rows:
        memory = f"{peak / 1e6:.0f}" if peak else "-"
        click.echo(f"{seconds:7.3f}  {memory:>7}  {name}", err=True)
