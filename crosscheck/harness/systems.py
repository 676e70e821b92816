"""Several systems on the same judgements, measured by one backend."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from msgspec import Struct

from crosscheck import backends as registry
from crosscheck.backends.base import Options
from crosscheck.backends.guarded import guarded
from crosscheck.errors import BackendError, UsageError, quoted
from crosscheck.evaluation.rankings import Rankings
from crosscheck.model import Measure, MeasureValues, Qrels, Run
from crosscheck.rankings.pairing import JudgedPool, notes_of, nothing_judged


class MeasuredSystems(Struct, frozen=True, kw_only=True):
    """The values of several systems, computed by one backend.

    Attributes:
        backend: id of the backend; engine: the software that computes its numbers.
        values: measure -> system -> values; without measures that the backend lacks or fails on.
        inputs: notes about the inputs; notes: sentences about measures and systems that have no values.
    """

    backend: str
    engine: str
    values: dict[Measure, dict[str, MeasureValues]]
    inputs: list[str]
    notes: tuple[str, ...]

    def counted(self) -> dict[str, int | None]:
        """Measure -> number of queries with a value, None where it is not the same for all systems."""
        sizes = {str(m): {len(found.values) for found in held.values()} for m, held in self.values.items()}
        return {name: min(found) if len(found) == 1 else None for name, found in sizes.items()}


def measure_systems(
    backend: str,
    qrels: Qrels,
    systems: Mapping[str, Run],
    measures: Sequence[Measure],
    *,
    options: Options | None = None,
    progress: Callable[[str], None] = lambda message: None,
) -> MeasuredSystems:
    """Values of every measure for every system.

    Args:
        backend: id, such as ``native:gain=exponential``.
        systems: name -> run; each must have results for at least one judged query.

    Raises:
        InputError: a run has results for no judged query.
        UsageError: there is no such backend, or it cannot be used here.
    """
    pool = JudgedPool(qrels)
    rankings = {name: Rankings(run, pool) for name, run in systems.items()}
    inputs = notes_of(*(joined.pairing for joined in rankings.values()))
    for name, run in systems.items():
        if not rankings[name].pairing.topics:
            raise nothing_judged(run, qrels)
    options = options or Options()
    values: dict[Measure, dict[str, MeasureValues]] = {}
    notes: list[str] = []
    with guarded(registry.make(backend, options), options) as asked:
        about = asked.describe()
        if not about.available:
            raise UsageError(f"{backend} cannot be used here: {about.reason}")
        known = [measure for measure in measures if asked.supports(measure)]
        unknown = [measure for measure in measures if measure not in known]
        notes += [f"{asked.lacks(measure)}: it is left out." for measure in unknown]
        for name in systems:
            progress(f"{backend}: {name}")
            for measure, answer in asked.evaluate_rankings(rankings[name], known).items():
                if isinstance(answer, BackendError):
                    notes.append(f"{backend} has no {measure} of {quoted(name)}: {answer}")
                else:
                    values.setdefault(measure, {})[name] = answer
    ordered = {measure: values[measure] for measure in known if measure in values}
    return MeasuredSystems(
        backend=backend, engine=about.engine, values=ordered, inputs=inputs, notes=tuple(notes)
    )
