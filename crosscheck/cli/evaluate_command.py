"""``crosscheck evaluate``: values of many runs against one qrels."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from crosscheck.engine.runs import RunValues

__all__ = ["command"]


@click.command("evaluate")
@click.argument("qrels", metavar="QRELS")
@click.argument("runs", nargs=-1, required=True, metavar="RUN...")
@click.option("-m", "--measures", multiple=True, metavar="MEASURE", help="Measure or group, repeatable.")
@click.option(
    "--conventions",
    default="trec_eval-9.0.8",
    show_default=True,
    metavar="NAME",
    help="Profile or axis settings, as `crosscheck profiles` takes them.",
)
@click.option("-q", "--per-query", is_flag=True, help="Values of each query as well.")
@click.option("--workers", type=click.IntRange(min=1), help="Processes.  [default: as many as are worth it]")
@click.option(
    "--executor",
    default="processes",
    show_default=True,
    metavar="NAME",
    help="Where to work: processes, or dask:ADDRESS of a scheduler.",
)
@click.option("--quiet", is_flag=True, help="No progress on stderr.")
def command(
    qrels: str,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    conventions: str,
    per_query: bool,
    workers: int | None,
    executor: str,
    quiet: bool,
) -> None:
    """Evaluate runs with crosscheck's own measures.

    Prints one line per run, measure and query (`all` for trec_eval's summary), separated by tabs, with every
    digit: `RUN MEASURE QUERY VALUE`. Runs of any size are streamed.
    """
    from crosscheck.cli.output import show
    from crosscheck.cli.progress import Progress
    from crosscheck.engine.executors import open_executor
    from crosscheck.engine.runs import evaluate_runs
    from crosscheck.names import DEFAULT_MEASURES

    with Progress(quiet=quiet) as progress, open_executor(executor) as opened:
        results = evaluate_runs(
            qrels,
            runs,
            measures or DEFAULT_MEASURES,
            conventions=conventions,
            executor=opened,
            workers=workers,
            progress=lambda done, total: progress(f"{done} of {total} runs"),
        )
    show("".join(f"{line}\n" for result in results for line in _lines(result, per_query)))


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
