"""The commands for saved files: ``init`` writes a first case, ``report`` and ``diff`` read results."""

from __future__ import annotations

import contextlib
import os
import re
import shlex
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from crosscheck.cli.options import IN_FULL, REPORT, command, fail_on
from crosscheck.cli.output import Reports, say, write_text
from crosscheck.errors import CrosscheckError, InputError, UsageError, count, first_few, quoted, safe_text
from crosscheck.studies.options import MEASURES, TOLERANCE, InputFile, argument, option, several

if TYPE_CHECKING:
    from crosscheck.results import Document

_CASE = 'description = "put your qrels and runs here"\nmeasures = ["nDCG@10", "AP", "RR", "P@5"]\n'
_ACTION = "Write the workflow too, with the action of this repository of crosscheck."


@command(option("--action", _ACTION, "OWNER/REPOSITORY@COMMIT"))
def init(asked: SimpleNamespace) -> int:
    """Write a first case to try commands on, and a GitHub workflow, in the working directory.

    The case is cases/first, with judgements of 20 queries and two runs; the workflow is
    .github/workflows/crosscheck.yml and compares cases/. What exists is left as it is. The action is named
    by its whole commit, so that nobody can change it later.
    """
    action = asked.action
    if action is not None and not re.fullmatch(r"[\w.-]+/[\w.-]+@[0-9a-f]{40}", action, re.ASCII):
        hint = "write OWNER/REPOSITORY@COMMIT, with the 40 hex digits of the commit"
        raise UsageError(f"{quoted(action)} is not a GitHub action with its commit", hint=hint)
    _write("cases/first", {f"cases/first/{name}": text for name, text in _first_case().items()})
    if action is None:
        say("no workflow without --action OWNER/REPOSITORY@COMMIT")
    else:
        workflow = ".github/workflows/crosscheck.yml"
        with open(os.path.join(os.path.dirname(__file__), "workflow.yml"), encoding="utf-8") as template:
            _write(workflow, {workflow: template.read().replace("ACTION", action)})
    say("next: crosscheck cases/")
    return 0


def _first_case() -> dict[str, str]:
    """A small case: graded judgements, a run, and a newer run that is worse."""
    from random import Random

    draw = Random(7).random  # the same numbers in every version of Python
    lines: dict[str, list[str]] = {"qrels": [], "run.txt": [], "run.new.txt": []}
    for query in range(1, 21):
        levels = {f"d{number}": int(draw() ** 2 * 4) for number in range(1, 13)}
        lines["qrels"] += [f"{query} 0 {docno} {level}" for docno, level in levels.items()]
        for name, noise in {"run.txt": 4, "run.new.txt": 40}.items():
            scores = {docno: round(level + noise * draw(), 3) for docno, level in levels.items()}
            ranking = enumerate(sorted(scores, key=scores.__getitem__, reverse=True)[:10], 1)
            lines[name] += [f"{query} Q0 {d} {rank} {scores[d]} {name}" for rank, d in ranking]
    return {name: "\n".join([*text, ""]) for name, text in lines.items()} | {"case.toml": _CASE}


def _write(place: str, files: dict[str, str]) -> None:
    """Write the files, or none of them if the path ``place`` exists already."""
    if os.path.lexists(place):
        say(f"{place} exists and is left as it is")
        return
    for path, text in files.items():
        write_text(path, text, typed=False)
        say(f"wrote {path}")


@command(several("saved", "SAVED.json..."), REPORT, fail_on("What ends with exit code 1.", "never"), IN_FULL)
def report(asked: SimpleNamespace) -> int:
    """Show saved results again, without running anything.

    SAVED.json is what --report json wrote, of any command. Several documents of `crosscheck run`, such as
    those of the parts of a CI job, are put together.
    """
    from crosscheck.harness import exit_code
    from crosscheck.harness.document import merged
    from crosscheck.report.kinds import kind_of
    from crosscheck.results import Document

    documents = [*map(_loaded, asked.saved)]
    document = documents[0]
    if len(documents) > 1:
        for path, one in zip(asked.saved, documents, strict=True):
            if not isinstance(one, Document):
                problem = f"{quoted(path)} is not a result of crosscheck run, so it cannot be merged"
                raise UsageError(problem, hint="show each of these files on its own")
        document = merged(documents, asked.saved)
    name = kind_of(document).name
    Reports(asked.reports, "crosscheck" if name == "run" else name).write(document, verbose=asked.verbose)
    if asked.fail_on == "never" or not isinstance(document, Document):
        return 0
    return int(exit_code(document, fail_on=asked.fail_on))


