"""Why candidates differ from the reference on one run, and what readers can check by hand.

Imported when something differs: it needs the search for conventions, and inputs made for a metric.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property

import numpy as np
from msgspec import Struct, field
from msgspec.structs import replace

from crosscheck.axes import axes
from crosscheck.axes.ids import DUPLICATES, IDS, Duplicates
from crosscheck.backends.native import native_values
from crosscheck.backends.outcomes import Answer
from crosscheck.compare import Differences, align, differ
from crosscheck.conventions import AxisValue, Conventions
from crosscheck.evaluation.rankings import Rankings
from crosscheck.evaluation.recomputer import Recomputer
from crosscheck.explain import evidence
from crosscheck.explain.answers import LEAK, TIES, UNEXPLAINED, Diagnosed
from crosscheck.explain.diagnose import diagnose, identify, left_out, on_the_rest
from crosscheck.explain.fresh import held_against, predicted, with_clause
from crosscheck.explain.joint import Account, identify_summary, joint_conventions, joint_of_means
from crosscheck.explain.shown import culprits, query_rankings
from crosscheck.explain.ties import TieRange, range_of
from crosscheck.harness.asking import RunAnswers
from crosscheck.inputs.kindred import Kindred, kindred
from crosscheck.measures import family
from crosscheck.model import Measure, MeasureValues, display
from crosscheck.rankings.pairing import Memo
from crosscheck.results import (
    BrokenMeasure,
    Cell,
    CellOutcome,
    Comparison,
    Diagnosis,
    Exhibit,
    FreshInputs,
    MeanStep,
    QueryRankings,
    TieInterval,
    ToolConventions,
    as_float,
    number,
    optional,
)


class Explainer(Struct, frozen=True, eq=False, dict=True):
    """Explains what differs on one run."""

    about: RunAnswers
    _known: Memo = field(default_factory=Memo)

    def explained(self, measure: Measure, candidate: str, found: Differences) -> Reasons:
        """The explanation of the differences of a candidate in a measure, tried on fresh inputs."""
        about = self.about
        call, run = about.call, about.run
        if run.large:  # takes minutes
            why = f"looking for the reason why {candidate} differs in {measure}"
            call.progress(f"{run.case.name}: {run.name}: {why}")
        with call.timings.stage("diagnose"):
            situation, diagnosed = self._diagnosed(measure, candidate, found)
        if situation is None:
            return Reasons(situation, found, diagnosed)
        with call.timings.stage("fresh inputs"):
            diagnosed = self._told_apart(diagnosed, situation, candidate, found)
            diagnosed = self._tried(diagnosed, situation, candidate)
        notes = []
        if measure in self._summary:
            known = "differences are explained from conventions that give its mean; others may too"
            notes = [f"{about.reference} has no values per query: {known}"]
        return Reasons(situation, found, diagnosed, notes)

    def tool(self, candidate: str, diagnoses: Mapping[str, Diagnosis | None]) -> ToolConventions:
        """The joint conventions of all measures of a candidate.

        Args:
            diagnoses: measure -> why the candidate differs, None where it agrees.
        """
        accounts: list[Account] = []
        pairs = {str(m): (m, theirs) for m, (_, theirs) in self.about.pairs(candidate).items()}
        for name, diagnosis in diagnoses.items():
            measure, theirs = pairs[name]
            if (situation := self._situation(measure)) is not None:
                situation = on_the_rest(situation, self._left_out(candidate))
                accounts.append(_account(situation, theirs, diagnosis))
        joint = joint_conventions(accounts)
        own = {name: diagnosis.causes if diagnosis else [] for name, diagnosis in diagnoses.items()}
        return ToolConventions(
            case=self.about.run.case.name,
            run=self.about.run.name,
            candidate=candidate,
            conventions=joint.axes,
            causes=[axes()[name].label for name in joint.axes],
            measures=list(joint.measures),
            rest={measure: own[measure] for measure in joint.rest},
        )

    def _diagnosed(
        self, measure: Measure, candidate: str, found: Differences
    ) -> tuple[Recomputer | None, Diagnosed]:
        about, reference = self.about, self.about.reference
        ours, theirs = about.pairs(candidate)[measure]
        doubt = self._doubt(measure, reference if about.certain(reference, measure) else candidate)
        situation = None if doubt else self._situation(measure)
        if situation is None:
            give = "give the mean" if measure in self._summary else "reproduce the values"
            unknown = f"No known conventions {give} of the reference {reference} itself, so the "
            return None, _unexplained(found, doubt or unknown + "difference cannot be traced to one.")
        if not theirs.values:
            return situation, diagnose(situation, found, theirs, self._likely(candidate))
        if measure in self._summary:
            # Only the means can be compared, but the reference's conventions say where its queries differ.
            ours = native_values(situation.rankings, measure, situation.base, ours.engine)
            by_query = about.differences(measure, candidate, ours, theirs)
            found = found if by_query.agree else by_query
        return situation, diagnose(situation, found, theirs, without=self._left_out(candidate))

    @cached_property
    def _summary(self) -> dict[Measure, MeasureValues]:
        """The reference's answers for the measures for which it has a mean but no values per query."""
        own = {m: ours for m, (ours, _) in self.about.pairs(self.about.reference).items()}
        return {m: ours for m, ours in own.items() if not ours.values and ours.mean is not None}

    def _situation(self, measure: Measure) -> Recomputer | None:
        """The measure under conventions that reproduce the reference; None if none do, or if those that the
        reference is certain to follow do not."""
        return self._known.once(("situation", measure), lambda: self._identified(measure))

    def _identified(self, measure: Measure) -> Recomputer | None:
        reference = self.about.reference
        certain = self.about.certain(reference, measure)
        if certain is not None:
            return None if self._doubt(measure, reference) else self._under(certain, measure)
        ours = self.about.values(reference, measure)
        assert ours is not None
        if measure in self._summary:
            starts = {m: self._start(m) for m in self._summary}
            sets = self._known.once(
                "summary",
                lambda: identify_summary([(starts[m], mean) for m, mean in self._summary.items()]),
            )
            conventions = dict(zip(starts, sets, strict=True))[measure]
        else:
            conventions = identify(self._start(measure), ours)
        return None if conventions is None else Recomputer(self.about.run.judged, measure, conventions)

    def _start(self, measure: Measure) -> Recomputer:
        """The measure under the conventions from which the search for those of the reference starts."""
        known = self.about.call.guards[self.about.reference].conventions(measure)
        return self._under(known or Conventions(), measure)

    def _under(self, conventions: Conventions, measure: Measure) -> Recomputer:
        """The measure under conventions, but for a document that occurs twice where they refuse it."""
        judged = self.about.run.judged
        if not judged.pairing.run.unique and conventions[DUPLICATES] is Duplicates.ERROR:
            # The backend accepted the run, so its rule differs.
            conventions = conventions.with_changes(duplicates=Duplicates.LAST)
        return Recomputer(judged, measure, conventions)

    def _doubt(self, measure: Measure, backend: str) -> str:
        """The reason why crosscheck's own measure does not give the values of a backend whose conventions are
        certain; empty if it does, or if they are not certain."""
        return self._known.once(("doubt", measure, backend), lambda: self._find_doubt(measure, backend))

    def _find_doubt(self, measure: Measure, backend: str) -> str:
        certain, values = self.about.certain(backend, measure), self.about.values(backend, measure)
        if certain is None or values is None:
            return ""
        situation = self._under(certain, measure)
        observed = align(values, situation.topics)
        known = evidence.Evidence(situation, observed, judge_cells=bool(values.values))
        if known.complete(situation.evaluated(situation.base)):
            return ""
        if _undefined(situation, certain):
            return f"The behaviour of {backend} is undefined on this input: nothing explains its values."
        place = self.about.run.case.name, self.about.run.name
        self.about.of.found.broken.append(_broken(situation, values, *place, backend))
        return f"crosscheck's own {measure} is broken."

    def _left_out(self, candidate: str) -> frozenset[bytes]:
        """Queries for which a candidate has no value in any measure, although no convention explains that."""
        return self._known.once(("left out", candidate), lambda: self._find_left_out(candidate))

    def _find_left_out(self, candidate: str) -> frozenset[bytes]:
        answers = self.about.answers[candidate].values()
        valued = frozenset[bytes]().union(*(a.values for a in answers if isinstance(a, MeasureValues)))
        for measure, (ours, theirs) in self.about.pairs(candidate).items():
            if theirs.values and not family(measure.family).is_sum and not ours.values.keys() <= valued:
                situation = self._situation(measure)
                if situation and (lost := left_out(situation, theirs) - valued):
                    return lost
        return frozenset()

    def _likely(self, candidate: str) -> Mapping[str, AxisValue]:
        """The changed axes that explain the most measures for which a candidate gives only a mean; empty if
        there are fewer than two such measures."""
        return self._known.once(("likely", candidate), lambda: self._find_likely(candidate))

    def _find_likely(self, candidate: str) -> Mapping[str, AxisValue]:
        summary = [
            (situation, theirs)
            for measure, (_, theirs) in self.about.pairs(candidate).items()
            if not theirs.values and theirs.mean is not None
            if (situation := self._situation(measure)) is not None
        ]
        return joint_of_means(summary) if len(summary) > 1 else {}

    def _told_apart(
        self, diagnosed: Diagnosed, situation: Recomputer, candidate: str, found: Differences
    ) -> Diagnosed:
        """The diagnosis after fresh inputs, if several sets of conventions explain the values of a function.

        Packages, whose answers to an input never change, are not asked: profiles say what they follow.
        """
        diagnosis, measure = diagnosed.diagnosis, situation.measure
        guard, theirs = self.about.call.guards.get(candidate), self.about.pairs(candidate)[measure][1]
        changes = [diagnosis.conventions, *(other.conventions for other in diagnosis.alternatives)]
        if diagnosis.strength != "consistent" or len(changes) < 2 or measure in self._summary:
            return diagnosed
        if guard is None or not guard.independent or guard.backend.repeatable:
            return diagnosed
        _, rankings, answers = self._fresh(candidate, situation.base)
        answer = answers.get(measure)
        if not isinstance(answer, MeasureValues) or not (answer.values and theirs.values):
            return diagnosed
        asked = Recomputer(rankings, measure, situation.base)
        beside = evidence.Evidence(asked, align(answer, asked.topics))
        if any(beside.holds(situation.base.with_changes(**of)) for of in changes):
            without = self._left_out(candidate)
            return diagnose(situation, found, theirs, without=without, beside=[beside])
        said = "none of the sets of conventions that would do predicts its values on fresh inputs"
        return replace(diagnosed, diagnosis=with_clause(diagnosis, said))

    def _tried(self, diagnosed: Diagnosed, situation: Recomputer, candidate: str) -> Diagnosed:
        """The diagnosis after a test on fresh inputs, if it would be proved and the candidate can be called.

        Saved numbers cannot be, and native measures would only repeat the prediction.
        """
        diagnosis, measure, about = diagnosed.diagnosis, situation.measure, self.about
        guard, known = about.call.guards.get(candidate), about.known
        if diagnosis.strength != "proved" or guard is None or not guard.independent:
            return diagnosed
        conventions = situation.base.with_changes(**diagnosis.conventions)

        def compare() -> FreshInputs:
            inputs, rankings, answers = self._fresh(candidate, conventions)
            return predicted(rankings, inputs.inputs, measure, conventions, answers[measure])

        fresh = known.once(("predicted", candidate, measure, conventions), compare)
        return replace(diagnosed, diagnosis=held_against(diagnosis, fresh))

    def _fresh(
        self, candidate: str, conventions: Conventions
    ) -> tuple[Kindred, Rankings, Mapping[Measure, Answer]]:
        """Fresh inputs, with a candidate's answers to them.

        A candidate is called once per case, for the first run with a diagnosis to test, and for all measures
        on which it differs there. For other runs it is called again only if a measure or the conventions are
        new.
        """
        run, guard = self.about.run, self.about.call.guards[candidate]

        def ask() -> tuple[Kindred, Rankings, Mapping[Measure, Answer]]:
            queries = self._differing(candidate)
            inputs = kindred(
                run.judged.pairing.run,
                run.qrels,
                set().union(*queries.values()),
                ids=conventions[IDS],
                rows=lambda topics: run.judged.of_topics(topics).pairing.run,
            )
            answers = guard.evaluate(inputs.qrels, inputs.run, list(queries))
            return inputs, Rankings(inputs.run, inputs.qrels), answers

        return self.about.known.once(("fresh", candidate, run.name), ask)

    def _differing(self, candidate: str) -> dict[Measure, list[bytes]]:
        """The measures on which a candidate differs, and the queries of each."""
        found = {
            measure: self.about.differences(measure, candidate, *pair)
            for measure, pair in self.about.pairs(candidate).items()
        }
        return {measure: _topics(of) for measure, of in found.items() if not of.agree}


