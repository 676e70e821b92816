"""``crosscheck evaluate`` and ``crosscheck record``: values of runs, printed or kept in a file."""

from __future__ import annotations

import csv
import io
import json
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, TypeAlias

import click

from crosscheck.cli.options import QUIET, command, limited, limits
from crosscheck.cli.output import Reports, for_stream, progress_shown, say, show
from crosscheck.errors import CrosscheckError, InputError, UsageError, count, quoted, safe_text
from crosscheck.studies import options as declared
from crosscheck.studies.options import CONVENTIONS, COUNT, MEASURES, QRELS, argument, flag, option

if TYPE_CHECKING:
    from crosscheck.backends.base import Options
    from crosscheck.engine.runs import RunValues

FORMS = ("table", "trec_eval", "csv", "tsv", "json")


@command(
    *(QRELS, declared.run_files(), MEASURES, CONVENTIONS),
    flag("-q --per-query", "Values of each query as well."),
    option("--output", "Form of the output.", click.Choice(FORMS), "table"),
    flag("--all-digits", "Every digit in a table and in trec_eval's form, not four places."),
    option("--workers", "Processes.  [default: as many as are worth it]", COUNT),
    option("--executor", "Where to work: processes, or dask:ADDRESS of a scheduler.", "NAME", "processes"),
    QUIET,
)
def evaluate(asked: SimpleNamespace) -> int:
    """Evaluate runs with crosscheck's own measures.

    Prints a table of the means, with four places; the query `all` is trec_eval's summary. csv, tsv and json
    have a line or an object per run, measure and query, with every digit. Runs of any size are streamed. A
    run that cannot be used, or that has results for no judged query, is named on stderr, and the exit code is
    2; the others are printed.
    """
    from crosscheck.engine.runs import evaluate_each, open_executor
    from crosscheck.names import DEFAULT_MEASURES

    with progress_shown(quiet=asked.quiet) as progress, open_executor(asked.executor) as opened:
        how: dict[str, Any] = {"conventions": asked.conventions, "workers": asked.workers}
        how |= {"executor": opened, "progress": lambda done, total: progress(f"{done} of {total} runs")}
        each = evaluate_each(asked.qrels, asked.runs, asked.measures or DEFAULT_MEASURES, **how, notice=say)
        outcomes = [_usable(outcome, asked.qrels) for outcome in each]
    facts = (fact for one in outcomes if not isinstance(one, CrosscheckError) for fact in one.facts)
    for fact in dict.fromkeys(facts):
        say(fact)
    rows: list[_Row] = []
    for outcome in outcomes:
        if isinstance(outcome, CrosscheckError):
            say(f"error: {outcome}")
        else:
            rows += [(outcome.run, *row) for row in outcome.values().items()] if asked.per_query else ()
            rows.append((outcome.run, "all", outcome.means()))
    show(_written(rows, asked.output, asked.all_digits) if rows else "")
    return 2 if any(isinstance(outcome, CrosscheckError) for outcome in outcomes) else 0


#: A run, a query or `all`, and the value of each measure.
_Row: TypeAlias = tuple[str, str, Mapping[str, float | None]]


def _written(rows: Sequence[_Row], form: str, all_digits: bool) -> str:
    """The values as text, in the form that ``--output`` names."""
    if form == "trec_eval":
        return "".join(_as_trec_eval(rows, all_digits))
    if form == "table":
        return _table(rows, all_digits, for_stream(sys.stdout, os.environ).width)
    cells = [(run, measure, query, value) for run, query, of in rows for measure, value in of.items()]
    if form == "json":
        from crosscheck.results import optional

        names = ("run", "measure", "query", "value")
        records = [dict(zip(names, (*ids, optional(value)), strict=True)) for *ids, value in cells]
        return "[\n{}\n]\n".format(",\n".join(map(json.dumps, records)))
    lines = [(*map(_safe, ids), "-" if value is None else repr(value)) for *ids, value in cells]
    if form == "tsv":
        return "".join("\t".join(line) + "\n" for line in lines)
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([("run", "measure", "query", "value"), *lines])
    return text.getvalue()


def _as_trec_eval(rows: Sequence[_Row], all_digits: bool) -> Iterator[str]:
    """Lines as trec_eval prints them. If there are several runs, a line with its name precedes each run."""
    from crosscheck.names import parse_measure, trec_eval_name

    names = {name: trec_eval_name(parse_measure(name)) or name for name in rows[0][2]}
    last = None if len({run for run, *_ in rows}) > 1 else rows[0][0]
    for run, query, values in rows:
        if run != last:
            yield f"{'runid':22}\tall\t{_safe(run)}\n"
        last = run
        for measure, value in values.items():
            if value is not None:
                yield f"{names[measure]:22}\t{_safe(query)}\t{_number(measure, value, all_digits)}\n"


def _number(measure: str, value: float | None, all_digits: bool) -> str:
    if value is None:
        return "-"
    places = "" if all_digits else ".0f" if measure.startswith("num_") else ".4f"
    return f"{value:{places}}"


