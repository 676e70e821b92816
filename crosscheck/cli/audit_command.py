"""``crosscheck audit``: fingerprint a metric before adopting it."""

from __future__ import annotations

import os
import time

import click

from crosscheck.cli import options
from crosscheck.errors import UsageError, quoted

__all__ = ["command"]

#: Formats that go to stdout where no path is given.
_STDOUT = ("json",)
_CODES = {"agrees": 1, "deviates": 1, "uncallable": 3}


@click.command(
    "audit",
    epilog="Exit codes: 0 it agrees with the reference; 1 it deviates (or lacks a property that the measure, "
    "or any sound one, has), or time was too short for inputs that would show every kind of change; "
    "2 bad usage; 3 not callable.",
)
@click.argument("target")
@click.option("-m", "--measure", metavar="MEASURE", help="The measure it claims to compute.")
@click.option(
    "--properties",
    is_flag=True,
    help="Test only properties that need no conventions (values in [0, 1], ...); -m may be left out.",
)
@click.option(
    "--call",
    metavar="CALL",
    help='How to call it, as "f(gains, k)".  [default: by its parameters, and by trying]',
)
@click.option("--seed", type=int, default=0, show_default=True, help="The same seed, the same audit.")
@click.option(
    "--reference",
    default="trec_eval-9.0.8",
    show_default=True,
    metavar="PROFILE",
    help="The conventions that deviations are counted from.",
)
@options.report
@click.option(
    "--save-fixture",
    metavar="DIR",
    help="Write each counterexample as a case folder into DIR; the cases that it holds are tried as well.",
)
@click.option(
    "--fixtures", metavar="DIR", help="Cases to confirm the result on.  [default: fixtures/ where it exists]"
)
@options.timeout("Seconds that one call may take; all fresh inputs may take six times as long.", 20.0)
@options.memory_limit
@options.trec_eval_bin
@click.option("--verbose", is_flag=True, help="Show everything in full.")
@options.quiet
def command(
    target: str,
    measure: str | None,
    properties: bool,
    call: str | None,
    seed: int,
    reference: str,
    reports: tuple[str, ...],
    save_fixture: str | None,
    fixtures: str | None,
    timeout: float,
    memory_limit: int | None,
    trec_eval_bin: str,
    verbose: bool,
    quiet: bool,
) -> int:
    """Find out by experiment which conventions a metric follows, and prove it by counterexamples.

    TARGET is package.module:function, path/to/file.py:function, exec:COMMAND (a program in any language that
    speaks JSON lines), or the id of a backend. It is called in a separate process.

    Words of a call: gains, binary, judged_gains, ranked_ids, relevant_ids, relevance (a dict), scored (a
    dict), scores, ranks, num_rel, num_ret, k, query (its id), qrels, run, y_true, y_score, max_grade; the
    name of the measure: measure, or as the function spells it measure('ndcg_cut_{k}'); data frames and lists
    of records: results_df, qrels_df, ranked_df, judged_df, results_rows, qrels_rows, ranked_rows,
    judged_rows; with the levels of the results labelled_df, labelled_rows. Around a word: set(), list(),
    tuple(), array(), tensor(), series(), items(), dicts(), each() for a list with all queries, by_query() for
    a dict of them. A class is called as "f(k).compute(gains)", one of several results taken as "f(...)[0]".
    The call is parsed, never evaluated.
    """
    from crosscheck.processes.early import starting

    if target.rpartition(":")[2].isidentifier():  # probably a function
        click.get_current_context().with_resource(starting(memory_limit))
    from crosscheck.auditing import audit
    from crosscheck.auditing.cases import save_cases
    from crosscheck.auditing.document import document
    from crosscheck.backends.base import Options
    from crosscheck.cli.audit_properties import audit_properties
    from crosscheck.cli.output import say
    from crosscheck.cli.progress import Progress
    from crosscheck.cli.reports import parse_targets, write_reports

    options = Options(trec_eval_bin=trec_eval_bin, timeout=timeout, memory=memory_limit)
    if properties:
        if save_fixture is not None:
            raise UsageError(
                "properties have no counterexamples to save", hint="leave out one of the options"
            )
        return audit_properties(
            target,
            measure,
            call=call,
            seed=seed,
            reference=reference,
            reports=reports,
            verbose=verbose,
            options=options,
            quiet=quiet,
        )
    if measure is None:
        raise UsageError(
            "the measure that it is meant to compute is missing",
            hint="name it with --measure, such as -m nDCG@10; --properties needs no name",
        )
    parse_targets(reports, "audit", _STDOUT)
    begin = time.perf_counter()
    if not quiet:
        say(f"auditing {quoted(target)[1:-1]} as {measure}, seed {seed}")
    with Progress(quiet=quiet) as progress:
        found = audit(
            target,
            measure,
            call=call,
            seed=seed,
            reference=reference,
            fixtures=_cases(fixtures, save_fixture),
            options=options,
            progress=progress,
        )
    if found.call and call is None and not quiet:
        say(f"called as {found.call}, found from its parameters and by trying; --call changes that")
    if not quiet:
        say(f"{found.experiments} experiments, {time.perf_counter() - begin:.1f} s")
    write_reports(document(found), reports, verbose=verbose, stdout=_STDOUT)
    if save_fixture is not None and found.counterexamples:
        written = save_cases(found, save_fixture)
        say(f"wrote {len(written)} files to {quoted(save_fixture)}")
    return 0 if found.plainly_agrees else _CODES[found.verdict]


def _cases(given: str | None, saved: str | None) -> list[str] | None:
    """The folders of cases to confirm the result on: ``given`` (else ``fixtures``) and ``saved``; or None.

    A folder that was not given must hold cases. ``saved`` holds the counterexamples of earlier audits.
    """
    maybe = [folder for folder in (given or "fixtures", saved) if folder is not None]
    return [folder for folder in maybe if folder == given or _holds_cases(folder)] or None


def _holds_cases(folder: str) -> bool:
    from crosscheck.errors import InputError
    from crosscheck.formats.cases import find_cases

    if not os.path.isdir(folder):
        return False
    try:
        find_cases([folder])
    except InputError:
        return False
    return True
