"""Candidates asked once more, about fresh inputs, before anything that was found of them is called proved."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple, TypeAlias

from crosscheck.backends.isolation import Guarded
from crosscheck.backends.native import Native
from crosscheck.backends.recorded import RecordedValues
from crosscheck.diagnosis.fresh import held_against, predicted
from crosscheck.diagnosis.wording import Diagnosed
from crosscheck.errors import BackendError
from crosscheck.evaluation.rankings import Rankings
from crosscheck.evaluation.recomputer import Recomputer
from crosscheck.harness.case_run import CaseRun
from crosscheck.model import Measure, MeasureValues, Qrels, Run
from crosscheck.probes.kindred import Kindred, kindred
from crosscheck.rankings.memo import Memo
from crosscheck.results import FreshInputs

__all__ = ["Answer", "FreshInputsOfCase"]

#: What a backend said of one measure: values, or how it failed.
Answer: TypeAlias = MeasureValues | BackendError
Ask: TypeAlias = Callable[[Qrels, Run, Sequence[Measure]], Mapping[Measure, Answer]]


class _Asked(NamedTuple):
    inputs: Kindred
    rankings: Rankings
    answers: Mapping[Measure, Answer]


@dataclass(frozen=True, slots=True)
class FreshInputsOfCase:
    """The candidates of one case that can be asked.

    Each is asked in one call, on the first run where something would be proved of it, for all measures on
    which it differs there; on other runs again only where other conventions were found.

    Attributes:
        asks: candidate -> how.
    """

    asks: Mapping[str, Ask]
    _kept: Memo = field(default_factory=Memo)

    @classmethod
    def of(cls, guards: Mapping[str, Guarded]) -> FreshInputsOfCase:
        """Those that compute. Saved numbers do not, and the code that predicts would only repeat itself."""
        kinds = (Native, RecordedValues)
        return cls({id: g.evaluate for id, g in guards.items() if not isinstance(g.backend, kinds)})

    def tried(
        self,
        diagnosed: Diagnosed,
        situation: Recomputer,
        candidate: str,
        case_run: CaseRun,
        differing: Callable[[], Mapping[Measure, Collection[bytes]]],
    ) -> Diagnosed:
        """A diagnosis, held against fresh inputs where it would be proved and the candidate can be asked.

        Args:
            situation: the measure seen from the reference's conventions.
            differing: the measures on which the candidate differs on this run, and the queries of each.
        """
        diagnosis, measure = diagnosed.diagnosis, situation.measure
        if diagnosis.strength != "proved" or candidate not in self.asks:
            return diagnosed
        conventions = situation.base.with_changes(**diagnosis.conventions)

        def ask() -> _Asked:
            queries = differing()
            inputs = kindred(case_run.run, case_run.qrels, set().union(*queries.values()))
            answers = self.asks[candidate](inputs.qrels, inputs.run, list(queries))
            return _Asked(inputs, Rankings(inputs.run, inputs.qrels), answers)

        def compare() -> FreshInputs:
            inputs, rankings, answers = self._kept.once((candidate, case_run.name), ask)
            return predicted(rankings, inputs.inputs, measure, conventions, answers[measure])

        found = self._kept.once((candidate, measure, conventions), compare)
        return replace(diagnosed, diagnosis=held_against(diagnosis, found))