def _topics(differences: Differences) -> list[bytes]:
    """The queries that differ."""
    return [differences.topics[i] for i in np.flatnonzero(~differences.match).tolist()]


def _unexplained(differences: Differences, why: str) -> Diagnosed:
    """The diagnosis of differences that cannot be explained."""
    diagnosis = Diagnosis(
        strength="none",
        causes=[UNEXPLAINED],
        conventions={},
        reproduced=0,
        of=len(differences.topics),
        alternatives=[],
        explanation=why,
    )
    return Diagnosed(diagnosis, {topic: [UNEXPLAINED] for topic in _topics(differences)}, {})


def _account(situation: Recomputer, theirs: MeasureValues, diagnosis: Diagnosis | None) -> Account:
    explanations = []
    if diagnosis is not None:
        explanations = [diagnosis.conventions, *(other.conventions for other in diagnosis.alternatives)]
    known = evidence.Evidence(
        situation,
        align(theirs, situation.topics),
        judge_mean=diagnosis is None or LEAK not in diagnosis.causes,
        judge_cells=bool(theirs.values) or theirs.mean is None,
    )
    return Account(known, [axes for axes in explanations if axes])


def _undefined(situation: Recomputer, certain: Conventions) -> bool:
    """Whether trec_eval's behaviour on a run is undefined, so that its values tell nothing about a measure.

    That is so with scores that are no numbers, with documents that occur twice where the conventions refuse
    them, and for measures that count judged nonrelevant documents if no document of a query is relevant at a
    level above 1.
    """
    numbers = situation.has_all("numbers", lambda run: not np.isnan(run.scores).any())
    twice = not situation.run.unique and certain[DUPLICATES] is Duplicates.ERROR
    unreached = situation.family.nonrelevant and situation.relevance_level > 1
    return not numbers or twice or bool(unreached and situation.empty(situation.base).any())