def _table(rows: Sequence[_Row], all_digits: bool, width: int) -> str:
    """A table with a line per run and query and a column per measure; if it is wider than ``width``, a table
    with a line per number."""
    from crosscheck.report.words import files

    runs, queries = (list(dict.fromkeys(ids)) for ids in zip(*(row[:2] for row in rows), strict=True))
    names = dict(zip(runs, files(*runs), strict=True))
    shown = [n for n, of in enumerate((runs, queries)) if len(of) > 1]
    head = [("run", "query")[n] for n in shown]
    ids = [[_safe((names[run], query)[n]) for n in shown] for run, query, _ in rows]
    numbers = [{m: _number(m, value, all_digits) for m, value in row[2].items()} for row in rows]
    wide = [[*id, *of.values()] for id, of in zip(ids, numbers, strict=True)]
    text = _aligned([[*head, *numbers[0]], *wide], len(head))
    if head and text.index("\n") <= width:
        return text
    tall = [[*id, *cell] for id, of in zip(ids, numbers, strict=True) for cell in of.items()]
    return _aligned([[*head, "measure", "value" if len(queries) > 1 else "mean"], *tall], len(head) + 1)


def _aligned(lines: Sequence[Sequence[str]], left: int) -> str:
    """Lines whose first cells are flush left and whose other cells, numbers, are flush right."""
    sizes = [max(map(len, column)) for column in zip(*lines, strict=True)]
    padded = ([f"{cell:{'<>'[n >= left]}{sizes[n]}}" for n, cell in enumerate(line)] for line in lines)
    return "".join("  ".join(line).rstrip() + "\n" for line in padded)


def _usable(outcome: RunValues | InputError, qrels: str) -> RunValues | CrosscheckError:
    """The values of a run; the error if it has none, or if the file holds values of measures: as JSON they
    can be read as a run, whose documents are the names of measures."""
    from crosscheck.cli.files import recognised

    if isinstance(outcome, InputError):
        return recognised(outcome)
    hint = f"check that the run belongs to {qrels} and that query ids are spelt alike (1 and 001 differ)"
    error = InputError("the run has results for none of the judged queries", path=outcome.run, hint=hint)
    if not outcome.shared:
        return error
    named = error if any(outcome.means().values()) else recognised(error)
    return outcome if named is error else named


def _safe(id: str) -> str:
    return safe_text(id, 4096)


@command(
    *(argument("backend"), QRELS, declared.run_file(), MEASURES),
    option("-o --output", "JSON if it ends so, else as trec_eval -q prints.", "FILE", "recorded.json"),
    flag("--check", "Compare with the values in FILE instead of writing them."),
    *limits("Seconds that the backend may take.", 600.0),
    QUIET,
)
def record(asked: SimpleNamespace) -> int:
    """Record the values of BACKEND for a run, with every digit, to compare it with itself later.

    With --check the values of today are compared with the recorded ones: exit code 1 and the cause if one
    differs, such as after an upgrade. As recorded* in a case folder the values are compared with trec_eval
    like those of any backend, without what computed them. BACKEND is an id (see `crosscheck backends`), such
    as python:m.py:f. A mean that the backend computes itself stands under `all`. The exit code is 3 if there
    is no value.
    """
    with progress_shown(quiet=asked.quiet) as progress:
        return (_checked if asked.check else _recorded)(asked, limited(asked, asked.timeout), progress)


def _recorded(asked: SimpleNamespace, options: Options, progress: Callable[[str], None]) -> int:
    from crosscheck.engine.conversion import as_qrels, as_run
    from crosscheck.formats.recorded import write_recorded
    from crosscheck.harness.systems import measure_systems
    from crosscheck.measures import needs_of
    from crosscheck.names import DEFAULT_MEASURES, parse_measures

    wanted = parse_measures(asked.measures or DEFAULT_MEASURES)
    judged, systems = as_qrels(asked.qrels, needs=needs_of(wanted)), {"the run": as_run(asked.run)}
    measured = measure_systems(asked.backend, judged, systems, wanted, options=options, progress=progress)
    for note in measured.notes:
        say(note)
    if not measured.values:
        return 3
    held = {str(measure): values["the run"] for measure, values in measured.values.items()}
    means = {measure: values.mean for measure, values in held.items() if values.mean is not None}
    replaced = ", in place of what it held" if os.path.exists(asked.output) else ""
    write_recorded(asked.output, {measure: values.values for measure, values in held.items()}, means)
    say(f"recorded {count(len(held), 'measure')} in {quoted(asked.output)}{replaced}")
    return 0


def _checked(asked: SimpleNamespace, options: Options, progress: Callable[[str], None]) -> int:
    from crosscheck.backends.recorded import RecordedValues
    from crosscheck.cli.files import saved_measures
    from crosscheck.harness import Settings, exit_code, run_with
    from crosscheck.model import Case
    from crosscheck.names import parse_measures

    recorded = asked.output
    first = "record the values first, with the same command without --check"
    if not os.path.exists(recorded):
        raise UsageError(f"there is no file {quoted(recorded)} to compare with", hint=first)
    held, unknown = saved_measures(recorded)
    if lacking := [name for name in map(str, parse_measures(asked.measures)) if name not in held]:
        raise UsageError(f"{quoted(recorded)} has no values of {', '.join(lacking)}", hint=first)
    id = f"recorded:{os.path.basename(recorded)}"
    names = tuple(asked.measures or (*held, *unknown))
    given = {id: RecordedValues(recorded, id)}
    settings = Settings(measures=names, backends=(asked.backend,), reference=id, options=options, given=given)
    case = Case(name=os.path.basename(asked.qrels), qrels=asked.qrels, runs=(asked.run,))
    document = run_with((case,), settings, progress=progress)
    Reports(("text",)).write(document, verbose=False)
    return int(exit_code(document))
