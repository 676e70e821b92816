"""Calls of candidates on fresh inputs, before a diagnosis may be proved."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import NamedTuple, TypeAlias

from msgspec import Struct, field
from msgspec.structs import replace

from crosscheck.axes.ids import IDS
from crosscheck.backends.guarded import Guarded
from crosscheck.errors import BackendError
from crosscheck.evaluation.rankings import Rankings
from crosscheck.evaluation.recomputer import Recomputer
from crosscheck.explain.answers import Diagnosed
from crosscheck.explain.fresh import held_against, predicted
from crosscheck.harness.case_run import CaseRun
from crosscheck.inputs.kindred import Kindred, kindred
from crosscheck.model import Measure, MeasureValues, Qrels, Run
from crosscheck.rankings.memo import Memo
from crosscheck.results import FreshInputs

__all__ = ["Answer", "FreshInputsOfCase"]

#: The answer of a backend for one measure: values, or its failure.
Answer: TypeAlias = MeasureValues | BackendError
Ask: TypeAlias = Callable[[Qrels, Run, Sequence[Measure]], Mapping[Measure, Answer]]


class _Asked(NamedTuple):
    inputs: Kindred
    rankings: Rankings
    answers: Mapping[Measure, Answer]


class FreshInputsOfCase(Struct, frozen=True):
    """The candidates of one case that can be called on fresh inputs.

    A candidate is called once, for the first run with a diagnosis that would be proved, and for all measures
    on which it differs there. For other runs it is called again only if a measure or the conventions are new.

    Attributes:
        asks: id of a candidate -> the function that calls it.
    """

    asks: Mapping[str, Ask]
    _kept: Memo = field(default_factory=Memo)

    @classmethod
    def of(cls, guards: Mapping[str, Guarded]) -> FreshInputsOfCase:
        """The candidates that compute their values. Saved numbers are left out, and so are native measures,
        which would only repeat the prediction."""
        return cls({id: g.evaluate for id, g in guards.items() if g.independent})

    def tried(
        self,
        diagnosed: Diagnosed,
        situation: Recomputer,
        candidate: str,
        case_run: CaseRun,
        differing: Callable[[], Mapping[Measure, Collection[bytes]]],
    ) -> Diagnosed:
        """The diagnosis after a test on fresh inputs, if it would be proved and the candidate can be called.

        Args:
            situation: the measure under the reference's conventions.
            differing: the measures on which the candidate differs on this run, with the differing queries.
        """
        diagnosis, measure = diagnosed.diagnosis, situation.measure
        if diagnosis.strength != "proved" or candidate not in self.asks:
            return diagnosed
        conventions = situation.base.with_changes(**diagnosis.conventions)

        def ask() -> _Asked:
            queries = differing()
            differs = set().union(*queries.values())
            inputs = kindred(
                case_run.judged.pairing.run,
                case_run.qrels,
                differs,
                ids=conventions[IDS],
                rows=lambda topics: case_run.judged.of_topics(topics).pairing.run,
            )
            answers = self.asks[candidate](inputs.qrels, inputs.run, list(queries))
            return _Asked(inputs, Rankings(inputs.run, inputs.qrels), answers)

        def compare() -> FreshInputs:
            inputs, rankings, answers = self._kept.once((candidate, case_run.name), ask)
            return predicted(rankings, inputs.inputs, measure, conventions, answers[measure])

        found = self._kept.once((candidate, measure, conventions), compare)
        return replace(diagnosed, diagnosis=held_against(diagnosis, found))