def _loaded(path: str) -> Any:
    """A saved document of any command."""
    from crosscheck.formats.source import read_input
    from crosscheck.report.json_report import load

    return load(read_input(path, "JSON"), path=path)


_NEEDS = "saved outputs need both --qrels and --run, to find out why they differ"


def _usage(a: str, b: str) -> str:
    return f"{shlex.join(['crosscheck', 'diff', a, b])} --qrels QRELS --run RUN"


@command(
    *(argument("a"), argument("b")),
    option("--qrels", "Judgements that both were computed from.", InputFile("qrels")),
    option("--run", "Run that both were computed from.", InputFile("run")),
    MEASURES,
    option("--tolerance", "Absolute tolerance.  [default: 1e-9]", TOLERANCE),
    *(REPORT, IN_FULL),
)
def diff(asked: SimpleNamespace) -> int:
    """Compare saved output B with saved output A, query by query, and find the causes.

    A and B hold what `trec_eval -q`, `ir_measures -q` or `crosscheck evaluate -q` printed, in any of its
    forms but the table, another table whose first line names its columns, such as query,AP,P@10, or JSON
    {query: {measure: value}}. Qrels and run are needed to recompute the measures under other conventions.

    Without --qrels and --run, A and B are two results of `crosscheck run` (--report json): which comparisons
    changed (exit code 1), and which programs have another version?
    """
    from crosscheck.harness import exit_code
    from crosscheck.studies.diff import diff as changes

    a, b, qrels, run = asked.a, asked.b, asked.qrels, asked.run
    targets = Reports(asked.reports or ("text",), "diff" if qrels is None else "crosscheck")
    if qrels is None and run is None and not asked.measures and asked.tolerance is None:
        if all([*map(_is_saved_output, (a, b))]):  # an error also if only the second cannot be read
            problem = f"{quoted(a)} and {quoted(b)} hold values of queries: {_NEEDS}"
            raise UsageError(problem, hint=f"call {_usage(a, b)}")
        changed = changes(_result(a), _result(b), names=(a, b))
        targets.write(changed, verbose=asked.verbose)
        return int(bool(changed.changes))
    if qrels is None or run is None:
        raise UsageError(_NEEDS, hint=f"call {_usage(a, b)}")
    document = _compared(a, b, asked)
    if not document.complete:
        say("interrupted")
    targets.write(document, verbose=asked.verbose)
    return int(exit_code(document))


def _compared(a: str, b: str, asked: SimpleNamespace) -> Document:
    """The comparison of two saved outputs of a run."""
    from crosscheck.backends.recorded import RecordedValues
    from crosscheck.harness import Settings, run_with
    from crosscheck.model import Case

    common, notes = _common(a, b)
    names = [os.path.basename(path) for path in (a, b)]
    short = names[0] != names[1] and all(names)
    paths = {f"recorded:{name if short else path}": path for name, path in zip(names, (a, b), strict=True)}
    reference, candidate = paths
    given = {id: RecordedValues(path, id) for id, path in paths.items()}
    queries = [one.queries for one in given.values()]
    if all(queries) and queries[0].isdisjoint(queries[1]):
        ids = " and ".join(quoted(min(of)) for of in queries)
        problem = f"{quoted(a)} and {quoted(b)} have no query in common: {ids}"
        raise UsageError(problem, hint="write the same ids of queries in both files")
    how: Any = {"measures": asked.measures or common, "tolerance": asked.tolerance, "given": given}
    settings = Settings(backends=(candidate,), reference=reference, **how)
    document = run_with((Case(name="diff", qrels=asked.qrels, runs=(asked.run,)),), settings)
    # Names are short, but a command that makes the comparison again needs the paths.
    saved = [replace(one, engine=f"recorded in {paths[one.id]}") for one in document.backends]
    inputs = [replace(one, notes=one.notes + ([] if asked.measures else notes)) for one in document.inputs]
    return replace(document, backends=saved, inputs=inputs)


