"""``crosscheck evaluate``: values of many runs against one qrels."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from crosscheck.cli import options

if TYPE_CHECKING:
    from crosscheck.engine.runs import RunValues

__all__ = ["command"]


@click.command("evaluate")
@click.argument("qrels", metavar="QRELS")
@click.argument("runs", nargs=-1, required=True, metavar="RUN...")
@options.measures
@options.conventions
@click.option("-q", "--per-query", is_flag=True, help="Values of each query as well.")
@click.option("--workers", type=click.IntRange(min=1), help="Processes.  [default: as many as are worth it]")
@click.option(
    "--executor",
    default="processes",
    show_default=True,
    metavar="NAME",
    help="Where to work: processes, or dask:ADDRESS of a scheduler.",
)
@options.quiet
def command(
    qrels: str,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    conventions: str,
    per_query: bool,
    workers: int | None,
    executor: str,
    quiet: bool,
) -> int:
    """Evaluate runs with crosscheck's own measures.

    Prints one line per run, measure and query (`all` for trec_eval's summary), separated by tabs, with every
    digit: `RUN MEASURE QUERY VALUE`. Runs of any size are streamed. A run that cannot be used, or that has
    results for no judged query, is named on stderr, and the exit code is 2; the others are printed.
    """
    from crosscheck.cli.output import say, show
    from crosscheck.cli.progress import Progress
    from crosscheck.engine.executors import open_executor
    from crosscheck.engine.runs import evaluate_each
    from crosscheck.errors import InputError
    from crosscheck.names import DEFAULT_MEASURES

    with Progress(quiet=quiet) as progress, open_executor(executor) as opened:
        outcomes = list(
            evaluate_each(
                qrels,
                runs,
                measures or DEFAULT_MEASURES,
                conventions=conventions,
                executor=opened,
                workers=workers,
                progress=lambda done, total: progress(f"{done} of {total} runs"),
                notice=say,
            )
        )
    good: list[RunValues] = []
    for outcome in outcomes:
        if isinstance(outcome, InputError):
            say(f"error: {outcome}")
        elif not outcome.shared:
            say(f"error: {_nothing_judged(outcome, qrels)}")
        else:
            good.append(outcome)
    show("".join(f"{line}\n" for result in good for line in _lines(result, per_query)))
    return 0 if len(good) == len(runs) else 2


def _nothing_judged(result: RunValues, qrels: str) -> Exception:
    from crosscheck.errors import InputError

    return InputError(
        "the run has results for none of the judged queries",
        path=result.run,
        hint=f"check that it belongs to {qrels} and spells query ids alike (1 and 001 differ)",
    )


def _lines(result: RunValues, per_query: bool) -> list[str]:
    from crosscheck.errors import quoted

    def line(measure: str, query: str, value: float | None) -> str:
        return f"{run}\t{measure}\t{query}\t{'-' if value is None else repr(value)}"

    run = quoted(result.run, 4096)[1:-1]
    lines = []
    if per_query:
        for query, values in result.values().items():
            safe = quoted(query, 4096)[1:-1]
            lines += [line(measure, safe, value) for measure, value in values.items()]
    return lines + [line(measure, "all", mean) for measure, mean in result.means().items()]
