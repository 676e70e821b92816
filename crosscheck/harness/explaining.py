"""The causes of differences between candidates and the reference on one run, with evidence for readers.

Imported only when something differs, because it needs the search for conventions and inputs made for a
metric.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import compress
from typing import TypeAlias

import numpy as np
from msgspec import Struct, field
from msgspec.structs import replace

from crosscheck import results
from crosscheck.axes import axes
from crosscheck.axes.ids import DUPLICATES, IDS, Duplicates
from crosscheck.backends.native import native_values
from crosscheck.backends.outcomes import Answer
from crosscheck.compare import Differences, differ
from crosscheck.conventions import AxisValue, Conventions
from crosscheck.errors import BackendError
from crosscheck.evaluation.rankings import Rankings
from crosscheck.evaluation.recomputer import Recomputer
from crosscheck.explain.diagnose import LEAK, TIES, Diagnosed, diagnose, left_out, without_queries
from crosscheck.explain.doubts import on_synthetic
from crosscheck.explain.evidence import Evidence
from crosscheck.explain.fresh import may_be_raised, predicted, similar_inputs, with_clause, with_fresh_inputs
from crosscheck.explain.search import Account, account, identify, joint_conventions, single_changes
from crosscheck.explain.shown import culprits, query_rankings
from crosscheck.explain.ties import TieRange, range_of
from crosscheck.harness.asking import RunAnswers
from crosscheck.measures import family
from crosscheck.model import Measure, MeasureValues, display
from crosscheck.rankings.pairing import Memo
from crosscheck.results import Diagnosis, number

#: The query ids of each fresh input, the rankings of all of them, and a candidate's answers on them.
_Fresh: TypeAlias = tuple[tuple[tuple[bytes, ...], ...], Rankings, Mapping[Measure, Answer]]


class Explainer(RunAnswers, frozen=True, eq=False, dict=True):
    """Explains the differences between candidates and the reference on one run."""

    _memo: Memo = field(default_factory=Memo)

    def explained(self, measure: Measure, candidate: str, differences: Differences) -> Reasons:
        """Explain the differences of a candidate in a measure, and test the explanation on fresh inputs."""
        call, run = self.call, self.run
        if run.large:  # takes minutes
            step = f"looking for the reason why {candidate} differs in {measure}"
            call.progress(f"{run.case.name}: {run.name}: {step}")
        with call.timings.stage("diagnose"):
            situation, diagnosed = self._diagnosed(measure, candidate, differences)
        if situation is None:
            return Reasons(situation, differences, diagnosed)
        with call.timings.stage("fresh inputs"):
            guard = call.guards.get(candidate)
            if guard is not None and guard.backend.independent:
                # Saved values cannot be called, and crosscheck's own measures would repeat the prediction.
                if not guard.backend.repeatable:
                    diagnosed = self._alternatives_decided(diagnosed, situation, candidate, differences)
                diagnosed = self._on_fresh_inputs(diagnosed, situation, candidate)
        basis = "the causes assume one set of conventions that gives its mean; there may be several"
        note = f"where {self.reference} has no values per query, {basis}"
        return Reasons(situation, differences, diagnosed, [note] if measure in self._summary else [])

    def tool(self, candidate: str, diagnoses: Mapping[str, Diagnosis | None]) -> results.ToolConventions:
        """The conventions that explain several measures of a candidate together.

        Args:
            diagnoses: measure -> why the candidate differs; None if it agrees.
        """
        accounts: dict[str, Account] = {}
        pairs = {str(m): (m, theirs) for m, (_, theirs) in self.pairs(candidate).items()}
        for name, diagnosis in diagnoses.items():
            measure, theirs = pairs[name]
            if (situation := self._situation(measure)) is not None:
                situation = without_queries(situation, self._left_out(candidate))
                judge_mean = diagnosis is None or LEAK not in diagnosis.causes
                evidence = Evidence.of(situation, theirs, judge_mean=judge_mean)
                accounts[name] = evidence, list(filter(None, _explanations(diagnosis)))
        joint = joint_conventions(list(accounts.values()))
        met = [name for name, (evidence, _) in accounts.items() if evidence.holds(evidence.under(joint))]
        own = {name: diagnosis.causes if diagnosis else [] for name, diagnosis in diagnoses.items()}
        causes = [axes()[name].label for name in joint]
        rest = {name: own[name] for name in accounts if name not in met}
        return results.ToolConventions(self.run.case.name, self.run.name, candidate, joint, causes, met, rest)

    def _diagnosed(
        self, measure: Measure, candidate: str, differences: Differences
    ) -> tuple[Recomputer | None, Diagnosed]:
        reference = self.reference
        ours, theirs = self.pairs(candidate)[measure]
        doubt = self._doubt(measure, reference if self.certain(reference, measure) else candidate)
        situation = None if doubt else self._situation(measure)
        if situation is None:
            give = "give the mean" if measure in self._summary else "reproduce the values"
            unknown = f"{results.NOT_REPRODUCED} {give} of the reference {reference} itself"
            why = doubt or f"{unknown}, so the cause of the difference cannot be found."
            diagnosis = results.without_cause(len(differences.topics), why)
            return None, Diagnosed(diagnosis, dict.fromkeys(_topics(differences), diagnosis.causes), {})
        if not theirs.values:
            likely = self._memo.once(("likely", candidate), lambda: self._likely(candidate))
            return situation, diagnose(situation, differences, theirs, likely)
        if measure in self._summary:
            # The reference has only a mean, but its values follow from its conventions.
            ours = native_values(situation.rankings, measure, situation.base, ours.engine)
            by_query = self.differences(measure, candidate, ours, theirs)
            differences = differences if by_query.agree else by_query
        return situation, diagnose(situation, differences, theirs, without=self._left_out(candidate))

    @cached_property
    def _summary(self) -> dict[Measure, MeasureValues]:
        """Measure -> answer of the reference, for measures with a mean but without values per query."""
        own = {m: ours for m, (ours, _) in self.pairs(self.reference).items()}
        return {m: ours for m, ours in own.items() if not ours.values and ours.mean is not None}

    def _situation(self, measure: Measure) -> Recomputer | None:
        """The measure under conventions that reproduce the values of the reference. None if there are no such
        conventions, or if the conventions that the reference certainly follows do not reproduce them."""
        return self._memo.once(("situation", measure), lambda: self._identified(measure))

    def _identified(self, measure: Measure) -> Recomputer | None:
        reference = self.reference
        certain = self.certain(reference, measure)
        if certain is not None:
            return None if self._doubt(measure, reference) else self._under(certain, measure)
        ours = self.values(reference, measure)
        assert ours is not None
        if measure in self._summary:
            starts = {m: self._start(m) for m in self._summary}
            answers = [(starts[m], mean) for m, mean in self._summary.items()]
            sets = self._memo.once("summary", lambda: identify(answers))
            conventions = dict(zip(starts, sets, strict=True))[measure]
        else:
            (conventions,) = identify([(self._start(measure), ours)])
        return None if conventions is None else Recomputer(self.run.judged, measure, conventions)

    def _start(self, measure: Measure) -> Recomputer:
        """The measure under the conventions from which the search for the reference's conventions starts."""
        return self._under(self.call.guards[self.reference].conventions(measure) or Conventions(), measure)

    def _under(self, conventions: Conventions, measure: Measure) -> Recomputer:
        """The measure under conventions. If the run has repeated documents and the conventions make them an
        error, each document has its last score instead."""
        judged = self.run.judged
        if not judged.pairing.run.unique and conventions[DUPLICATES] is Duplicates.ERROR:
            # The backend accepted the run, so its rule for repeated documents is a different one.
            conventions = conventions.with_changes(duplicates=Duplicates.LAST)
        return Recomputer(judged, measure, conventions)

    def _doubt(self, measure: Measure, backend: str) -> str:
        """A sentence on why crosscheck's own measure does not give the values of a backend whose conventions
        are certain. Empty if the values are equal, or if the conventions are not certain."""
        return self._memo.once(("doubt", measure, backend), lambda: self._find_doubt(measure, backend))

    def _find_doubt(self, measure: Measure, backend: str) -> str:
        certain, values = self.certain(backend, measure), self.values(backend, measure)
        if certain is None or values is None:
            return ""
        situation = self._under(certain, measure)
        if Evidence.of(situation, values).holds(situation.base):
            return ""
        if _undefined(situation, certain):
            return f"The behaviour of {backend} is undefined on this input: nothing explains its values."
        self.task.results.broken.append(self._broken(situation, values, backend))
        return f"crosscheck's own {measure} is broken."

    def _broken(self, situation: Recomputer, values: MeasureValues, backend: str) -> results.BrokenMeasure:
        """The record of a measure that does not give the values of a tool. It holds the two means or, if
        these agree, the two values of the query that differs most."""
        own = native_values(situation.rankings, situation.measure, situation.base, "crosscheck")
        differences = differ(own, values, aggregate=situation.family.aggregate)
        name, pair = None, (differences.reference_mean, differences.candidate_mean)
        if differences.mean_match:
            sizes = np.nan_to_num(differences.abs_diff, nan=np.inf)
            query = differences.topics[int(np.argmax(np.where(differences.match, -1.0, sizes)))]
            name, pair = display(query), (own.values.get(query), values.values.get(query))
        place = self.task.case.name, self.run.name, str(situation.measure), backend
        return results.BrokenMeasure(*place, name, *map(results.optional, pair))

    def _left_out(self, candidate: str) -> frozenset[bytes]:
        """The queries for which a candidate has no value in any measure, if no convention explains why."""
        return self._memo.once(("left out", candidate), lambda: self._find_left_out(candidate))

    def _find_left_out(self, candidate: str) -> frozenset[bytes]:
        answers = self.answers[candidate].values()
        valued = frozenset[bytes]().union(*(a.values for a in answers if isinstance(a, MeasureValues)))
        for measure, (ours, theirs) in self.pairs(candidate).items():
            if theirs.values and not family(measure.family).is_sum and not ours.values.keys() <= valued:
                situation = self._situation(measure)
                if situation and (lost := left_out(situation, theirs) - valued):
                    return lost
        return frozenset()

    def _likely(self, candidate: str) -> Mapping[str, AxisValue]:
        """The changed axes that explain the most of the measures for which a candidate has only a mean. Empty
        if it has only a mean for fewer than two measures."""
        pairs = self.pairs(candidate).items()
        means = {m: theirs for m, (_, theirs) in pairs if not theirs.values and theirs.mean is not None}
        summary = [(at, theirs) for m, theirs in means.items() if (at := self._situation(m)) is not None]
        return joint_conventions([account(*one) for one in summary]) if len(summary) > 1 else {}

    def _alternatives_decided(
        self, diagnosed: Diagnosed, situation: Recomputer, candidate: str, differences: Differences
    ) -> Diagnosed:
        """If several sets of conventions, or formulas, explain the values of a user's function, call it on
        fresh inputs, then on synthetic ones, and diagnose again with the answers. Any other diagnosis is
        returned unchanged.

        Packages are not called, because profiles say which conventions they follow.
        """
        diagnosis, measure = diagnosed.diagnosis, situation.measure
        theirs, changes = self.pairs(candidate)[measure][1], _explanations(diagnosis)
        rivals = len(changes) > 1 or diagnosis.rivals
        if diagnosis.strength != "consistent" or not (changes and rivals) or measure in self._summary:
            return diagnosed
        sets, without = [situation.base.with_changes(**axes) for axes in changes], self._left_out(candidate)

        def fresh() -> tuple[Rankings, object]:
            _, rankings, answers = self._fresh(candidate, situation.base)
            return rankings, answers.get(measure)

        def synthetic() -> tuple[Rankings, object]:
            rankings = _decisive(Evidence.of(without_queries(situation, without), theirs), sets)
            qrels, run = rankings.pairing.qrels, rankings.pairing.run
            return rankings, self.call.guards[candidate].evaluate(qrels, run, [measure])[measure]

        beside = list[Evidence]()
        for kind, asked in {"fresh": fresh, "synthetic": synthetic}.items():
            rankings, answer = asked()
            if not (isinstance(answer, MeasureValues) and answer.values and theirs.values):
                break
            view = Recomputer(rankings, measure, situation.base)
            beside.append(Evidence.of(view, answer, judge_mean=kind == "fresh"))
            if not any(map(beside[-1].holds, sets)):
                clause = f"no set of conventions that fits its values also predicts those on {kind} inputs"
                return replace(diagnosed, diagnosis=with_clause(diagnosed.diagnosis, clause))
            diagnosed = diagnose(situation, differences, theirs, without=without, beside=beside)
            if diagnosed.diagnosis.strength != "consistent":
                break
        return diagnosed

    def _on_fresh_inputs(self, diagnosed: Diagnosed, situation: Recomputer, candidate: str) -> Diagnosed:
        """Test a diagnosis, or a recognised formula, of strength ``proved`` on fresh inputs, and return the
        diagnosis with the outcome.

        Any other diagnosis is returned unchanged.
        """
        diagnosis, measure = diagnosed.diagnosis, situation.measure
        if "proved" not in (diagnosis.strength, diagnosis.recognised and diagnosis.recognised.strength):
            return diagnosed
        conventions = diagnosed.formula or situation.base.with_changes(**diagnosis.conventions)

        def compare() -> results.FreshInputs:
            inputs, rankings, answers = self._fresh(candidate, conventions)
            return predicted(Recomputer(rankings, measure, conventions), inputs, answers[measure])

        fresh = self.task.shared.once(("predicted", candidate, measure, conventions), compare)
        return replace(diagnosed, diagnosis=with_fresh_inputs(diagnosis, fresh))

    def _fresh(self, candidate: str, conventions: Conventions) -> _Fresh:
        """Fresh inputs, and the values that a candidate computes on them for all measures that differ.

        The candidate is called at most once per run. Runs of a case whose diagnosis has the same measure and
        conventions as that of an earlier run need no call, because they share its test.
        """
        run, guard = self.run, self.call.guards[candidate]

        def ask() -> _Fresh:
            queries, judged = self._differing(candidate), run.judged
            for raised in dict.fromkeys((may_be_raised(run.qrels), False)):
                inputs = similar_inputs(
                    judged.pairing.run,
                    run.qrels,
                    set().union(*queries.values()),
                    ids=conventions[IDS],
                    rows=lambda topics: judged.of_topics(topics).pairing.run,
                    raised=raised,
                )
                answers = guard.evaluate(inputs.qrels, inputs.run, list(queries))
                # A metric may refuse levels that the case does not have.
                if not any(isinstance(answer, BackendError) for answer in answers.values()):
                    break
            return inputs.inputs, Rankings(inputs.run, inputs.qrels), answers

        return self.task.shared.once(("fresh", candidate, run.name), ask)

    def _differing(self, candidate: str) -> dict[Measure, list[bytes]]:
        """The measures in which a candidate differs -> the queries that differ."""
        differences = {m: self.differences(m, candidate, *pair) for m, pair in self.pairs(candidate).items()}
        return {measure: _topics(one) for measure, one in differences.items() if not one.agree}


