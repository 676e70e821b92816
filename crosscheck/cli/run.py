"""``crosscheck run``: compare backends over cases."""

from __future__ import annotations

import os
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING

import click

from crosscheck.cli.options import QUIET, REPORT, command, fail_on, limited, limits
from crosscheck.cli.output import Reports, progress_shown, say
from crosscheck.errors import UsageError, count, did_you_mean, quoted, safe_text
from crosscheck.studies.options import COUNT, MEASURES, TOLERANCE, InputFile, argument, flag, option

if TYPE_CHECKING:
    from crosscheck.harness import Settings, Timings
    from crosscheck.model import Case


@command(
    argument("paths", "PATH...", nargs=-1),
    MEASURES,
    option("-b --backends", "Candidate to compare, repeatable.", "ID", multiple=True),
    option("--reference", "Backend to compare with.  [default: pytrec_eval]", "ID"),
    option("--require", "Backend that must be available, repeatable.", "ID", multiple=True),
    option("--qrels", "Judgements, instead of case folders; needs --run.", InputFile("qrels")),
    option("--run runs", "Run for --qrels, repeatable.", InputFile("run"), multiple=True),
    option("--topics", "Table of queries for --qrels: .csv, .toml or .jsonl.", "FILE"),
    option("--group-by", "Show results per group of queries as well.", "COLUMN"),
    option("--case only", "Only this case, repeatable.", "NAME", multiple=True),
    option("--query queries", "Only this query, repeatable.", "ID", multiple=True),
    option("--tolerance", "Absolute tolerance.  [default: 1e-9]", TOLERANCE),
    REPORT,
    fail_on("The results that give exit code 1.  [default: unexpected]"),
    option("--accept", "Declare every unexpected mismatch in its case.toml.", "REASON"),
    flag("--prune", "Remove every stale expectation from its case.toml."),
    flag("--accept-unexplained", "With --accept: unexplained ones (none) as well."),
    option("--jobs", "Processes that compute at a time.  [default: CPUs]", COUNT),
    flag("--cache", "Keep results of cases, and use those kept where nothing changed."),
    *limits("Seconds one backend may take for one run.  [default: 600]"),
    flag("--timings", "Print seconds and peak memory to stderr; JUnit gets the seconds."),
    flag("--verbose", "Show expected mismatches in full as well."),
    QUIET,
)
def run(asked: SimpleNamespace) -> int:
    """Compare backends over cases and find the cause of every mismatch.

    PATH is a case folder (qrels* and run* files, optionally case.toml) or a folder of them; or a qrels file
    and one or more runs. On such loose files tools you did not name are reported but cannot fail the run.
    The text report goes to stdout; JSON, HTML and Markdown go to reports/ unless --report says otherwise.
    The table [tool.crosscheck] of pyproject.toml may set backends, measures, fail-on and timeout.
    """
    from msgspec.structs import replace

    from crosscheck.harness import Settings, Timings, exit_code, run_with
    from crosscheck.harness.document import absent_backends
    from crosscheck.harness.settings import read_project

    targets = Reports(asked.reports, usual=("json", "html", "markdown"))
    # If one of the paths does not exist and the others are files, the error is that of a missing file.
    loose = any(map(os.path.exists, asked.paths)) and not any(map(os.path.isdir, asked.paths))
    if asked.qrels is None and not asked.runs and len(asked.paths) > 1 and loose:
        judged, *retrieved = asked.paths
        context = click.get_current_context()
        asked.qrels = InputFile("qrels").convert(judged, None, context)
        asked.runs = tuple(InputFile("run").convert(run, None, context) for run in retrieved)
        asked.paths = ()
    cases = _cases(asked)
    if asked.accept is not None and (asked.qrels or asked.queries or not asked.accept.strip()):
        problem = "--accept needs case folders and a reason, and it works only on all queries"
        raise UsageError(problem, hint='call crosscheck CASES --accept "why these mismatches are known"')
    if asked.prune and (asked.qrels or asked.queries):
        problem = "--prune needs case folders, and all their queries"
        raise UsageError(problem, hint="call crosscheck CASES --prune")
    if asked.accept_unexplained and asked.accept is None:
        problem = "--accept-unexplained is only allowed with --accept"
        raise UsageError(problem, hint='add --accept "why these mismatches are known"')
    project = read_project(say, quiet=asked.quiet)
    # The measures that a case or its published numbers name take precedence over the project's measures.
    cases = tuple(c if c.measures or c.published else replace(c, measures=project.measures) for c in cases)
    backends, jobs = asked.backends or project.backends, asked.jobs or os.cpu_count() or 1
    passed_on = ("measures", "reference", "require", "queries", "tolerance", "group_by")
    given = os.environ.get("XDG_CACHE_HOME", "")  # as in the XDG base directory specification
    cache = Path(given if os.path.isabs(given) else os.path.expanduser("~/.cache"), "crosscheck")
    settings = Settings(
        **{name: getattr(asked, name) for name in passed_on},
        backends=backends,
        jobs=jobs,
        loose=asked.qrels is not None,
        cache=cache if asked.cache else None,
        options=limited(asked, asked.timeout or project.timeout or 600.0, children=jobs),
    )
    for case in cases if not settings.measures else ():
        _say_unused(case, settings)
    clock = Timings()
    with progress_shown(quiet=asked.quiet) as progress:
        document = run_with(cases, settings, progress=progress, timings=clock)
    if not document.complete:
        say("interrupted")
    if document.complete and asked.prune:
        from crosscheck.harness.accept import prune_stale

        document, removed = prune_stale(document, cases, show=_show_change)
        say(f"removed {count(removed, 'stale expectation')} from case.toml")
    if document.complete and asked.accept is not None:
        from crosscheck.harness.accept import accept_mismatches, is_open

        how = {"unexplained": asked.accept_unexplained, "show": _show_change}
        document, declared = accept_mismatches(document, cases, asked.accept, **how)
        say(f"declared {count(declared, 'mismatch')} in case.toml")
        if refused := sum(map(is_open, document.comparisons)):
            what = f"{count(refused, 'mismatch')} without an explanation (strength none), which may be a bug"
            say(f"not declared: {what}; look into the report, then add --accept-unexplained")
    with clock.stage("report"):
        targets.write(document, verbose=asked.verbose, seconds=clock.comparisons if asked.timings else {})
    if asked.timings:
        _print_timings(clock)
    for about in absent_backends(document):
        say(f"{about.id} is needed, and not available: {about.reason}")
    return int(exit_code(document, fail_on=asked.fail_on or project.fail_on or "unexpected"))


