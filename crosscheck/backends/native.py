"""crosscheck's own measures as a backend, under any conventions: ``native``, ``native:trec_eval-10``."""

from collections.abc import Sequence

import numpy as np

from crosscheck import __version__
from crosscheck.axes.ties import WITHOUT_ORDER
from crosscheck.backends.base import Backend, BackendFactory, Description
from crosscheck.conventions import Conventions
from crosscheck.conventions import conventions as parse_conventions
from crosscheck.errors import UsageError
from crosscheck.evaluation.formula import with_measure_parameters
from crosscheck.evaluation.rankings import Rankings
from crosscheck.evaluation.summarise import evaluate
from crosscheck.measures.tied import refusal
from crosscheck.model import Measure, MeasureValues, Qrels, Run
from crosscheck.names import conventions_for


class Native(Backend):
    """crosscheck's own measures. They run in this process, because they cannot crash or hang.

    Args:
        spec: the part of the id after the colon, None if there is no colon.
    """

    isolated = False
    independent = False
    takes_rankings = True
    repeatable = True

    def __init__(self, spec: str | None) -> None:
        self._spec = spec
        self._engine = f"crosscheck, conventions {self.conventions}"
        self.exact = parse_conventions(self.conventions) == Conventions()

    @property
    def id(self) -> str:
        return "native" if self._spec is None else f"native:{self._spec}"

    @property
    def conventions(self) -> str:
        return self._spec or "trec_eval-9.0.8"

    def describe(self) -> Description:
        return self.description(version=__version__, engine=self._engine)

    def supports(self, measure: Measure) -> bool:
        return self.lacks(measure) is None

    def lacks(self, measure: Measure) -> str | None:
        """Why the measure cannot be computed under the conventions; None if it can."""
        try:
            spec = conventions_for(self.conventions, measure)
        except UsageError as error:
            return f"{error.message}; {error.hint}"
        if spec.plain("ties") not in WITHOUT_ORDER:
            return None
        return refusal(measure, with_measure_parameters(spec, measure))

    def evaluate(self, qrels: Qrels, run: Run, measures: Sequence[Measure]) -> dict[Measure, MeasureValues]:
        return self.evaluate_rankings(Rankings(run, qrels), measures)

    def evaluate_rankings(
        self, rankings: Rankings, measures: Sequence[Measure]
    ) -> dict[Measure, MeasureValues]:
        """Compute the requested measures for a run that is already joined with its qrels."""
        of = self.conventions
        return {m: native_values(rankings, m, conventions_for(of, m), self._engine) for m in measures}


def native_values(rankings: Rankings, measure: Measure, spec: Conventions, engine: str) -> MeasureValues:
    """The values of one measure in the form that backends return."""
    result = evaluate(rankings, measure, spec)
    present = np.flatnonzero(result.present)
    topics = (rankings.pairing.all_topics[i] for i in present.tolist())
    return MeasureValues(dict(zip(topics, result.values[present].tolist(), strict=True)), result.mean, engine)


FACTORY = BackendFactory(
    usage="native[:PROFILE][,AXIS=VALUE...]",
    summary="crosscheck's own measures under the conventions of a profile (default trec_eval-9.0.8)",
    make=lambda spec, options: Native(spec),
    default=True,
    in_cases=True,
)