def _topics(differences: Differences) -> list[bytes]:
    """The queries that differ."""
    return [differences.topics[i] for i in np.flatnonzero(~differences.match).tolist()]


def _explanations(diagnosis: Diagnosis | None) -> list[dict[str, AxisValue]]:
    """The changed axes of each set of conventions that explains a difference."""
    if diagnosis is None:
        return []
    return [diagnosis.conventions, *(other.conventions for other in diagnosis.alternatives)]


def _undefined(situation: Recomputer, certain: Conventions) -> bool:
    """Whether trec_eval's behaviour on a run is undefined, so that its values cannot show that a measure of
    crosscheck is broken.

    The behaviour is undefined in three cases: a score is NaN; a document occurs twice, which the conventions
    make an error; or the measure counts judged nonrelevant documents, documents are relevant from a level
    above 1 on, and some query has no relevant document.
    """
    numbers = situation.has_all("numbers", lambda run: not np.isnan(run.scores).any())
    twice = not situation.run.unique and certain[DUPLICATES] is Duplicates.ERROR
    unreached = situation.family.nonrelevant and situation.relevance_level > 1
    return not numbers or twice or bool(unreached and situation.empty(situation.base).any())


#: Number of queries per comparison whose documents are listed as evidence, largest differences first.
_WITH_DOCUMENTS = 10
#: The largest numbers of queries whose rankings are shown, and of agreeing queries whose values are shown.
_QUERIES, _AGREEING = 3, 300


