"""Evaluation of several systems on the same judgements by one backend."""

import math
from collections.abc import Callable, Mapping, Sequence

from msgspec import Struct

from crosscheck import backends as registry
from crosscheck.backends.base import Options
from crosscheck.backends.guarded import Guarded
from crosscheck.errors import BackendError, UsageError, quoted
from crosscheck.evaluation.rankings import Rankings
from crosscheck.model import Measure, MeasureValues, Qrels, Run
from crosscheck.rankings.pairing import JudgedPool, notes_of, nothing_judged
from crosscheck.shown import tell


class MeasuredSystems(Struct, frozen=True):
    """The values of several systems, computed by one backend.

    Attributes:
        engine: the software that computes its numbers.
        values: measure -> system -> values. Measures that the backend lacks or fails on are left out.
        inputs: notes about the inputs.
        notes: sentences about measures and systems that have no values.
    """

    engine: str
    values: dict[Measure, dict[str, MeasureValues]]
    inputs: list[str]
    notes: tuple[str, ...]

    def counted(self) -> dict[str, int | None]:
        """Measure -> number of queries with a value; None if this number differs between systems."""
        sizes = {str(m): {len(of.values) for of in systems.values()} for m, systems in self.values.items()}
        return {name: min(counts) if len(counts) == 1 else None for name, counts in sizes.items()}


def measure_systems(
    backend: str,
    qrels: Qrels,
    systems: Mapping[str, Run],
    measures: Sequence[Measure],
    *,
    options: Options | None = None,
    progress: Callable[[str], None] = tell,
) -> MeasuredSystems:
    """Compute every measure for every system.

    Args:
        backend: id of a backend, such as ``native:gain=exponential``.
        qrels: the judgements.
        systems: name -> run; each must have results for at least one judged query.
        measures: the measures to compute.
        options: settings that some backends need; None for the defaults.
        progress: called with a message before each system.

    Raises:
        InputError: a run has results for no judged query.
        UsageError: there is no such backend, or it cannot be used here, or it has the values of one run only.
    """
    pool = JudgedPool(qrels)
    rankings = {name: Rankings(run, pool) for name, run in systems.items()}
    inputs = notes_of(*(joined.pairing for joined in rankings.values()))
    for name, run in systems.items():
        if not rankings[name].pairing.topics:
            raise nothing_judged(run, qrels)
    made = registry.make(backend, options)
    if made.of_one_run and len(systems) > 1:
        hint = "name a backend that computes the values of every run"
        raise UsageError(f"{backend} has the values of one run, and there are {len(systems)}", hint=hint)
    with Guarded(made, options) as guard:
        description = guard.describe()
        if not description.available:
            raise UsageError(f"{backend} cannot be used here: {description.reason}")
        supported = [measure for measure in measures if guard.supports(measure)]
        notes = [f"{guard.lacks(m)}: the measure is left out." for m in measures if m not in supported]
        values: dict[Measure, dict[str, MeasureValues]] = {measure: {} for measure in supported}
        for name, joined in rankings.items():
            progress(f"{backend}: {name}")
            for measure, answer in guard.evaluate_rankings(joined, supported).items():
                if isinstance(answer, BackendError):
                    notes.append(f"{backend} computed no {measure} of {quoted(name)}: {answer}")
                elif not any(map(math.isfinite, answer.values.values())):
                    notes.append(f"{backend} computed no {measure} of {quoted(name)}: no query has a number")
                else:
                    values[measure][name] = answer
    valued = {measure: of_systems for measure, of_systems in values.items() if of_systems}
    return MeasuredSystems(description.engine, valued, inputs, tuple(notes))