def _say_unused(case: Case, settings: Settings) -> None:
    """Name the expectations of a case that are about no comparison: a typo must not look like agreement."""
    from crosscheck.backends import factories
    from crosscheck.harness.runner import unused

    for one in unused(case, settings) if case.expectations else ():
        near = "" if one.candidate in factories() else did_you_mean(one.candidate, factories(), "; ")
        about = f"candidate {quoted(one.candidate)}, measure {quoted(one.measure)}"
        say(f"{case.name}: an [[expect]] is about no comparison: {about}{near}")


def _show_change(path: str, before: str, after: str) -> None:
    """Print a change to stderr as a diff, before the file is written. An empty text stands for no file."""
    from difflib import unified_diff

    old, new = (path if text else os.devnull for text in (before, after))
    for line in unified_diff(before.splitlines(), after.splitlines(), old, new, lineterm=""):
        click.echo(safe_text(line, 4096), err=True)


def _cases(asked: SimpleNamespace) -> tuple[Case, ...]:
    """The case folders that are named, or a case made of ``--qrels`` and ``--run``."""
    from crosscheck.formats.cases import find_cases
    from crosscheck.model import Case

    if asked.qrels is None and asked.topics is not None:
        problem = "--topics is only allowed with --qrels"
        raise UsageError(problem, hint="in a case folder, name the file topics.csv")
    if asked.qrels is None and not asked.runs:
        if not asked.paths:
            hint = "name a case folder (crosscheck fixtures/), or --qrels Q --run R"
            raise UsageError("there is nothing to compare", hint=hint)
        return find_cases(asked.paths, tuple(dict.fromkeys(asked.only)))
    if asked.qrels is None or not asked.runs:
        problem = "only one of --qrels and --run was given"
        raise UsageError(problem, hint="give both: crosscheck --qrels QRELS --run RUN")
    if asked.paths or asked.only:
        named = f"the case folder {quoted(asked.paths[0])}" if asked.paths else "--case"
        hint = "call crosscheck once for the folders and once with --qrels"
        raise UsageError(f"{named} and --qrels cannot be given together", hint=hint)
    runs = tuple(dict.fromkeys(asked.runs))
    return (Case(name=Path(asked.qrels).name, qrels=asked.qrels, runs=runs, topics=asked.topics),)


def _print_timings(clock: Timings) -> None:
    rows = [*clock.stages.items(), *((f"backend {name}", cost) for name, cost in clock.backends.items())]
    click.echo("seconds  peak MB  stage or backend", err=True)
    for name, (seconds, peak) in rows:
        memory = f"{peak / 1e6:.0f}" if peak else "-"
        click.echo(f"{seconds:7.3f}  {memory:>7}  {name}", err=True)