class Reasons(Struct, frozen=True, eq=False, dict=True):
    """The differences of one comparison with their reasons, as records of the document.

    Attributes:
        situation: the measure under the reference's conventions; None if these are not known. Then nothing is
            explained: no query has conventions, and the only cause is ``unexplained``.
        notes: sentences for the reader on what the explanation assumes.
    """

    situation: Recomputer | None
    differences: Differences
    diagnosed: Diagnosed
    notes: list[str] = []

    @property
    def _known(self) -> Recomputer:
        assert self.situation is not None
        return self.situation

    @cached_property
    def _places(self) -> dict[bytes, int]:
        return {topic: i for i, topic in enumerate(self._known.topics)}

    @cached_property
    def _most_differing(self) -> list[bytes]:
        """The queries that differ and are explained, largest difference first."""
        size = dict(zip(self.differences.topics, self.differences.abs_diff.tolist(), strict=True))
        explained = [topic for topic in _topics(self.differences) if topic in self.diagnosed.conventions]
        return sorted(explained, key=lambda topic: -np.nan_to_num(size[topic], nan=np.inf))

    def cells(self) -> Iterator[results.Cell]:
        """Yield a cell for each query that differs, in byte order."""
        differences, labels, conventions = self.differences, self.diagnosed.labels, self.diagnosed.conventions
        ranges = range_of(self._known) if TIES in self.diagnosed.diagnosis.causes else None
        if shown := self._most_differing[:_WITH_DOCUMENTS]:
            self._known.rankings.hold(shown)
        sides = differences.reference, differences.candidate
        for i in np.flatnonzero(~differences.match).tolist():
            topic = differences.topics[i]
            both, ulp = bool(differences.mismatch[i]), int(differences.ulp[i])
            ours, theirs = (number(side.values[i]) if side.present[i] else None for side in sides)
            absent: results.CellOutcome = "missing-in-candidate" if theirs is None else "missing-in-reference"
            place = self._places[topic] if topic in shown else None
            yield results.Cell(
                query=display(topic),
                reference_value=ours,
                candidate_value=theirs,
                outcome="mismatch" if both else absent,
                abs_diff=number(differences.abs_diff[i]) if both else None,
                ulp=ulp if ulp >= 0 else None,
                causes=labels[topic],
                documents=[] if place is None else culprits(self._known, place, conventions[topic]),
                ties=_interval(ranges, self._places.get(topic)) if TIES in labels[topic] else None,
            )

    def evidence(self, c: results.Comparison) -> results.Exhibit:
        """The evidence of a comparison that readers can check by hand."""
        ours = self.differences.reference
        agreeing = np.flatnonzero(self.differences.match & ours.present)[:_AGREEING].tolist()
        known, places, of = self._known, self._places, self.diagnosed.conventions
        rankings = (query_rankings(known, places[t], of[t]) for t in self._most_differing[:_QUERIES])
        shown = [one for one in rankings if one is not None]
        same = {display(self.differences.topics[i]): number(ours.values[i]) for i in agreeing}
        return results.Exhibit(*results.identity(c), self._steps(c), shown, same)

    def _steps(self, c: results.Comparison) -> list[results.MeanStep]:
        """The mean after each changed axis of the explanation; empty if the last is not the candidate's."""
        situation, diagnosis = self._known, self.diagnosed.diagnosis
        if c.mean.candidate_value is None or diagnosis.strength not in ("proved", "consistent"):
            return []
        conventions, steps = situation.base, list[results.MeanStep]()
        for axis in axes().values():
            if axis.name in diagnosis.conventions:
                conventions = conventions.with_changes(**{axis.name: diagnosis.conventions[axis.name]})
                mean = situation.evaluated(conventions).mean if situation.possible(conventions) else None
                if mean is None or not np.isfinite(mean):
                    return []
                steps.append(results.MeanStep(axis.label, number(mean)))
        theirs = results.as_float(c.mean.candidate_value)
        reaches = steps and abs(results.as_float(steps[-1].mean) - theirs) <= max(1e-9, c.tolerance)
        return steps if reaches else []


def _decisive(known: Evidence, sets: Sequence[Conventions]) -> Rankings:
    """Synthetic queries on which no axis matters whose value the known values leave open, so that values on
    them depend on the formula and on what is known."""
    view = on_synthetic(known.recomputer.measure, sets[0])
    value, settled = view.evaluated(view.base).values, ~view.nowhere
    for other in single_changes(view):
        if other not in sets and known.holds(other):
            settled &= value == view.evaluated(other).values
    return view.rankings.of_topics(frozenset(compress(view.rankings.pairing.all_topics, settled)))


def _interval(ranges: TieRange | None, query: int | None) -> results.TieInterval | None:
    """The range of values of a query over all orders of its tied documents; None if it is not known."""
    if ranges is None or query is None or not ranges.present[query]:
        return None
    if ranges.worst is None or ranges.best is None:
        return None
    expected = None if ranges.expected is None else number(ranges.expected[query])
    return results.TieInterval(number(ranges.worst[query]), number(ranges.best[query]), expected)
