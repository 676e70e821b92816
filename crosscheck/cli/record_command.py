"""``crosscheck record``: freeze the values of a backend in a file."""

from __future__ import annotations

import click

from crosscheck.cli import options
from crosscheck.errors import quoted

__all__ = ["command"]


@click.command("record")
@click.argument("backend")
@click.argument("qrels")
@click.argument("run")
@options.measures
@click.option(
    "-o",
    "--output",
    default="recorded.json",
    show_default=True,
    metavar="FILE",
    help="JSON if it ends so, else as trec_eval -q prints.",
)
@options.timeout("Seconds that the backend may take.", 600.0)
@options.memory_limit
@options.trec_eval_bin
@options.quiet
def command(
    backend: str,
    qrels: str,
    run: str,
    measures: tuple[str, ...],
    output: str,
    timeout: float,
    memory_limit: int | None,
    trec_eval_bin: str,
    quiet: bool,
) -> int:
    """Record the values of BACKEND for a run, with every digit.

    As recorded* in a case folder they are compared like any backend from then on: in CI, without what
    computed them. BACKEND is an id (see `crosscheck backends`), such as python:m.py:f. A mean that the
    backend computes itself stands under `all`. The exit code is 3 if there is no value.
    """
    from crosscheck.backends.base import Options
    from crosscheck.cli.output import say
    from crosscheck.cli.progress import Progress
    from crosscheck.engine.conversion import as_qrels, as_run
    from crosscheck.formats.recorded import write_recorded
    from crosscheck.harness.systems import measure_systems
    from crosscheck.measures import needs_of
    from crosscheck.names import DEFAULT_MEASURES, parse_measures

    wanted = parse_measures(measures or DEFAULT_MEASURES)
    asked = Options(trec_eval_bin=trec_eval_bin, timeout=timeout, memory=memory_limit)
    with Progress(quiet=quiet) as progress:
        found = measure_systems(
            backend,
            as_qrels(qrels, needs=needs_of(wanted)),
            {"the run": as_run(run)},
            wanted,
            options=asked,
            progress=progress,
        )
    for note in found.notes:
        say(note)
    if not found.values:
        return 3
    held = {str(measure): values["the run"] for measure, values in found.values.items()}
    means = {measure: values.mean for measure, values in held.items() if values.mean is not None}
    write_recorded(output, {measure: values.values for measure, values in held.items()}, means)
    noun = "measure" if len(held) == 1 else "measures"
    say(f"recorded {len(held):,} {noun} in {quoted(output)}")
    return 0
