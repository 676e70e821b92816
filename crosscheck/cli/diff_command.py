"""``crosscheck diff``: compare two saved outputs, or two results of crosscheck."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TYPE_CHECKING

import click
from msgspec.structs import replace

from crosscheck.cli import options
from crosscheck.cli.options import TOLERANCE
from crosscheck.errors import InputError, UnknownMeasure, UsageError, quoted

if TYPE_CHECKING:
    from crosscheck.results import Document

__all__ = ["command"]

_USAGE = "crosscheck diff A B --qrels Q --run R"


@click.command("diff")
@click.argument("a")
@click.argument("b")
@click.option("--qrels", metavar="FILE", help="Judgements that both were computed from.")
@click.option("--run", "run_path", metavar="FILE", help="Run that both were computed from.")
@options.measures
@click.option("--tolerance", type=TOLERANCE, help="Absolute tolerance.  [default: 1e-9]")
@options.report
@click.option("--verbose", is_flag=True, help="Show everything in full.")
def command(
    a: str,
    b: str,
    qrels: str | None,
    run_path: str | None,
    measures: tuple[str, ...],
    tolerance: float | None,
    reports: tuple[str, ...],
    verbose: bool,
) -> int:
    """Compare saved output B with saved output A, query by query, and find the causes.

    A and B hold what `trec_eval -q` printed, or JSON {query: {measure: value}}. Qrels and run are
    needed to recompute the measures under other conventions.

    Without --qrels and --run, A and B are two results of `crosscheck run` (--report json): which comparisons
    changed (exit code 1), and which programs have another version?
    """
    from crosscheck.backends.recorded import RecordedValues
    from crosscheck.cli.output import say
    from crosscheck.cli.reports import parse_targets, write_reports
    from crosscheck.harness import Settings, exit_code, run_with
    from crosscheck.model import Case
    from crosscheck.studies import compare_results

    parse_targets(reports, "diff" if qrels is None else "crosscheck")  # Check them before the run.
    if qrels is None and run_path is None and not measures and tolerance is None:
        changed = compare_results(_result(a), _result(b), names=(a, b))
        write_reports(changed, reports or ("text",), verbose=verbose)
        return int(bool(changed.changes))
    if qrels is None or run_path is None:
        raise UsageError("saved outputs need both --qrels and --run", hint=_USAGE)
    common, notes = _common(a, b)
    case = Case(name="diff", qrels=qrels, runs=(run_path,))
    names = [os.path.basename(path) for path in (a, b)]
    short = names[0] != names[1] and all(names)
    paths = {f"recorded:{name if short else path}": path for name, path in zip(names, (a, b), strict=True)}
    reference, candidate = paths
    settings = Settings(
        measures=measures or common,
        backends=(candidate,),
        reference=reference,
        tolerance=tolerance,
        given={id: RecordedValues(path, id) for id, path in paths.items()},
    )
    document = run_with((case,), settings)
    # Names are short, but a command that makes the comparison again needs the paths.
    saved = [replace(one, engine=f"recorded in {paths[one.id]}") for one in document.backends]
    document = replace(document, backends=saved)
    if not measures:
        inputs = [replace(about, notes=[*about.notes, *notes]) for about in document.inputs]
        document = replace(document, inputs=inputs)
    if not document.complete:
        say("interrupted")
    write_reports(document, reports or ("text",), verbose=verbose)
    return int(exit_code(document, required=settings.backends))


def _result(path: str) -> Document:
    """Load a saved result of ``crosscheck run``."""
    from crosscheck.formats.source import read_input
    from crosscheck.report.json_report import load
    from crosscheck.results import Document

    try:
        document = load(read_input(path, "JSON"), path=path)
    except InputError as error:
        error.hint = error.hint or f"for other outputs: {_USAGE}"
        raise
    if not isinstance(document, Document):
        raise UsageError(f"{quoted(path)} is not of crosscheck run", hint="only its results can be compared")
    return document


def _common(a: str, b: str) -> tuple[tuple[str, ...], list[str]]:
    """The measures that both files have and crosscheck supports, in the order of the first, and notes on
    measures of one file only."""
    from crosscheck.cli.output import say

    unknown: dict[str, None] = {}
    first, second = _measures(a, unknown), _measures(b, unknown)
    if os.path.samefile(a, b):
        raise UsageError("both outputs are the same file", hint=_USAGE)
    if unknown:
        say(f"left out {len(unknown)} measures that crosscheck does not have: {_listed(unknown)}")
    common = tuple(name for name in first if name in second)
    if not common:
        raise UsageError("the two outputs have no measure in common that crosscheck knows")
    return common, [
        f"not compared, because only {quoted(path)[1:-1]} has them: {_listed(mine[name] for name in alone)}"
        for path, mine, other in ((a, first, second), (b, second, first))
        if (alone := [name for name in mine if name not in other])
    ]


def _listed(names: Iterable[str]) -> str:
    shown = [quoted(name)[1:-1] for name in names]
    return ", ".join(shown[:8]) + ", ..." * (len(shown) > 8)


def _measures(path: str, unknown: dict[str, None]) -> dict[str, str]:
    """Canonical names of the measures of a saved output, with their spellings; unknown names are added to
    ``unknown``."""
    from crosscheck.formats.recorded import read_recorded
    from crosscheck.names import parse_measure

    if os.path.exists(path) and not os.path.isfile(path) and not os.path.isdir(path):
        raise UsageError(
            f"{quoted(path)} is not a regular file", hint="save the output first: it is read twice"
        )
    saved = read_recorded(path)
    names: dict[str, str] = {}
    for name in {**saved.values, **saved.means}:
        try:
            names[str(parse_measure(name))] = name
        except UnknownMeasure:
            unknown[name] = None
    return names
