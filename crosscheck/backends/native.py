"""crosscheck's own measures as a backend, under any conventions: ``native``, ``native:trec_eval-10``."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from crosscheck.axes.ties import WITHOUT_ORDER
from crosscheck.backends.base import BackendFactory, Description
from crosscheck.conventions import Conventions
from crosscheck.conventions import conventions as parse_conventions
from crosscheck.evaluation.evaluate import evaluate
from crosscheck.evaluation.parameters import with_measure_parameters
from crosscheck.evaluation.rankings import Rankings
from crosscheck.measures.tie_rules import refusal
from crosscheck.model import Measure, MeasureValues, Qrels, Run

__all__ = ["FACTORY", "Native", "native_values"]


class Native:
    """The measures of this package. Runs in this process, because it cannot crash or hang."""

    isolated = False
    takes_rankings = True
    repeatable = True

    def __init__(self, spec: str | None) -> None:
        self.id = "native" if spec is None else f"native:{spec}"
        self.conventions: Conventions | None = parse_conventions(spec or "trec_eval-9.0.8")
        self.exact = self.conventions == Conventions()
        self._engine = f"crosscheck, conventions {spec or 'trec_eval-9.0.8'}"

    def describe(self) -> Description:
        from crosscheck import __version__

        return Description(id=self.id, version=__version__, engine=self._engine, available=True)

    def supports(self, measure: Measure) -> bool:
        """False for a measure without a value under the tie rule of the conventions."""
        assert self.conventions is not None
        if self.conventions.plain("ties") not in WITHOUT_ORDER:
            return True
        return refusal(measure, with_measure_parameters(self.conventions, measure)) is None

    def evaluate(self, qrels: Qrels, run: Run, measures: Sequence[Measure]) -> dict[Measure, MeasureValues]:
        return self.evaluate_rankings(Rankings(run, qrels), measures)

    def evaluate_rankings(
        self, rankings: Rankings, measures: Sequence[Measure]
    ) -> dict[Measure, MeasureValues]:
        """As :meth:`evaluate`, for a run already joined with its qrels."""
        assert self.conventions is not None
        return {m: native_values(rankings, m, self.conventions, self._engine) for m in measures}


def native_values(
    rankings: Rankings, measure: Measure, conventions: Conventions, engine: str
) -> MeasureValues:
    """The values of one measure in the form that backends return."""
    result = evaluate(rankings, measure, conventions)
    all_topics = rankings.pairing.all_topics
    present = np.flatnonzero(result.present)
    values = dict(
        zip([all_topics[i] for i in present.tolist()], result.values[present].tolist(), strict=True)
    )
    return MeasureValues(values, result.mean, engine)


FACTORY = BackendFactory(
    name="native",
    make=lambda spec, options: Native(spec),
    usage="native[:PROFILE][,AXIS=VALUE...]",
    summary="crosscheck's own measures under the conventions of a profile (default trec_eval-9.0.8)",
    default=True,
    in_cases=True,
)
