"""One audit in progress, from the first answer of the metric to the record of the results."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from msgspec.structs import replace

from crosscheck.audit_records import Accepted, Audit, Counterexample, Precision, Recognised
from crosscheck.auditing.arbitrary_ties import searched_without_ties
from crosscheck.auditing.audited_metric import AuditedMetric
from crosscheck.auditing.axes import Axis, has_level
from crosscheck.auditing.behaviour import behaviour, behaviour_of_reference, behaviour_probes
from crosscheck.auditing.calls import Call
from crosscheck.auditing.checking import Asked, Checked, ask, check, holds, upheld
from crosscheck.auditing.confirmation import confirm_on, record_of
from crosscheck.auditing.counterexamples import Found, Hunt
from crosscheck.auditing.coverage import Asking, Coverage
from crosscheck.auditing.differences import UNEXPLAINED, Differences, differences
from crosscheck.auditing.duplicates import DuplicateHandling, duplicate_handling
from crosscheck.auditing.elimination import Elimination
from crosscheck.auditing.examples import examples
from crosscheck.auditing.fingerprint import fingerprint, in_practice
from crosscheck.auditing.hypothesis_ranking import fewest_changes, nearest_profile
from crosscheck.auditing.property_audit import as_findings, properties_of, shown_by
from crosscheck.auditing.recognition import recognised
from crosscheck.auditing.reproducers import accepted, counterexample
from crosscheck.auditing.searching import Searched, searched
from crosscheck.auditing.strength import doubts_about, earned, fitting, second_look
from crosscheck.axes.duplicates import DUPLICATES, Duplicates
from crosscheck.axes.ideal import IDEAL, Ideal
from crosscheck.axes.ties import TIES
from crosscheck.conventions import Conventions
from crosscheck.errors import count
from crosscheck.hypotheses.predictions import TOLERANCES, Predictions
from crosscheck.measures import family
from crosscheck.model import MeasureValues
from crosscheck.names import parse_measure
from crosscheck.probes.fresh import highest_level
from crosscheck.probes.special import ABOVE_ALL, TOP_LEVEL
from crosscheck.results import Alternative, Strength

__all__ = ["Session"]

#: Number of calls with another cutoff.
_SAME_ON = 5


@dataclass
class Session:
    """One audit in progress."""

    subject: AuditedMetric
    base: Conventions
    reference: str
    seed: int
    fixtures: Sequence[str] | None
    seconds: float
    call: Call | None = None
    tried: Sequence[str] = ()
    #: The search of conventions, None before it has ended.
    search: Elimination | None = None

    def uncallable(self, message: str, call: Call | None) -> Audit:
        return Audit(
            target=self.subject.id,
            measure=str(self.subject.measure),
            call=str(call or ""),
            reference=self.reference,
            verdict="uncallable",
            causes=[],
            conventions={},
            alternatives=[],
            experiments=0,
            nearest_profile=None,
            behaviour={},
            counterexamples=[],
            seed=self.seed,
            message=message,
        )

    @property
    def _settled(self) -> frozenset[str]:
        return self.call.settled if self.call is not None else frozenset()

    def audited(self, first: MeasureValues) -> Audit:
        """The whole audit of a metric that can be called."""
        values, means = bool(first.values), first.mean is not None
        ties_open = values and TIES.read_by(family(self.subject.measure.family))
        ties_open &= TIES.name not in self._settled
        done = self._searched(ties_open=ties_open, values=values, means=means)
        search, axes, tolerance = done
        self.search = search
        properties = properties_of(self.subject, self.call, first, self.base, self.seed)
        fresh = Asking(self.subject, self.call, first, self.seed, self.seconds)
        asked = fresh.first_set()
        asked += ask(self.subject, [*behaviour_probes(self.call), *shown_by(properties)])
        likeliest = self._likeliest(done, asked)
        found = likeliest[0]
        repeats = None
        if DUPLICATES.name not in self._settled:
            repeats = duplicate_handling(self.subject, found, tolerance, values=values, seed=self.seed)
            # The reference has no value for inputs it refuses, so a metric cannot deviate there.
            if repeats.values and self._takes_repeats:
                found = repeats.added_to(found)
        whole = found if repeats is None else repeats.added_to(found)
        coverage = Coverage(0, [], [], [])
        if found == self.base and not search.unexplained:
            coverage = fresh.until_covered(self.base, tolerance)
            asked += coverage.asked
        checked = check(self.subject, self._fair(asked, found), found, tolerance)
        confirmed = self._confirmed(whole, tolerance)
        hunt = Hunt(
            self.subject,
            self.base,
            likeliest[0],
            search.predictions,
            self.seed,
            tolerance=checked.tolerance,
            other_cutoffs=self.call is None or "k" in self.call.words,
            values=values,
            means=means,
        )
        every = [checked, *(of_case for _, of_case in confirmed or ())]
        tolerance = max(of.tolerance for of in every)
        strange = differences(
            self.subject,
            search,
            found,
            every,
            hunt,
            repeats if self._takes_repeats else None,
            ties_open=ties_open,
            seed=self.seed,
        )
        if strange.tied:  # A rule that some inputs contradict is none.
            found, whole = (each.having(TIES, self.base[TIES]) for each in (found, whole))
            likeliest, axes = [found], [axis for axis in axes if axis.name != TIES.name]
        labels = list(
            dict.fromkeys([TIES.label] * bool(strange.tied) + self._labels(axes, found) + strange.labels)
        )
        strength, doubt, rivals = self._strength(done, likeliest, found, asked, repeats, strange, labels)
        known = None
        # Values that are all a little too low, or too high, are those of no formula.
        if not strange.tied and checked.tolerance >= done.tolerance:
            # A formula that needs fewer changes than what is only consistent says more.
            fewer = len(found.changes_from(self.base)) - 2 if rivals or doubt else -1
            most = 2 if UNEXPLAINED in labels else fewer
            known = recognised(search, axes, self._fair(asked, self.base), self._settled, most)
        if known is not None and self._ignores_cutoff(known, asked):
            known = replace(known, whatever_k=True)
        fixed = self._settled | {TIES.name} if strange.tied else self._settled
        visible = list(dict.fromkeys((*search.considered, *found.changes_from(self.base))))
        visible = [name for name in visible if name not in fixed]
        visible += repeats.visible if repeats else ()
        return Audit(
            target=self.subject.id,
            measure=str(self.subject.measure),
            call=str(self.call or ""),
            reference=self.reference,
            verdict="deviates" if labels else "agrees",
            causes=labels,
            conventions=found.changes_from(self.base),
            strength=strength,
            doubt=doubt,
            rivals=rivals,
            alternatives=[
                Alternative(self._labels(axes, other), other.changes_from(self.base))
                for other in likeliest[1:]
            ],
            experiments=len(search.experiments) + (repeats.experiments if repeats else 0),
            nearest_profile=None
            if UNEXPLAINED in labels
            else nearest_profile(whole, visible, search.alike(found)),
            behaviour=behaviour(self.subject, self.call, bounded=self._bounded(search.predictions)),
            behaviour_of_reference=behaviour_of_reference(self.subject, self.call, self.base),
            counterexamples=examples(hunt, axes, self.base, found, strange, self._shown),
            seed=self.seed,
            fingerprint=fingerprint(
                search, axes, likeliest, self._settled, repeats, explained=UNEXPLAINED not in labels
            ),
            practice=in_practice(axes, found, self.base),
            confirmation=None if confirmed is None else record_of(confirmed),
            fresh_inputs=checked.inputs,
            fresh_inputs_met=checked.met + len(checked.differs) * bool(strange.tied),
            kinds_caught=0 if labels else coverage.caught,
            kinds_missed=[] if labels else coverage.missed,
            kinds_without_effect=[] if labels else coverage.without_effect,
            tolerance=max(tolerance, _of_decimals(first.decimals)),
            precision=_precision(tolerance, first.decimals),
            notes=[*[strange.orders.words] * bool(strange.tied), *self._notes(search, checked)],
            accepts=[] if repeats is None or self._takes_repeats else self._accepted(repeats),
            properties=as_findings(properties, self.subject, self.call),
            recognised=known,
        )

    def _searched(self, *, ties_open: bool, values: bool, means: bool) -> Searched:
        """The experiments; on inputs without ties where these explain more."""
        done = searched(self.subject, self.base, self._settled, seed=self.seed, values=values, means=means)
        if done.search.contradictions and ties_open:
            other = searched_without_ties(
                self.subject, self.base, self._settled, done, seed=self.seed, means=means
            )
            return other or done
        return done

    def _likeliest(self, done: Searched, asked: Sequence[Asked]) -> list[Conventions]:
        """The sets of conventions that explain experiments and fresh inputs; the first one is reported."""
        search, axes, tolerance = done
        likeliest = fewest_changes(search.possible, self.base, axes)
        if not search.unexplained:
            likeliest = fewest_changes([*likeliest, *search.equals(likeliest)], self.base, axes)
        if len(likeliest) > 1:  # realistic inputs may separate sets that no experiment does
            likeliest = [c for c in likeliest if self._hold(asked, c, tolerance)] or likeliest
            likeliest = fitting(search, likeliest, self._fair(asked, likeliest[0])) or likeliest
        likeliest = earned(search, likeliest, self._fair(asked, likeliest[0]))
        found = search.supported(likeliest[0])
        if search.unexplained:
            for name in found.changes_from(self.base) if search.contradictions else ():
                if len({c.plain(name) for c in likeliest}) > 1:  # others explain as much without it
                    found = found.as_in(self.base, name)
            found = upheld(self._fair(asked, found), found, self.base, tolerance)
        elif not self._hold(asked, found, tolerance):
            better = second_look(search, axes, found, self._fair(asked, found))
            if not better:
                if not has_level(found, ABOVE_ALL):
                    return [found]
                search.withdraw()  # it stood for levels none of which it is
                return [self.base]
            others = fitting(search, search.equals(better, as_asked=True), self._fair(asked, better[0]))
            others = [c for c in others if self._hold(asked, c, tolerance)]
            return fewest_changes([*better, *others], self.base, axes)
        return likeliest if found == likeliest[0] else [found]

    def _strength(
        self,
        done: Searched,
        likeliest: Sequence[Conventions],
        found: Conventions,
        asked: Sequence[Asked],
        repeats: DuplicateHandling | None,
        strange: Differences,
        labels: Sequence[str],
    ) -> tuple[Strength | None, str, list[str]]:
        """The strength of the labels, the reason why they are not proved, and the rival formulas."""
        if strange.tied:
            return "consistent", strange.orders.words, []
        if strange.labels:
            return ("per-query" if found != self.base else "none"), "", []
        if not labels:
            return None, "", []
        doubt, rivals = "", list[str]()
        if likeliest[0] != self.base:
            doubt, rivals = doubts_about(done.search, done.axes, likeliest, self._fair(asked, found))
        elif repeats is not None and len(repeats.values) > 1:
            doubt = "several ways to treat documents that occur twice would do"
        return ("consistent" if doubt else "proved"), doubt, rivals

    def _fair(self, asked: Sequence[Asked], found: Conventions) -> list[Asked]:
        """The inputs on which conventions determine the metric's values: all of them, unless the metric knows
        one highest level only."""
        constant = self._knows_one_top_level(found)
        return [one for one in asked if not constant or highest_level(one.probe) == TOP_LEVEL]

    def _hold(self, asked: Sequence[Asked], found: Conventions, tolerance: float) -> bool:
        """Whether conventions predict the metric's answers on fresh inputs."""
        return holds(self._fair(asked, found), found, tolerance)

    def _knows_one_top_level(self, found: Conventions) -> bool:
        """Whether the highest level of the qrels matters and is not passed to the metric.

        Then it is a constant of the metric, and only inputs with the level of the experiments can be
        predicted.
        """
        given = self.call is None or not self.call.of_one or "max_grade" in self.call.words
        return found[IDEAL] is Ideal.MAX_GRADE and not given

    def _confirmed(self, found: Conventions, tolerance: float) -> list[tuple[str, Checked]] | None:
        return None if self.fixtures is None else confirm_on(self.subject, self.fixtures, found, tolerance)

    def _ignores_cutoff(self, known: Recognised, asked: Sequence[Asked]) -> bool:
        """Whether it is a measure with another cutoff, and its values stay the same when it is asked for yet
        another one."""
        about, cutoff = self.subject.measure, self.subject.measure.cutoff
        if not cutoff or known.measure is None or parse_measure(known.measure).cutoff == cutoff:
            return False
        other = replace(about, cutoff=1 if cutoff > 1 else 2)
        some = [one for one in asked if isinstance(one.answer, MeasureValues)][:_SAME_ON]
        again = [self.subject.answer(one.probe.qrels, one.probe.run, other) for one in some]
        return all(a == one.answer for a, one in zip(again, some, strict=True))

    @property
    def _takes_repeats(self) -> bool:
        return self.base[DUPLICATES] is not Duplicates.ERROR

    def _accepted(self, repeats: DuplicateHandling) -> list[Accepted]:
        if repeats.example is None:
            return []
        probe, seen = repeats.example
        return [accepted(probe, seen, self.subject.measure, repeats.values, self.subject.id, self.call)]

    def _labels(self, axes: Sequence[Axis], conventions: Conventions) -> list[str]:
        changed = conventions.changes_from(self.base)
        return [axis.cause.label for axis in axes if axis.name in changed]

    def _bounded(self, predictions: Predictions) -> bool:
        """Whether the reference's values lie in [0, 1] on every probe."""
        row = predictions.row(self.base)
        known = row.values[row.present & ~np.isnan(row.values)]
        return bool(((known >= 0) & (known <= 1 + 1e-9)).all())

    def _shown(self, example: Found, cause: str, explanation: str, note: str) -> Counterexample:
        return counterexample(example, cause, explanation, self.subject.id, self.call, self.reference, note)

    def _notes(self, search: Elimination, checked: Checked) -> list[str]:
        notes = list(self.tried)
        if self._knows_one_top_level(search.possible[0]):
            notes.append(f"tried with a highest level of {TOP_LEVEL} only, which is not passed to it")
        if checked.withheld:
            probe, said = checked.withheld[0]
            inputs = count(len(checked.withheld), "fresh input")
            notes.append(f"no value on {inputs} out of the ordinary ({probe.about}), such as: {said}")
        failed = [e for e in search.experiments if e.seen.error is not None]
        if failed:
            about = ", ".join(dict.fromkeys(e.probe.about for e in failed))
            said = str(failed[0].seen.error).splitlines()[0]
            notes.append(f"it failed on {count(len(failed), 'experiment')} ({about}), such as with: {said}")
        if any(e.seen.value is not None and math.isnan(e.seen.value) for e in search.experiments):
            notes.append("it returned NaN on some ordinary inputs")
        return notes


def _of_decimals(decimals: int | None) -> float:
    """The tolerance of printed decimals, 0.0 for full precision."""
    return 0.0 if decimals is None else 0.5 * 10.0**-decimals


def _precision(tolerance: float, decimals: int | None) -> Precision:
    if _of_decimals(decimals) > tolerance:
        return "printed"
    return "double" if tolerance == min(TOLERANCES) else "single"
