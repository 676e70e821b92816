"""The comparisons of the result document, made from values: compare, diagnose, check expectations."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial

import numpy as np
from msgspec import Struct, field
from msgspec.structs import replace

from crosscheck.axes.ids import DUPLICATES, Duplicates
from crosscheck.backends.native import native_values
from crosscheck.compare import Differences, coarser, differ, find_expectation, judge
from crosscheck.conventions import AxisValue, Conventions
from crosscheck.errors import BackendError
from crosscheck.evaluation.recomputer import Recomputer
from crosscheck.explain.answers import UNEXPLAINED, Diagnosed
from crosscheck.explain.diagnose import diagnose, identify, left_out, on_the_rest
from crosscheck.explain.evidence import printed_alike
from crosscheck.explain.joint import identify_summary, joint_of_means
from crosscheck.harness.broken import broken_measure, gives, undefined
from crosscheck.harness.case_run import Answer, CaseRun, FreshInputsOfCase
from crosscheck.harness.details import Answered, EvidenceBook, cells_of, tool_conventions
from crosscheck.harness.settings import DEFAULT_TOLERANCE, Timings
from crosscheck.measures import family
from crosscheck.model import Measure, MeasureValues
from crosscheck.results import (
    BrokenMeasure,
    Comparison,
    Diagnosis,
    Mean,
    Number,
    Outcome,
    ToolConventions,
    number,
)


class Recorder(Struct, kw_only=True):
    """Compares every candidate with the reference on one run of one case.

    Attributes:
        reference: id of the reference backend.
        reference_conventions: the conventions of a measure from which the search for the reference's own
            starts, or None.
        certain: the conventions that a backend is certain to follow in a measure, or None.
        lacks: a sentence about a backend, by its id, and a measure that it does not have.
        exact: ids of the backends whose values are trec_eval's to the last bit.
        tolerance: absolute tolerance of the call, or None for the case's own.
        fresh: the candidates that can be asked about fresh inputs.
        informing: ids of the backends whose comparisons only inform.
        notes: sentences about the reference, for every comparison with it.
        evidence: collects the evidence of the comparisons.
        progress: called with a message before each diagnosis on a large run, which takes minutes.
        broken: crosscheck's own measures that do not give the values of a backend whose conventions are
            certain.
    """

    case_run: CaseRun
    reference: str
    reference_conventions: Callable[[Measure], Conventions | None]
    certain: Callable[[str, Measure], Conventions | None]
    exact: frozenset[str]
    tolerance: float | None
    timings: Timings
    fresh: FreshInputsOfCase
    lacks: Callable[[str, Measure], str]
    informing: frozenset[str] = frozenset()
    notes: tuple[str, ...] = ()
    evidence: EvidenceBook = field(default_factory=EvidenceBook)
    progress: Callable[[str], None] = lambda message: None
    broken: list[BrokenMeasure] = []
    _values: Mapping[str, Mapping[Measure, Answer]] = {}
    _theirs: Mapping[str, Mapping[Measure, Answer]] = {}
    _of_means: dict[str, Mapping[str, AxisValue]] = {}
    _without: dict[str, frozenset[bytes]] = {}
    _situations: dict[Measure, Recomputer | None] = {}
    _doubts: dict[tuple[Measure, str], str] = {}
    _answered: dict[str, list[Answered]] = {}
    #: The reference's answers for the measures for which it has a mean but no values per query.
    _summary: dict[Measure, MeasureValues] = {}

    def comparisons(
        self,
        values: Mapping[str, Mapping[Measure, Answer]],
        saved: Mapping[str, Mapping[Measure, MeasureValues]],
        measures: Sequence[Measure],
    ) -> Iterator[Comparison]:
        """One comparison per measure and candidate, in their order.

        Args:
            values: backend id -> measure -> values or failure; a measure is absent where the backend
                does not support it.
            saved: candidate -> measure -> values, for numbers that came with the case. A measure without
                saved numbers is not compared.
        """
        said = values[self.reference]
        self._values = {id: _printed_alike(said, answers) for id, answers in values.items()}
        saved_alike = {id: _printed_alike(said, answers) for id, answers in saved.items()}
        self._theirs = {**self._values, **saved_alike}
        self._summary = {
            measure: ours
            for measure, ours in said.items()
            if isinstance(ours, MeasureValues) and not ours.values and ours.mean is not None
        }
        for measure in measures:
            ours = said.get(measure)
            for candidate, answers in self._values.items():
                if candidate != self.reference:
                    yield self._comparison(measure, candidate, ours, answers.get(measure))
            for candidate, held in saved_alike.items():
                if measure in held:
                    yield self._comparison(measure, candidate, ours, held[measure])

    def tools(self) -> Iterator[ToolConventions]:
        """For each candidate that differs on several measures, their joint conventions. Call after
        :meth:`comparisons`."""
        with self.timings.stage("diagnose"):
            for candidate, answered in self._answered.items():
                found = tool_conventions(
                    self.case_run.case.name,
                    self.case_run.name,
                    candidate,
                    answered,
                    partial(self._compared_situation, candidate),
                )
                if found is not None:
                    yield found

    def _comparison(
        self, measure: Measure, candidate: str, ours: Answer | None, theirs: Answer | None
    ) -> Comparison:
        if ours is None or theirs is None:
            who = self.reference if ours is None else candidate
            return self._without_values(measure, candidate, "unsupported", self.lacks(who, measure))
        if isinstance(ours, BackendError):
            return self._without_values(measure, candidate, "error", f"reference {self.reference}: {ours}")
        if isinstance(theirs, BackendError):
            return self._without_values(measure, candidate, "error", str(theirs))
        with self.timings.stage("compare"):
            differences = self._differences(measure, candidate, ours, theirs)
        diagnosed = None
        if not differences.agree:
            if self.case_run.large:
                name = f"{self.case_run.case.name}: {self.case_run.name}"
                self.progress(f"{name}: looking for the reason why {candidate} differs in {measure}")
            with self.timings.stage("diagnose"):
                diagnosed = self._diagnose(measure, candidate, ours, theirs, differences)
            if (situation := self._situations.get(measure)) is not None:
                with self.timings.stage("fresh inputs"):
                    diagnosed = self.fresh.tried(
                        diagnosed, situation, candidate, self.case_run, lambda: self._differing(candidate)
                    )
        self._answered.setdefault(candidate, []).append(
            Answered(
                measure=measure,
                ours=ours,
                theirs=theirs,
                diagnosis=diagnosed.diagnosis if diagnosed else None,
            )
        )
        outcome: Outcome = "mismatch" if diagnosed else "match"
        both = ~differences.missing
        compared = replace(
            self._judged(measure, candidate, outcome, diagnosed.diagnosis if diagnosed else None),
            queries=len(differences.topics),
            matches=int(differences.match.sum()),
            mismatches=int(differences.mismatch.sum()),
            missing=int(differences.missing.sum()),
            mean=_mean(differences),
            max_abs_diff=number(float(np.nanmax(differences.abs_diff[both]))) if _some(differences) else None,
            max_ulp=int(differences.ulp[both].max()) if both.any() else None,
            cells=cells_of(self._situations.get(measure), differences, diagnosed) if diagnosed else [],
            reference_engine=ours.engine,
            candidate_engine=theirs.engine,
            decimals=coarser(ours.decimals, theirs.decimals),
            reference_decimals=ours.decimals,
            candidate_decimals=theirs.decimals,
            reference_name=ours.name,
            candidate_name=theirs.name,
            notes=[*self.notes, *ours.notes, *theirs.notes, *self._about_summary(measure, diagnosed)],
        )
        if diagnosed:
            self.evidence.add(compared, self._situations.get(measure), differences, diagnosed)
        return compared

    def _differences(
        self, measure: Measure, candidate: str, ours: MeasureValues, theirs: MeasureValues
    ) -> Differences:
        aggregate = family(measure.family).aggregate
        return differ(ours, theirs, tolerance=self._tolerance(candidate), aggregate=aggregate)

    def _differing(self, candidate: str) -> dict[Measure, list[bytes]]:
        """The measures on which a candidate differs, and the queries of each."""
        found: dict[Measure, list[bytes]] = {}
        for measure, theirs in self._values[candidate].items():
            ours = self._values[self.reference].get(measure)
            if isinstance(ours, MeasureValues) and isinstance(theirs, MeasureValues):
                differences = self._differences(measure, candidate, ours, theirs)
                if not differences.agree:
                    found[measure] = [differences.topics[i] for i in np.flatnonzero(~differences.match)]
        return found

    def _about_summary(self, measure: Measure, diagnosed: Diagnosed | None) -> list[str]:
        """A note that only the reference's mean is known, if a diagnosis starts from it; else no note."""
        if diagnosed is None or measure not in self._summary or self._situations.get(measure) is None:
            return []
        known = "differences are explained from conventions that give its mean; others may too"
        return [f"{self.reference} has no values per query: {known}"]

    def _tolerance(self, candidate: str) -> float:
        """The tolerance of the call or else of the case; by default 0 between two exact backends, 1e-9
        otherwise."""
        if self.tolerance is not None:
            return self.tolerance
        if self.case_run.case.tolerance is not None:
            return self.case_run.case.tolerance
        return 0.0 if {candidate, self.reference} <= self.exact else DEFAULT_TOLERANCE

    def _without_values(self, measure: Measure, candidate: str, outcome: Outcome, message: str) -> Comparison:
        return replace(self._judged(measure, candidate, outcome), message=message)

    def _judged(
        self, measure: Measure, candidate: str, outcome: Outcome, diagnosis: Diagnosis | None = None
    ) -> Comparison:
        """An outcome with the verdict of the case's expectations, still without numbers."""
        declared = find_expectation(
            self.case_run.case.expectations, candidate, str(measure), self.case_run.name
        )
        verdict = judge(
            outcome,
            diagnosis.causes if diagnosis else (),
            declared,
            strength=diagnosis.strength if diagnosis else None,
            whole=self.case_run.whole,
        )
        return Comparison(
            case=self.case_run.case.name,
            run=self.case_run.name,
            measure=str(measure),
            candidate=candidate,
            outcome=outcome,
            expected=verdict.expected,
            stale=verdict.stale,
            queries=0,
            matches=0,
            mismatches=0,
            missing=0,
            mean=Mean(None, None, match=False),
            max_abs_diff=None,
            max_ulp=None,
            diagnosis=diagnosis,
            cells=[],
            reference=self.reference,
            reference_engine="",
            candidate_engine="",
            tolerance=self._tolerance(candidate),
            decimals=None,
            message=verdict.message,
            reason=verdict.reason,
            notes=[],
            informs=candidate in self.informing,
        )

    def _situation(self, measure: Measure, ours: MeasureValues) -> Recomputer | None:
        """The measure under conventions that reproduce the reference; None if none do, or if those that the
        reference is certain to follow do not."""
        certain = self.certain(self.reference, measure)
        if measure not in self._situations and certain is not None:
            doubt = self._doubt(measure, self.reference, ours)
            self._situations[measure] = None if doubt else self._under(certain, measure)
        if measure not in self._situations:
            asked = self._summary if measure in self._summary else {measure: ours}
            starts = [self._under(self.reference_conventions(m) or Conventions(), m) for m in asked]
            found = (
                identify_summary(list(zip(starts, asked.values(), strict=True)))
                if asked is self._summary
                else [identify(starts[0], ours)]
            )
            for start, conventions in zip(starts, found, strict=True):
                self._situations[start.measure] = (
                    None if conventions is None else Recomputer(start.rankings, start.measure, conventions)
                )
        return self._situations[measure]

    def _compared_situation(self, candidate: str, measure: Measure, ours: MeasureValues) -> Recomputer | None:
        """:meth:`_situation` on the queries that the candidate does not leave out."""
        situation = self._situation(measure, ours)
        return None if situation is None else on_the_rest(situation, self._left_out(candidate))

    def _doubt(self, measure: Measure, backend: str, values: MeasureValues) -> str:
        """The reason why crosscheck's own measure does not give the values of a backend whose conventions are
        certain; empty if it does, or if they are not certain."""
        certain = self.certain(backend, measure)
        if certain is None:
            return ""
        if (measure, backend) not in self._doubts:
            situation, doubt = self._under(certain, measure), ""
            if not gives(situation, values):
                doubt = f"The behaviour of {backend} is undefined on this input: nothing explains its values."
                if not undefined(situation, certain):
                    place = self.case_run.case.name, self.case_run.name
                    self.broken.append(broken_measure(situation, values, *place, backend))
                    doubt = f"crosscheck's own {measure} is broken."
            self._doubts[measure, backend] = doubt
        return self._doubts[measure, backend]

    def _under(self, conventions: Conventions, measure: Measure) -> Recomputer:
        """The measure under conventions, but for a document that occurs twice where they refuse it."""
        if not self.case_run.judged.pairing.run.unique and conventions[DUPLICATES] is Duplicates.ERROR:
            # The backend accepted the run, so its rule differs.
            conventions = conventions.with_changes(duplicates=Duplicates.LAST)
        return Recomputer(self.case_run.judged, measure, conventions)

    def _diagnose(
        self,
        measure: Measure,
        candidate: str,
        ours: MeasureValues,
        theirs: MeasureValues,
        differences: Differences,
    ) -> Diagnosed:
        doubt = self._doubt(measure, self.reference, ours)
        if self.certain(self.reference, measure) is None:
            doubt = self._doubt(measure, candidate, theirs)
        situation = None if doubt else self._situation(measure, ours)
        if situation is None:
            give = "give the mean" if measure in self._summary else "reproduce the values"
            unknown = f"No known conventions {give} of the reference {self.reference} itself, so the "
            return _unexplained(differences, doubt or unknown + "difference cannot be traced to one.")
        if measure in self._summary and theirs.values:
            # Only the means can be compared, but the reference's conventions say where its queries differ.
            ours = native_values(situation.rankings, measure, situation.base, ours.engine)
            by_query = self._differences(measure, candidate, ours, theirs)
            differences = differences if by_query.agree else by_query
        if not theirs.values:
            return diagnose(situation, differences, theirs, self._likely(candidate))
        return diagnose(situation, differences, theirs, without=self._left_out(candidate))

    def _left_out(self, candidate: str) -> frozenset[bytes]:
        """Queries for which a candidate has no value in any measure, although no convention explains that."""
        if candidate not in self._without:
            answers = self._theirs[candidate].items()
            theirs = {m: a for m, a in answers if isinstance(a, MeasureValues) and a.values}
            found: frozenset[bytes] = frozenset()
            said = frozenset[bytes]().union(*(answer.values for answer in theirs.values()))
            for measure, answer in theirs.items():
                ours = self._values[self.reference].get(measure)
                averaged = not family(measure.family).is_sum
                if averaged and isinstance(ours, MeasureValues) and not ours.values.keys() <= said:
                    situation = self._situation(measure, ours)
                    found = left_out(situation, answer) - said if situation else found
                if found:
                    break
            self._without[candidate] = found
        return self._without[candidate]

    def _likely(self, candidate: str) -> Mapping[str, AxisValue]:
        """The changed axes that explain the most measures for which a candidate gives only a mean; empty if
        there are fewer than two such measures."""
        if candidate not in self._of_means:
            ours = self._values[self.reference]
            summary = [
                (situation, theirs)
                for measure, theirs in self._theirs[candidate].items()
                if isinstance(theirs, MeasureValues) and not theirs.values and theirs.mean is not None
                if isinstance(known := ours.get(measure), MeasureValues)
                if (situation := self._situation(measure, known)) is not None
            ]
            self._of_means[candidate] = joint_of_means(summary) if len(summary) > 1 else {}
        return self._of_means[candidate]