def recognised(error: InputError) -> CrosscheckError:
    """The error itself; but if a file with values of measures was given as qrels or run, an error that says
    how two such files are compared."""
    from crosscheck.formats.recorded import TableError

    with contextlib.suppress(CrosscheckError, OSError):
        named = "crosscheck diff" in (error.hint or "")
        try:
            saved = not named and os.path.isfile(error.path) and saved_measures(error.path)[0]
        except TableError as table:
            return table
        if saved:
            said = f"{quoted(error.path)} holds values of measures, and neither qrels nor a run"
            return UsageError(said, hint=f"compare two such files with {_usage(error.path, 'B')}")
    return error


def _is_saved_output(path: str) -> bool:
    """Whether a file holds values of queries, and no result of ``crosscheck run``."""
    from crosscheck.formats.recorded import TableError, read_recorded
    from crosscheck.names import is_measure

    try:
        saved = read_recorded(path, is_measure)
        return bool(saved.values or saved.means)
    except CrosscheckError as error:
        if isinstance(error, TableError) or not os.path.exists(path):
            raise
        return False


def _result(path: str) -> Document:
    """Load a saved result of ``crosscheck run``."""
    from crosscheck.results import Document

    try:
        document = _loaded(path)
    except InputError as error:
        if os.path.isfile(path):
            error.hint = f"compare saved values with {_usage('A', 'B')}"
        raise
    if not isinstance(document, Document):
        problem = f"{quoted(path)} is not a result of crosscheck run"
        raise UsageError(problem, hint="name two files that crosscheck run wrote with --report json")
    return document


def _common(a: str, b: str) -> tuple[tuple[str, ...], list[str]]:
    """The measures that both files have and crosscheck supports, in the order of the first file, and notes on
    measures that only one file has."""
    from crosscheck.names import suggestion

    (first, lacking), (second, more) = saved_measures(a), saved_measures(b)
    if os.path.samefile(a, b):
        raise UsageError("both outputs are the same file", hint=f"name two files: {_usage('A', 'B')}")
    if unknown := dict.fromkeys([*lacking, *more]):
        plain = any(name.lower() in ("score", "value") for name in unknown)
        renamed = "; call the column as its measure, such as nDCG@10"
        meant = renamed if plain else suggestion(next(iter(unknown)))
        named = first_few(map(safe_text, unknown), 8)
        say(f"left out {count(len(unknown), 'measure')} that crosscheck does not have: {named}{meant}")
    common = tuple(name for name in first if name in second)
    if not common:
        raise UsageError(f"{quoted(a)} and {quoted(b)} have no measure in common that crosscheck knows")
    return common, [
        f"not compared, because only {safe_text(path)} has them: {first_few(map(safe_text, alone), 8)}"
        for path, mine, other in ((a, first, second), (b, second, first))
        if (alone := [spelling for name, spelling in mine.items() if name not in other])
    ]


def saved_measures(path: str) -> tuple[dict[str, str], list[str]]:
    """Canonical names of the measures of a saved output, with their spellings; and the names of measures that
    crosscheck does not have."""
    from crosscheck.formats.recorded import read_recorded
    from crosscheck.names import is_measure, parse_measure

    if os.path.exists(path) and not os.path.isfile(path) and not os.path.isdir(path):
        problem = f"{quoted(path)} is not a regular file, but is read twice"
        raise UsageError(problem, hint="save the output in a file first")
    saved = read_recorded(path, is_measure)
    held = {**saved.values, **saved.means}
    names = {str(parse_measure(name)): name for name in held if is_measure(name)}
    return names, [name for name in held if not is_measure(name)]
