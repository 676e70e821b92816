"""``crosscheck evaluate`` and ``crosscheck record``: values of runs, printed or kept in a file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from crosscheck.cli.options import QUIET, command, limits
from crosscheck.cli.output import Progress, say, show
from crosscheck.errors import InputError, count, quoted
from crosscheck.studies.options import CONVENTIONS, COUNT, MEASURES, QRELS, argument, flag, option, several

if TYPE_CHECKING:
    from crosscheck.engine.runs import RunValues


@command(
    *(QRELS, several("runs", "RUN..."), MEASURES, CONVENTIONS),
    flag("-q --per-query", "Values of each query as well."),
    option("--workers", "Processes.  [default: as many as are worth it]", COUNT),
    option("--executor", "Where to work: processes, or dask:ADDRESS of a scheduler.", "NAME", "processes"),
    QUIET,
)
def evaluate(
    qrels: str,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    per_query: bool,
    executor: str,
    quiet: bool,
    **asked: Any,
) -> int:
    """Evaluate runs with crosscheck's own measures.

    Prints one line per run, measure and query (`all` for trec_eval's summary), separated by tabs, with every
    digit: `RUN MEASURE QUERY VALUE`. Runs of any size are streamed. A run that cannot be used, or that has
    results for no judged query, is named on stderr, and the exit code is 2; the others are printed.
    """
    from crosscheck.engine.runs import evaluate_each, open_executor
    from crosscheck.names import DEFAULT_MEASURES

    with Progress(quiet=quiet) as progress, open_executor(executor) as opened:

        def told(done: int, total: int) -> None:
            progress(f"{done} of {total} runs")

        wanted = measures or DEFAULT_MEASURES
        each = evaluate_each(qrels, runs, wanted, **asked, executor=opened, progress=told, notice=say)
        outcomes = list(each)
    lines: list[str] = []
    failed = 0
    for outcome in outcomes:
        if not isinstance(outcome, InputError) and not outcome.shared:
            outcome = _nothing_judged(outcome, qrels)
        if isinstance(outcome, InputError):
            failed += 1
            say(f"error: {outcome}")
        else:
            lines += _lines(outcome, per_query)
    show("".join(lines))
    return 2 if failed else 0


def _nothing_judged(result: RunValues, qrels: str) -> InputError:
    return InputError(
        "the run has results for none of the judged queries",
        path=result.run,
        hint=f"check that it belongs to {qrels} and spells query ids alike (1 and 001 differ)",
    )


def _lines(result: RunValues, per_query: bool) -> list[str]:
    rows = dict[str, Mapping[str, float | None]](result.values()) if per_query else {}
    run = _safe(result.run)
    return [
        f"{run}\t{measure}\t{_safe(query)}\t{'-' if value is None else repr(value)}\n"
        for query, values in [*rows.items(), ("all", result.means())]
        for measure, value in values.items()
    ]


def _safe(id: str) -> str:
    return quoted(id, 4096)[1:-1]


@command(
    *(argument("backend"), QRELS, argument("run"), MEASURES),
    option("-o --output", "JSON if it ends so, else as trec_eval -q prints.", "FILE", "recorded.json"),
    *limits("Seconds that the backend may take.", 600.0),
    QUIET,
)
def record(
    backend: str, qrels: str, run: str, measures: tuple[str, ...], output: str, quiet: bool, **asked: Any
) -> int:
    """Record the values of BACKEND for a run, with every digit.

    As recorded* in a case folder they are compared like any backend from then on: in CI, without what
    computed them. BACKEND is an id (see `crosscheck backends`), such as python:m.py:f. A mean that the
    backend computes itself stands under `all`. The exit code is 3 if there is no value.
    """
    from crosscheck.backends.base import Options
    from crosscheck.engine.conversion import as_qrels, as_run
    from crosscheck.formats.recorded import write_recorded
    from crosscheck.harness.systems import measure_systems
    from crosscheck.measures import needs_of
    from crosscheck.names import DEFAULT_MEASURES, parse_measures

    wanted = parse_measures(measures or DEFAULT_MEASURES)
    judged, systems = as_qrels(qrels, needs=needs_of(wanted)), {"the run": as_run(run)}
    with Progress(quiet=quiet) as progress:
        found = measure_systems(backend, judged, systems, wanted, options=Options(**asked), progress=progress)
    for note in found.notes:
        say(note)
    if not found.values:
        return 3
    held = {str(measure): values["the run"] for measure, values in found.values.items()}
    means = {measure: values.mean for measure, values in held.items() if values.mean is not None}
    write_recorded(output, {measure: values.values for measure, values in held.items()}, means)
    say(f"recorded {count(len(held), 'measure')} in {quoted(output)}")
    return 0
