"""``crosscheck diff``: compare two saved outputs."""

from __future__ import annotations

import click

from crosscheck.errors import UnknownMeasure, UsageError

__all__ = ["command"]


@click.command("diff")
@click.argument("a")
@click.argument("b")
@click.option("--qrels", required=True, metavar="FILE", help="Judgements that both were computed from.")
@click.option("--run", "run_path", required=True, metavar="FILE", help="Run that both were computed from.")
@click.option("-m", "--measures", multiple=True, metavar="MEASURE", help="Measure, repeatable; or a,b,c.")
@click.option("--tolerance", type=click.FloatRange(min=0), help="Absolute tolerance.  [default: 1e-9]")
@click.option("--report", "reports", multiple=True, metavar="FORMAT[=PATH]", help="As for crosscheck run.")
@click.option("--verbose", is_flag=True, help="Show everything in full.")
def command(
    a: str,
    b: str,
    qrels: str,
    run_path: str,
    measures: tuple[str, ...],
    tolerance: float | None,
    reports: tuple[str, ...],
    verbose: bool,
) -> int:
    """Compare saved output B with saved output A, query by query, and prove the causes.

    A and B hold what `trec_eval -q` printed, or JSON {query: {measure: value}}. Qrels and run are
    needed to recompute the measures under other conventions.
    """
    from crosscheck.cli.output import write_reports
    from crosscheck.harness import Settings, exit_code, run_with
    from crosscheck.model import Case

    case = Case(name="diff", qrels=qrels, runs=(run_path,))
    settings = Settings(
        measures=measures or _common(a, b),
        backends=(f"recorded:{b}",),
        reference=f"recorded:{a}",
        tolerance=tolerance,
    )
    document = run_with((case,), settings)
    write_reports(document, reports or ("text",), verbose=verbose)
    return int(exit_code(document, required=settings.backends))


def _common(a: str, b: str) -> tuple[str, ...]:
    """The measures that both files hold and crosscheck knows, in the order of the first."""
    from crosscheck.formats.recorded import read_recorded
    from crosscheck.names import parse_measure

    if a == b:
        raise UsageError("both outputs are the same file", hint="crosscheck diff A B --qrels Q --run R")
    known: list[list[str]] = []
    unknown: set[str] = set()
    for path in (a, b):
        names: dict[str, None] = {}
        for name in read_recorded(path).values:
            try:
                names[str(parse_measure(name))] = None
            except UnknownMeasure:
                unknown.add(name)
        known.append(list(names))
    if unknown:
        listed = ", ".join(sorted(unknown)[:8]) + (", ..." if len(unknown) > 8 else "")
        click.echo(f"crosscheck: left out {len(unknown)} measures that crosscheck does not have: {listed}", err=True)
    common = tuple(name for name in known[0] if name in known[1])
    if not common:
        raise UsageError("the two outputs have no measure in common that crosscheck knows")
    return common
