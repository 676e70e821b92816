"""``crosscheck audit``: fingerprint a metric before adopting it."""

import os
import time
from types import SimpleNamespace

import click

from crosscheck.cli.options import IN_FULL, QUIET, REPORT, command, limited, limits
from crosscheck.cli.output import Reports, progress_shown, say
from crosscheck.errors import InputError, UsageError, quoted, safe_text
from crosscheck.studies.options import Number, argument, flag, option

_PROPERTIES = "Test only properties that need no conventions (values in [0, 1], ...); -m may be left out."
_CALL = 'How to call it, as "f(gains, k)".  [default: by its parameters, and by trying]'
_SAVED = "Write each counterexample as a case folder into DIR; the cases that it holds are tried as well."


@command(
    *(argument("target"), argument("second", "[MEASURE]", required=False)),
    option("-m --measure", "The measure it claims to compute.", "MEASURE"),
    flag("--properties", _PROPERTIES),
    option("--call", _CALL, "CALL"),
    option("--seed", "The same seed, the same audit.", int, 0),
    option("--reference", "The conventions that deviations are counted from.", "PROFILE", "trec_eval-9.0.8"),
    REPORT,
    option("--save-fixture saved", _SAVED, "DIR"),
    option("--fixtures", "Cases to confirm the result on.  [default: fixtures/ where it exists]", "DIR"),
    *limits("Seconds that one call may take.", 20.0),
    option(
        "--budget",
        "Seconds for all calls and the search in their values; then the verdict is of what was asked.  "
        "[default: 10 x --timeout]",
        Number(min=0, min_open=True),
    ),
    *(IN_FULL, QUIET),
    epilog="Exit codes: 0 it agrees with the reference; 1 it deviates (or lacks a property that the measure, "
    "or any sound one, has), or time was too short for inputs that would show every kind of change; "
    "2 bad usage; 3 not callable, or not asked enough within the budget.",
)
def audit(asked: SimpleNamespace) -> int:
    """Find out by experiment which conventions a metric follows, and prove it by counterexamples.

    TARGET is package.module:function, path/to/file.py:function, exec:COMMAND (a program in any language that
    speaks JSON lines), or the id of a backend. It is called in a separate process.

    Words of a call: gains, binary, judged_gains, ideal_gains, ranked_ids, relevant_ids, relevant_id and
    its rank (of queries with one), nonrelevant_ids, relevance (a dict), scored (a dict), scores, ranks,
    num_rel, num_ret, mask, k, query (its id), qrels, run, y_true, y_score, max_grade; the measure's name:
    measure, or as the function spells it measure('ndcg_cut_{k}'); data frames and lists of records:
    results_df, qrels_df, ranked_df, judged_df, results_rows, qrels_rows, ranked_rows, judged_rows; with
    the levels of the results labelled_df, labelled_rows; the results of all queries in one list
    all_y_true, all_binary, all_y_score, with query_index or group_sizes. Around a word: set(),
    frozenset(), list(), tuple(), array(), tensor(), series(), items(), ints() for numbers instead of
    docnos, dicts(), polars(), unordered() for pairs or rows that the function sorts, each() for a list
    with all queries, by_query() for a dict of them, flat() for a dict with keys (query, docno). Columns
    are renamed, or added to tuples, as in results_rows(docid='item', rank='rank') and
    qrels_rows(iter='iter'). A dict of words, such as {'retrieved': ranked_ids, 'relevant': relevant_ids},
    is a record; around it, record() for an object with these attributes; around each() of it, frame()
    for a data frame. Around qrels_rows and results_rows: file() for the path of a file in trec_eval's
    form, tsv() in MS MARCO's, path() for a pathlib.Path. A class is called as "f(k).compute(gains)", one
    of several results taken as "f(...)[0]". The call is parsed, never evaluated.
    """
    from crosscheck.processes.supervised import starting

    target, measure = asked.target, asked.measure or asked.second
    if asked.measure and asked.second:
        problem = f"the measure is named twice: {asked.second}, {asked.measure}"
        raise UsageError(problem, hint="name it once, with --measure")
    if target.rpartition(":")[2].isidentifier():  # probably a function
        click.get_current_context().with_resource(starting(asked.memory))
    from crosscheck import auditing
    from crosscheck.auditing.reproducers import save_cases
    from crosscheck.harness.document import document_of

    options = limited(asked, asked.timeout, budget=asked.budget)
    how = {"call": asked.call, "seed": asked.seed, "reference": asked.reference, "options": options}
    if asked.properties and asked.saved is not None:
        problem = "--properties finds no counterexamples, so --save-fixture has nothing to write"
        raise UsageError(problem, hint="leave out --properties or --save-fixture")
    if measure is None and not asked.properties:
        hint = "name the measure with --measure, such as -m nDCG@10; only --properties needs no name"
        raise UsageError("the name of the measure that the metric should compute is missing", hint=hint)
    targets = Reports(asked.reports, "properties" if asked.properties else "audit", stdout=("json",))
    begin = time.perf_counter()

    def told(what: str) -> None:
        if not asked.quiet:
            say(what)

    def done(what: str) -> None:
        told(f"{what}, {time.perf_counter() - begin:.1f} s")

    if asked.properties:
        with progress_shown(quiet=asked.quiet) as progress:
            report = auditing.properties(target, measure, **how, progress=progress)
        done(f"{sum(finding.cases for finding in report.properties)} comparisons")
        targets.write(document_of(report), verbose=asked.verbose)
        return int(any(one.surprising for one in report.properties)) if report.properties else 3
    told(f"auditing {safe_text(target)} as {measure}, seed {asked.seed}")
    cases = _cases(asked.fixtures, asked.saved)
    with progress_shown(quiet=asked.quiet) as progress:
        result = auditing.audit(target, measure, **how, fixtures=cases, progress=progress)
    if result.call and asked.call is None:
        told(f"called as {result.call}, found from its parameters and by trying; --call changes that")
    done(f"{result.experiments} experiments")
    targets.write(document_of(result), verbose=asked.verbose)
    if asked.saved is not None and result.counterexamples:
        say(f"wrote {len(save_cases(result, asked.saved))} files to {quoted(asked.saved)}")
    return 0 if result.plainly_agrees else 3 if result.verdict == "uncallable" else 1


def _cases(given: str | None, saved: str | None) -> list[str] | None:
    """The folders with cases that must confirm the result: ``given`` (by default ``fixtures``), and
    ``saved``, which holds the counterexamples of earlier audits. None if there are none.
    """
    maybe = [folder for folder in (given or "fixtures", saved) if folder is not None]
    return [folder for folder in maybe if folder == given or _holds_cases(folder)] or None


def _holds_cases(folder: str) -> bool:
    from crosscheck.formats.cases import find_cases

    try:
        return os.path.isdir(folder) and bool(find_cases([folder]))
    except InputError:
        return False