def _printed_alike(ours: Mapping[Measure, Answer], theirs: Mapping[Measure, Answer]) -> dict[Measure, Answer]:
    """A candidate's answers, marked as printed where the reference's were and they have as many decimals."""
    found = dict(theirs)
    for measure, answer in theirs.items():
        known = ours.get(measure)
        if isinstance(answer, MeasureValues) and isinstance(known, MeasureValues):
            found[measure] = printed_alike(answer, known.decimals)
    return found


def _some(differences: Differences) -> bool:
    """Whether any difference is not NaN."""
    return bool((~np.isnan(differences.abs_diff)).any())


def _mean(differences: Differences) -> Mean:
    def value(mean: float | None) -> Number | None:
        return None if mean is None else number(mean)

    return Mean(
        value(differences.reference_mean), value(differences.candidate_mean), match=differences.mean_match
    )


def _unexplained(differences: Differences, why: str) -> Diagnosed:
    """The diagnosis of differences that cannot be explained."""
    differing = [t for t, ok in zip(differences.topics, differences.match.tolist(), strict=True) if not ok]
    diagnosis = Diagnosis(
        strength="none",
        causes=[UNEXPLAINED],
        conventions={},
        reproduced=0,
        of=len(differences.topics),
        alternatives=[],
        explanation=why,
    )
    return Diagnosed(diagnosis, {topic: [UNEXPLAINED] for topic in differing}, {})