def _broken(situation: Recomputer, values: MeasureValues, case: str, run: str, backend: str) -> BrokenMeasure:
    """The record of a measure that does not give the values of a tool: the two means, or where these agree
    the query that differs most."""
    own = native_values(situation.rankings, situation.measure, situation.base, "crosscheck")
    found = differ(own, values, aggregate=situation.family.aggregate)
    query, pair = None, (found.reference_mean, found.candidate_mean)
    if found.mean_match:
        worst = int(np.argmax(np.where(found.match, -1.0, np.nan_to_num(found.abs_diff, nan=np.inf))))
        query = found.topics[worst]
        pair = own.values.get(query), values.values.get(query)
    return BrokenMeasure(
        case=case,
        run=run,
        measure=str(situation.measure),
        backend=backend,
        query=None if query is None else display(query),
        own_value=optional(pair[0]),
        backend_value=optional(pair[1]),
    )


#: Number of queries per comparison whose documents are listed as evidence, largest differences first.
_WITH_DOCUMENTS = 10
#: Most queries whose rankings are shown, and most agreeing queries whose values are shown.
_QUERIES, _AGREEING = 3, 300
#: Means further apart than this are not the same.
_SAME = 1e-9


class Reasons(Struct, frozen=True, eq=False, dict=True):
    """The differences of one comparison with their reasons, as records of the document.

    Attributes:
        situation: the measure under the reference's conventions, None if these are not known.
        notes: what readers must know about the explanation.
    """

    situation: Recomputer | None
    differences: Differences
    diagnosed: Diagnosed
    notes: list[str] = []

    @cached_property
    def _places(self) -> dict[bytes, int]:
        return {topic: i for i, topic in enumerate(self.situation.topics)} if self.situation else {}

    @cached_property
    def _most_differing(self) -> list[bytes]:
        """The explained queries, those with the largest difference first."""
        size = dict(zip(self.differences.topics, self.differences.abs_diff.tolist(), strict=True))
        explained = [topic for topic in _topics(self.differences) if topic in self.diagnosed.conventions]
        return sorted(explained, key=lambda topic: -np.nan_to_num(size[topic], nan=np.inf))

    def cells(self) -> list[Cell]:
        """One cell per query that differs, in byte order."""
        situation, found, labels = self.situation, self.differences, self.diagnosed.labels
        ranges = range_of(situation) if situation and TIES in self.diagnosed.diagnosis.causes else None
        shown = self._most_differing[:_WITH_DOCUMENTS] if situation else []
        if situation is not None:
            situation.rankings.hold(shown)
        cells: list[Cell] = []
        for i in np.flatnonzero(~found.match).tolist():
            topic = found.topics[i]
            ours, theirs = (
                number(float(side.values[i])) if side.present[i] else None
                for side in (found.reference, found.candidate)
            )
            absent: CellOutcome = "missing-in-candidate" if theirs is None else "missing-in-reference"
            documents = []
            if situation is not None and topic in shown:
                documents = culprits(situation, self._places[topic], self.diagnosed.conventions[topic])
            cells.append(
                Cell(
                    query=display(topic),
                    reference_value=ours,
                    candidate_value=theirs,
                    outcome="mismatch" if found.mismatch[i] else absent,
                    abs_diff=number(float(found.abs_diff[i])) if found.mismatch[i] else None,
                    ulp=int(found.ulp[i]) if found.ulp[i] >= 0 else None,
                    causes=labels[topic],
                    documents=documents,
                    ties=_interval(ranges, self._places.get(topic)) if TIES in labels[topic] else None,
                )
            )
        return cells

    def evidence(self, c: Comparison) -> Exhibit:
        """The part of a comparison that readers can check by hand."""
        ours = self.differences.reference
        agreeing = np.flatnonzero(self.differences.match & ours.present)[:_AGREEING].tolist()
        return Exhibit(
            case=c.case,
            run=c.run,
            measure=c.measure,
            candidate=c.candidate,
            steps=self._steps(c),
            rankings=list(self._rankings()),
            agreeing={display(self.differences.topics[i]): number(float(ours.values[i])) for i in agreeing},
        )

    def _steps(self, c: Comparison) -> list[MeanStep]:
        """The mean after each change of the explanation, if the last of these means is the candidate's."""
        situation, diagnosis = self.situation, self.diagnosed.diagnosis
        whole = diagnosis.strength in ("proved", "consistent")
        if situation is None or c.mean.candidate_value is None or not whole:
            return []
        conventions, made = situation.base, list[MeanStep]()
        for axis in axes().values():
            if axis.name in diagnosis.conventions:
                conventions = conventions.with_changes(**{axis.name: diagnosis.conventions[axis.name]})
                mean = situation.evaluated(conventions).mean if situation.possible(conventions) else None
                if mean is None or not np.isfinite(mean):
                    return []
                made.append(MeanStep(axis.label, number(mean)))
        theirs = as_float(c.mean.candidate_value)
        return made if made and abs(as_float(made[-1].mean) - theirs) <= max(_SAME, c.tolerance) else []

    def _rankings(self) -> Iterator[QueryRankings]:
        """The rankings of the explained queries that differ most."""
        for topic in self._most_differing[:_QUERIES]:
            if self.situation is not None:
                conventions = self.diagnosed.conventions[topic]
                shown = query_rankings(self.situation, self._places[topic], conventions)
                yield from [] if shown is None else [shown]


def _interval(ranges: TieRange | None, query: int | None) -> TieInterval | None:
    """The range of values of a query over orders of its tied documents; None if it is not known."""
    if ranges is None or query is None or not ranges.present[query]:
        return None
    if ranges.worst is None or ranges.best is None:
        return None
    expected = None if ranges.expected is None else number(float(ranges.expected[query]))
    return TieInterval(number(float(ranges.worst[query])), number(float(ranges.best[query])), expected)
