"""The audit of a metric: find how to call it, take the steps of the audit in turn, and record the results."""

import ctypes
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import chain, islice, pairwise
from time import process_time
from typing import Any, TypeAlias

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from crosscheck.audit_records import Audit, Counterexample, Precision, Verdict, Where
from crosscheck.auditing import checking, counterexamples, explaining
from crosscheck.auditing.checking import Checked, DuplicateHandling
from crosscheck.auditing.counterexamples import REFUSES, UNEXPLAINED, Hunt
from crosscheck.auditing.explaining import Explained
from crosscheck.auditing.finding import prepare
from crosscheck.auditing.fingerprint import fingerprint, in_practice, nearest_profile, seen_axes
from crosscheck.auditing.kinds_of_change import Coverage, fault_of, parts_passed, until_covered
from crosscheck.auditing.metric import (
    Asked,
    Asking,
    AuditedMetric,
    Predictions,
    audited_metric,
    evidence_of,
    pieces_of,
)
from crosscheck.auditing.property_audit import as_findings, properties_of, shown_by
from crosscheck.auditing.reproducers import accepted, counterexample
from crosscheck.auditing.where import Places
from crosscheck.auditing.words import NO_CUTOFF, WITHOUT_NEGATIVES
from crosscheck.axes import likeliest
from crosscheck.axes.gains import IDEAL, OF_HIGHEST
from crosscheck.axes.ids import DUPLICATES, IDS, Duplicates, Ids
from crosscheck.axes.ties import SCORE_PRECISION, TIES, ScorePrecision
from crosscheck.backends.base import Backend, Options
from crosscheck.backends.outcomes import OverdueError
from crosscheck.conventions import Conventions
from crosscheck.errors import BackendError, TimeIsUp, count
from crosscheck.evaluation.formula import with_measure_parameters
from crosscheck.explain.doubts import doubts
from crosscheck.explain.evidence import TOLERANCES, equal_numbers, in_single_precision, of_decimals
from crosscheck.explain.labels import CHANGES_INPUT, CROSS_QUERY_LEAK, NOT_REPEATABLE, causes
from crosscheck.explain.recognising import factor, recognised
from crosscheck.explain.shown import ideal_lists
from crosscheck.explain.space import SearchLimit, in_order
from crosscheck.inputs import realistic
from crosscheck.inputs.battery import TOP_LEVEL, battery, more_queries
from crosscheck.inputs.laws import Tried
from crosscheck.inputs.queries import Probe, reordered, where_ids_meet
from crosscheck.inputs.realistic import ended_lists, fresh_probes, highest_level, long_probes, ordinary
from crosscheck.measures import family
from crosscheck.model import FloatArray
from crosscheck.names import conventions_for, parse_measure
from crosscheck.results import Alternative, IdealRank, Recognised, Strength, optional
from crosscheck.shown import tell

#: An input of the battery with at most this many queries is also shrunk as a whole to a counterexample; fresh
#: queries are shrunk if their lists are shorter than this.
_SEVERAL, _SHORT = 9, 99
#: Share of the time budget for calls of the metric on the battery and on fresh inputs.
_UNTIL_FRESH = 0.6
#: An input on which the order of ties varies between processes is asked so often in one.
_TIMES = 4
#: Maximum number of realistic inputs for which one object is used.
_ON_ONE = 100
#: Share of the time budget that a last search may take after the budget is used up.
_AFTERWARDS = 0.05
#: Number of calls with a different cutoff, to see whether the metric ignores the cutoff.
_SAME_ON = 5
#: Maximum number of rounds of inputs that distinguish sets of conventions; maximum number of queries per
#: round.
_ROUNDS, _TELLING = 3, 40
#: Number of queries with wrong values that are asked alone if queries influence each other: of those that
#: another query is known to change, and of others.
_MOST_ALONE = 20
#: Maximum number of further changes of conventions with which wrong values are located; minimum number of
#: values that such a change must explain.
_MOST_PLACED, _FEWEST_GIVEN = 4, 5

#: An answer with a different value than before, reduced to this query, and the value before; None for none.
_Change: TypeAlias = tuple[Asked, float | None]


class Session(Struct, dict=True, kw_only=True):
    """An audit in progress.

    Attributes:
        subject: the metric under audit.
        base: the reference's conventions; reference: their name in the record.
        fixtures: folders of cases on which the result is confirmed; None for no confirmation.
        tried: sentences on the calls of the function that were tried and not used.
        asked: the answers so far on the battery and on inputs that distinguish sets of conventions.
        fresh: the answers so far on fresh inputs.
    """

    subject: AuditedMetric
    base: Conventions
    reference: str
    seed: int
    fixtures: Sequence[str] | None
    tried: Sequence[str] = ()
    asked: list[Asked] = []
    fresh: list[Asked] = []

    def run(self) -> Audit:
        """Audit the metric. If it is a function and the user gave no call, first find the call."""
        given = self.subject.call
        found_call = prepare(self.subject, self.base)
        if found_call.message:
            return self._short_record("uncallable", call=str(given or ""), message=found_call.message)
        self.tried = found_call.tried
        if self.subject.call is not None:
            self.base = self.subject.call.leaves(self.base)
        try:
            return self.audited()
        except KeyboardInterrupt as error:
            if not getattr(error, "__notes__", ()):
                values, unmet = self._number_so_far()
                error.add_note(f"values so far: {values:,}; not those of the reference: {unmet:,}")
            raise

    def _short_record(self, verdict: Verdict, **known: Any) -> Audit:
        """The record of an audit that ends without a fingerprint, with the fields in ``known``."""
        record: dict[str, Any] = {name: [] for name in ("causes", "alternatives", "counterexamples")}
        record |= {"conventions": {}, "behaviour": {}, "experiments": 0, "nearest_profile": None}
        record |= {"target": self.subject.id, "call": str(self.subject.call or ""), "verdict": verdict}
        about = {"measure": str(self.subject.measure), "reference": self.reference, "seed": self.seed}
        return Audit(**record | about | known)

    @property
    def _experiments(self) -> int:
        """Number of inputs so far by which conventions are searched."""
        return sum(len(one.probe.queries) for one in self.asked)

    @property
    def _fixed_axes(self) -> frozenset[str]:
        return self.subject.call.fixed_axes if self.subject.call is not None else frozenset()

    @property
    def _one_relevant(self) -> bool:
        return self.subject.call is not None and self.subject.call.of_one_relevant

    def audited(self) -> Audit:
        """Take the steps of the audit, once it is known how to call the metric."""
        ties_read = TIES.read_by(family(self.subject.measure.family))
        self._places = Places(self.subject.measure.cutoff, parts_passed(self.subject.call))
        self._ties_open = ties_read and TIES.name not in self._fixed_axes
        asking = Asking(self.subject, _UNTIL_FRESH)
        steps: dict[str, Callable[[], Audit | None]] = {
            "queries of every kind": lambda: self._call_on_battery(asking),
            "the same queries again": self._call_again,
            "queries that distinguish conventions": self._explain_the_battery,
            "properties": self._try_properties,
            "realistic inputs": lambda: self._call_on_fresh_inputs(asking),
            "one object for several inputs": self._call_on_one_object,
            "documents that occur twice": self._repeat_documents,
            "inputs for every kind of change": lambda: self._cover_kinds_of_change(asking),
            "given cases": self._check_all_answers,
            "smaller inputs for the differences": self._sort_wrong_values,
        }
        for number, step in enumerate(steps.values()):
            try:
                ended = step()
            except TimeIsUp:
                return self._cut_short([*steps][number:])
            if ended is not None:
                return ended
        self._name_causes()
        self._recognise_the_formula()
        return self._recorded()

    def _cut_short(self, unasked: Sequence[str]) -> Audit:
        """The record of an audit whose time ran out: what the answers so far show.

        Args:
            unasked: names of the steps that were skipped or cut short.
        """
        values, _ = self._number_so_far()
        reason = f"the time limit of {self.subject.backend.budget:.0f} s was reached"
        message = f"{reason}; these steps were skipped or cut short: {', '.join(unasked)}."
        answers, one = self._answers(self.base), None
        if values:
            try:
                one = self._explained(answers, least=_AFTERWARDS * self.subject.backend.budget)
            except TimeIsUp:
                one = explaining.nothing_explained(answers, self.base)
        whole = one is not None and one.complete and not one.untied
        if one is None or (whole and one.found == self.base):
            given = f"{count(values, 'value')} so far, and none differs" if values else "no value so far"
            message += f" The metric gave {given}."
            return self._short_record("uncallable", experiments=self._experiments, message=message)
        self._found, labels = one.found, self._labels(one.found) + [UNEXPLAINED] * (not whole)
        shown = self._differing(answers, one, labels) if len(labels) == 1 else None
        why = causes()[labels[0]].summary
        return self._short_record(
            "deviates",
            experiments=self._experiments,
            causes=labels,
            conventions=one.found.changes_from(self.base),
            alternatives=[Alternative(self._labels(c), c.changes_from(self.base)) for c in one.sets[1:]],
            strength="consistent" if whole else "per-query" if one.found != self.base else "none",
            doubt=reason,
            notes=[message],
            counterexamples=[] if shown is None else [self._shown(shown, labels[0], why)],
        )

    def _differing(self, answers: Sequence[Asked], one: Explained, causes: Sequence[str]) -> Asked | None:
        """The answer for the smallest query whose value differs from the reference's, taken from a call with
        several queries; None if there is none.

        Unless ``causes`` contains ``unexplained``, the conventions found must predict the value.
        """
        alone = (
            replace(asked, probe=replace(asked.probe.of(id), reads=id))
            for asked in answers
            for id, _ in asked.probe.queries
            if id.encode() in asked.given.values
        )
        for asked in sorted(alone, key=lambda asked: asked.probe.size):
            given = (asked.is_value(asked.predicted(c), one.tolerance) for c in (self.base, one.found))
            if [*given] == [False, UNEXPLAINED not in causes]:
                return asked
        return None

    def _call_on_battery(self, asking: Asking) -> None:
        first = self.subject.first
        together, means = bool(first.values), first.mean is not None
        probes = battery(self.seed, self.subject.measure, together=together, means=means)
        self.asked += asking.answers(map(self.subject.needs.given, probes), limited=False)

    def _call_again(self) -> Audit | None:
        """Call a function again on the battery, with the inputs in reverse order.

        Sets ``_changing``, the answers to inputs that the function changed, and ``_ties_vary``, whether a
        value of a query with tied scores is different this time.

        Returns:
            The record, if a value of a query without tied scores is different this time; else None.
        """
        self._changing, self._ties_vary, before = list[Asked](), False, self.asked[::-1]
        if self.subject.function is None:
            return None
        again = self.subject.again(one.probe for one in before)
        self._changing = [one for one in again if one.given.notes]
        vary = [one for one, other in zip(before, again, strict=True) if any(_changes(one, other, tied=True))]
        self._ties_vary = bool(vary)
        if unrepeatable := self._unrepeatable(chain.from_iterable(map(_changes, before, again)), *_FIRST):
            return unrepeatable
        # An order drawn at random is another one each time; one that is not stable is the same.
        same = [self.subject.ask(vary[0].probe) for _ in range(_TIMES)] if vary else []
        return self._unrepeatable(chain(*(_changes(*of, tied=True) for of in pairwise(same))), *_NEXT)

    def _unrepeatable(self, changes: Iterable[_Change], when: str, then: str) -> Audit | None:
        """The record of a function that gives other values than before, with the smallest such query; None if
        there is none. Of two values, that which the reference does not give is shown.

        Args:
            when, then: when the values before were given, and when the others.
        """
        after, before = min(changes, key=lambda change: change[0].probe.size, default=(None, None))
        if after is None:
            return None
        if before is not None and after.is_value(after.predicted(self.base), max(TOLERANCES)):
            reads, value = after.probe.reads, after.value
            wrong = {"mean": before} if reads is None else {"values": {reads.encode(): before}}
            after, before, when = replace(after, answer=replace(after.given, **wrong)), value, then
        note = f"{'no value' if before is None else before!r} {when}"
        why = NOT_REPEATABLE.summary
        with suppress(TimeIsUp):
            twice = [self.subject.again(one.probe for one in self.asked) for _ in range(2)]
            drawn = any(any(_changes(*of, tied=True)) for of in zip(*twice, strict=True))
            why += f"; {_DRAWN if drawn else _KEPT}"
        shown = self._shown(after, NOT_REPEATABLE.label, why, note)
        known: dict[str, Any] = {"causes": [shown.cause], "counterexamples": [shown]}
        return self._short_record("deviates", experiments=self._experiments, **known)

    def _shown(self, asked: Asked, label: str, explanation: str, note: str = "") -> Counterexample:
        """The record of a counterexample for the cause with this label."""
        known: dict[str, Any] = {"cause": label, "explanation": explanation, "note": note}
        known["reference_value"] = optional(asked.predicted(self.base))
        known["ideal"] = self._ideal_lists(asked) if label == IDEAL.label else []
        return counterexample(self.subject, asked, self.reference, **known)

    def _ideal_lists(self, asked: Asked) -> list[IdealRank]:
        """The ideal lists of the reference and of the metric for the query that an input reads."""
        query = 0 if asked.probe.reads is None else asked.recomputer.topics.index(asked.probe.reads.encode())
        found = self.base.having(IDEAL, self._found[IDEAL])
        return ideal_lists(replace(asked.recomputer, base=self.base), query, found)

    def _of_modified_input(self) -> Iterator[tuple[Asked, str, str, str]]:
        """The smallest query of the battery that the metric modifies, as (answer, label, explanation, note);
        nothing if it modifies none."""
        single = dict.fromkeys(one.probe.of(id) for one in self._changing for id, _ in one.probe.queries)
        probes = sorted(single, key=lambda probe: (not ordinary(probe), probe.size))
        for one in self.subject.again(probes) if probes else ():
            if one.given.notes:
                yield one, CHANGES_INPUT.label, f"{CHANGES_INPUT.summary}: {', '.join(one.given.notes)}", ""
                return

    def _explained(self, answers: Sequence[Asked], *, least: float = 0, whole: bool = True) -> Explained:
        """Search the conventions that give these answers. The time of the search counts against the budget.

        Args:
            least: seconds that the search may take even if less of the budget is left.
            whole: as for :func:`explained`.

        Raises:
            TimeIsUp: the search took longer.
        """
        backend, begin = self.subject.backend, process_time()
        about = answers, self.base, self._fixed_axes
        limit = SearchLimit(max(backend.budget - backend.seconds, least))
        try:
            return explaining.explained(*about, ties_open=self._ties_open, whole=whole, limit=limit)
        finally:
            limit.lift()
            backend.seconds += process_time() - begin

    def _explain_the_battery(self) -> Audit | None:
        """Find the conventions that give the answers on the battery. If several sets of conventions do, call
        the metric on further inputs that distinguish them.

        Returns:
            The record, if the metric gave no value for any input of the battery; else None.
        """
        if not self._number_so_far()[0]:
            why = next((str(one.answer) for one in self.asked if isinstance(one.answer, BackendError)), "")
            reason = f"The metric answered at first, and then gave no value for any input{why and ': '}{why}"
            return self._short_record("uncallable", message=reason)
        self._explanation = one = self._explained(self._predictable(self.asked, self.base))
        if one.complete:
            self._tell_apart([*one.sets, *one.hardly_refuted])
        return None

    def _tell_apart(self, sets: Sequence[Conventions]) -> None:
        """While several sets of conventions give all answers, call the metric on inputs on which they
        differ."""
        for number in range(_ROUNDS):
            more = list(self._telling(sets, number)) if len(sets) > 1 else []
            if not more:
                break
            self.asked += map(self.subject.ask, more)
            answers = self._answers(self.base.having(IDS, self._explanation.found[IDS]))
            left = explaining.on_all(self._explanation, answers, self._fixed_axes, fresh=bool(self.fresh))
            self._explanation = one = left or self._explained(answers)
            sets = [*one.sets, *one.hardly_refuted] if one.complete else []

    def _try_properties(self) -> None:
        self._properties = properties_of(self.subject, self.base, self.seed)

    def _call_on_fresh_inputs(self, asking: Asking) -> None:
        """Call the metric on realistic inputs; on fewer, if each query needs a separate call.

        Raises:
            TimeIsUp: some inputs were left out for lack of time, and no value differs so far.
        """
        subject = self.subject
        probes = fresh_probes(self.seed, subject.measure.cutoff, few=subject.first.one_by_one)
        self.fresh += asking.answers(probes)
        more = chain(counterexamples.behaviour_probes(subject.call), shown_by(self._properties))
        self.fresh += map(subject.ask, more)
        self._explain_all_answers()
        if asking.cut and self._explanation.complete and self._explanation.found == self.base:
            raise TimeIsUp

    def _call_on_one_object(self) -> Audit | None:
        """The record, if a method gives another value where its object was used for other inputs before; else
        None."""
        call = self.subject.call
        if self.subject.function is None or call is None or len(call.steps) != 2 or call.adding is not None:
            return None
        before = [*self.asked, *self.fresh[:_ON_ONE]]
        again = self.subject.again((one.probe for one in before), one_object=True)
        return self._unrepeatable(chain.from_iterable(map(_changes, before, again)), *_OWN)

    def _explain_all_answers(self) -> None:
        """Keep the explanation if it also gives the answers on fresh inputs. If not, search again on all
        answers: fresh inputs show what the battery cannot, such as a depth of 200 or a level of 10."""
        before = self._explanation
        if before.untied:
            return
        if before.complete:
            answers = self._answers(before.found)
            if upheld := explaining.on_all(before, answers, self._fixed_axes, fresh=True):
                self._explanation = upheld
                return
        ids = before.found[IDS] if before.complete else self._rule_for_ids(before)
        # If no conventions explain the answers on the battery, none explain these and more.
        whole = before.complete or ids is not self.base[IDS]
        other = self._explained(self._answers(self.base.having(IDS, ids)), whole=whole)
        kept = not (other.complete or before.constant)
        self._explanation = other.with_part(before.proofs[0].changes) if kept else other
        if other.complete:
            self._tell_apart([*other.sets, *other.hardly_refuted])
        self._explanation = self._with_conditions(self._explanation)

    def _rule_for_ids(self, one: Explained) -> Ids:
        """The rule for ids with which an incomplete explanation gives most answers. The battery has queries
        on which no rule predicts a value, so that its search finds none."""

        exact = one.found.having(IDS, Ids.EXACT)

        def unmet(ids: Ids) -> int:
            rule = one.found.having(IDS, ids)
            sets = ((of, rule if ids in of.probe.rules else exact) for of in self._answers(rule))
            return sum(len(checking.unmet(of, conventions, one.tolerance)) for of, conventions in sets)

        return one.found[IDS] if IDS.name in self._fixed_axes else min(Ids, key=unmet)

    def _repeat_documents(self) -> None:
        """Find out how the metric treats a document that occurs twice.

        Sets ``_whole``, all conventions of the metric, and ``_found``, the same conventions; but if the
        reference refuses such documents, ``_found`` lacks their treatment, because it is no deviation.
        """
        one = self._explanation
        self._sets, self._found, self._tolerance = one.sets, one.found, one.tolerance
        self._repeats = DuplicateHandling()
        if DUPLICATES.name not in self._fixed_axes:
            self._repeats = checking.duplicate_handling(self.subject, self._found, self._tolerance, self.seed)
        self._whole = self._repeats.added_to(self._found)
        if self._takes_repeats:
            self._found = self._whole

    def _cover_kinds_of_change(self, asking: Asking) -> None:
        """If conventions give all values, call the metric on more inputs, until every kind of change to these
        conventions would show. If a value differs, search again on all answers."""
        self._coverage = Coverage()
        if not self._explanation.complete:
            return
        about = asking, self.fresh, self._found
        self._coverage = until_covered(*about, tolerance=self._tolerance, seed=self.seed)
        self.fresh += self._coverage.asked
        asked = self._predictable(self._coverage.asked, self._found)
        if any(checking.unmet(one, self._found, self._tolerance) for one in asked):
            self._explain_all_answers()
            self._repeat_documents()

    def _check_all_answers(self) -> None:
        """Compare all answers, also those on the given cases, with the predictions of the conventions."""
        self._checked = self._check()
        if not self._explanation.complete and any(of.leaks for of in self._checked):
            self._explain_queries_alone()
        self._confirmed = []
        if self.fixtures is not None:
            self._confirmed = checking.confirm_on(self.subject, self.fixtures, self._whole, self._tolerance)
        self._checked += [of_case for _, of_case in self._confirmed]
        if self._ties_vary:  # then a query that has the predicted value in a second call shows no leak
            self._checked = [replace(of, differs=[*of.differs, *of.leaks], leaks=[]) for of in self._checked]
        self._tolerance = max(of.tolerance for of in self._checked)

    def _explain_queries_alone(self) -> None:
        """Where queries influence each other, a query alone shows the conventions: ask some with wrong values
        alone, and search the conventions of all that were asked so."""
        for some in ([of.differs for of in self._checked], [of.leaks for of in self._checked]):
            self.asked += map(self.subject.ask, _alone(some)[:_MOST_ALONE])
        answered = (one for one in (*self.asked, *self.fresh) if one.error is None)
        if alone := [one for one in answered if len(one.probe.queries) == 1]:
            of_one = self._explained(self._predictable(alone, self.base))
            self._explanation = of_one.with_summary(self._explanation.proofs[0].changes)
            self._repeat_documents()
            self._checked = self._check()

    def _check(self) -> list[Checked]:
        """The answers on the battery, and those on fresh inputs, compared with the predictions."""
        found = self._found
        return [
            checking.check(self.subject, self._predictable(answers, found), found, self._tolerance, self.base)
            for answers in (self.asked, self.fresh)
        ]

    def _sort_wrong_values(self) -> None:
        """Sort the inputs with unpredicted values by kind.

        If some order of the tied documents explains these values, but no rule does, the axis ``ties`` is
        reset to the reference's value.
        """
        double, leaking = self._double, any(of.leaks for of in self._checked)
        differs = [one for of in self._checked for one in of.differs] if leaking else []
        if differs and not any(checking.unmet(one, double, self._tolerance) for one in differs):
            # Where queries influence each other, a search may miss it; some order of ties gives these too.
            self._take(double)
        probes, conventions = self._small_probes(), self._found.having(TIES, self.base[TIES])
        self._hunt = Hunt(self.subject, self.base, self._sets[0], probes, self.seed, self._tolerance)
        repeats = self._repeats if self._takes_repeats else DuplicateHandling()
        about = self._hunt, conventions, self._checked, repeats
        self._wrong = counterexamples.unpredicted(*about, ties_open=self._ties_open)
        if self._wrong.beyond is not None and self._explain_other_cutoffs():
            self._sort_wrong_values()
        elif self._wrong.tied:
            before, tied = (self._checked, self._wrong, self._hunt), self._wrong.tied
            read = (q for one in tied for id, q in one.probe.queries if one.probe.reads in (None, id))
            untied = any(explaining.distinct_scores(query, np.float64) for query in read)
            if untied and self._found != double:
                self._take(double)
                self._sort_wrong_values()
                if not self._wrong.labels:
                    return
            self._checked, self._wrong, self._hunt = before
            self._found, self._whole = conventions, self._repeats.added_to(conventions)
            self._sets = [conventions]

    @property
    def _double(self) -> Conventions:
        """The conventions found, with scores in double precision."""
        return self._found.having(SCORE_PRECISION, ScorePrecision.FLOAT64)

    def _take(self, found: Conventions) -> None:
        """Take these conventions for the metric's, and compare all answers with their predictions."""
        self._found, self._sets, self._whole = found, [found], self._repeats.added_to(found)
        self._checked = self._check()

    def _explain_other_cutoffs(self) -> bool:
        """Where all answers are explained, but not those for other cutoffs, search conventions that give
        these too: the values of P@5 are the same if they are rounded to two decimals. Whether some do."""
        if not self._explanation.complete or self._wrong.labels != [UNEXPLAINED] or self._wrong.unexplained:
            return False
        more = self._predictable(self._hunt.at_other_cutoffs, self.base)
        before, self._explanation = self._explanation, self._explained([*self._answers(self.base), *more])
        if not self._explanation.complete or self._explanation.found == before.found:
            self._explanation = before
            return False
        self._repeat_documents()
        self._check_all_answers()
        return True

    def _name_causes(self) -> None:
        """Set the labels of the causes, the strength of the evidence, and the doubt if it is not proved."""
        one, strange = self._explanation, self._wrong
        causes = [TIES.label] * bool(strange.tied) + self._labels(self._found) + strange.labels
        if not (one.complete or strange.labels or strange.tied):
            causes.append(UNEXPLAINED)  # all values are predicted, but too few of them need the conventions
        causes += [CHANGES_INPUT.label] * bool(self._changing)
        self._causes = list(dict.fromkeys(causes))
        self._doubt, self._rivals = "", list[str]()
        self._strength: Strength | None = None
        # Conventions that give every value are proved, whatever is refused besides.
        beyond = {*strange.labels} - {REFUSES} if self._found != self.base else {*strange.labels}
        if strange.tied:
            self._strength, self._doubt = "consistent", strange.orders.words
        elif beyond or not one.complete:
            self._strength = "per-query" if self._found != self.base else "none"
        elif self._causes:
            if one.found != self.base:
                tried = one.search.choices.tried(len(one.proofs[0].changes))
                self._doubt, self._rivals = doubts(one.search, one.proofs, tried, ("value", "values"))
            elif len(self._repeats.values) > 1:
                self._doubt = "the values fit several ways to treat documents that occur twice"
            self._strength = "consistent" if self._doubt else "proved"

    def _recognise_the_formula(self) -> None:
        """Find a different measure or formula that gives all values of the metric.

        There is no search if all values are a little too low, or all too high. If conventions explain the
        values, the formula must need fewer changes than the conventions.
        """
        self._known: Recognised | None = None
        if self._wrong.tied or self._tolerance < self._explanation.tolerance:
            return
        unexplained = UNEXPLAINED in self._causes
        beside = None if unexplained else len(self._found.changes_from(self.base))
        answers, tolerance = self._answers(self.base), self._explanation.search.evidence.tolerance

        def recognise() -> tuple[Recognised, Conventions] | None:
            evidence = evidence_of(answers, self.base, tolerance, explaining.of_ordinary)
            return recognised(evidence, beside, self._fixed_axes, ("value", "values"))

        found = recognise()
        if found is not None and unexplained:
            with suppress(TimeIsUp):  # long lists tell a cutoff from none
                answers += self._predictable([*map(self.subject.ask, long_probes(self.seed))], self.base)
                found = recognise()
        if found is None:
            return
        self._known, self._of_formula = found
        if unexplained:
            self._keep_what_the_formula_needs(answers)
        with suppress(TimeIsUp):
            self._known = replace(self._known, whatever_k=self._ignores_cutoff(self._known))

    def _keep_what_the_formula_needs(self, answers: Sequence[Asked]) -> None:
        """Drop the changes of conventions, which give a part of the values, that give none beside the
        recognised formula, with their labels. What is wrong is then what the others do not give."""
        about, before = (answers, self.base, self._tolerance), self._found
        self._found = explaining.useful_beside(self._of_formula, before, *about)
        labels, kept = self._labels(before), self._labels(self._found)
        if self._found != before:
            self._sets, self._checked[:2] = [self._found], self._check()
            self._sort_wrong_values()
        self._causes = [label for label in self._causes if label not in labels or label in kept]
        self._strength = "per-query" if kept else "none"

    def _examples(self) -> Iterator[Counterexample]:
        """The counterexamples of the record. If the recognised formula gives an unexplained value, the
        explanation names the formula."""
        shown, known = counterexamples.examples(self._hunt, self._found, self._wrong), self._known
        changed = [f"{axis}={value}" for axis, value in known.conventions.items()] if known else []
        for asked, label, why, note in chain(shown, self._of_modified_input()):
            if asked is None:
                continue
            self._unexplained += [asked] * (label == UNEXPLAINED)
            self._unforeseen += [asked] * (label in (UNEXPLAINED, CROSS_QUERY_LEAK.label))
            if label == UNEXPLAINED and known is not None:
                given = asked.is_value(asked.predicted(self._of_formula), self._tolerance)
                why = " with ".join((f"it computes {known.formula}", *changed)) if given else why
            elif label == UNEXPLAINED and (fault := self._fault(asked)):
                why = f"{fault}, so suspect a bug"
            yield self._shown(asked, label, why, note)

    def _fault(self, example: Asked) -> str:
        """A sentence on the number by which all values are multiplied, or on the kind of change to the
        conventions that gives all values, and that of an unexplained example; empty if there is none."""
        answers = self._answers(self._found)
        of = "the reference's" if self._found == self.base else "that of these conventions"
        if times := factor(evidence_of(answers, self._found, self._tolerance), self._found, of):
            return times
        sets = dict.fromkeys((self._found, self._double))
        faults = (fault_of(answers, example, c, self.subject.call, self._tolerance) for c in sets)
        return next((f"all values are as if {fault}" for fault in faults if fault), "")

    def _changed_in_new_process(self) -> Audit | None:
        """The record of a function that gives another value in a new process for an example that no
        conventions explain; None if there is no such example."""
        some = self._unforeseen
        if self.subject.function is None or not some:
            return None
        again = self.subject.again([one.probe for one in some], [one.measure for one in some])
        changes = (_changes(*both, tied=not self._ties_open) for both in zip(again, some, strict=True))
        return self._unrepeatable(chain.from_iterable(changes), *_LATER)

    def _recorded(self) -> Audit:
        """The record of an audit that took all steps."""
        subject, base, repeats = self.subject, self.base, self._repeats
        conventions, measure, decimals = self._found, subject.measure, subject.first.decimals
        unexplained, tied = UNEXPLAINED in self._causes, bool(self._wrong.tied)
        whole = not (unexplained or tied or self._wrong.labels)
        plain = with_measure_parameters(Conventions(), measure)
        shown = explaining.needed(self._answers(conventions), conventions, plain, self._tolerance)
        fixed = (self._fixed_axes | {TIES.name} if tied else self._fixed_axes) - shown
        pieces = pieces_of(self._predictable(self.asked, conventions), base, min(TOLERANCES))
        values = [of.values[of.present] for of in (piece.evidence.observed for piece in pieces)]
        seen = seen_axes(pieces, conventions, fixed)
        twice = [DUPLICATES.name] * bool(repeats.example and repeats.values)
        visible = [*conventions.changes_from(base), *twice]
        sets, fresh = [conventions, *self._sets[1:]], self._checked[1]
        covered = Coverage() if self._causes else self._coverage
        shown_by_input, did = list[Counterexample](), dict[str, str]()
        self._unexplained, self._unforeseen = list[Asked](), list[Asked]()
        with suppress(TimeIsUp):
            shown_by_input += self._examples()
            if (unrepeatable := self._changed_in_new_process()) is not None:
                return unrepeatable
            did = counterexamples.behaviour(subject)
        example = None if self._takes_repeats else repeats.example
        answered = [one.probe for one in (*self.asked, *self.fresh) if one.error is None]
        by_query = subject.call is not None and subject.call.by_query
        return Audit(
            target=subject.id,
            measure=str(measure),
            call=str(subject.call or ""),
            reference=self.reference,
            verdict="deviates" if self._causes else "agrees",
            causes=self._causes,
            conventions=conventions.changes_from(base),
            strength=self._strength,
            doubt=self._doubt,
            rivals=self._rivals,
            alternatives=[Alternative(self._labels(c), c.changes_from(base)) for c in sets[1:]],
            experiments=sum(len(piece.about) for piece in pieces) + repeats.experiments,
            nearest_profile=nearest_profile(measure, self._whole, seen, visible) if whole else None,
            behaviour=did,
            behaviour_of_reference=counterexamples.behaviour_of_reference(subject, base),
            counterexamples=shown_by_input,
            seed=self.seed,
            fingerprint=fingerprint(seen, base, sets, fixed, repeats, shown, explained=not unexplained),
            practice=[] if self._strength == "per-query" else in_practice(conventions, base),
            confirmation=None if self.fixtures is None else checking.record_of(self._confirmed),
            fresh_inputs=fresh.inputs,
            fresh_inputs_met=fresh.met + len(fresh.differs) * tied,
            kinds_caught=covered.caught,
            kinds_missed=covered.missed,
            kinds_without_effect=covered.without_effect,
            one_relevant=self._one_relevant,
            longest_list=max((len(of.lines) for probe in answered for _, of in probe.queries), default=0),
            most_queries=max((1 if by_query else len(probe.queries) for probe in answered), default=0),
            tolerance=max(self._tolerance, of_decimals(decimals)),
            precision=_precision(self._tolerance, decimals, np.concatenate([np.zeros(0), *values])),
            notes=[self._wrong.orders.words] * tied + self._notes(conventions, did.get("empty run", "")),
            accepts=[] if example is None else [accepted(subject, example, repeats.values)],
            refused=self._refused(self._checked[:2]),
            properties=as_findings(map(self._seen_elsewhere, self._properties), subject),
            recognised=self._known,
            where=self._where() if unexplained and not tied else None,
        )

    def _seen_elsewhere(self, tried: Tried) -> Tried:
        """The outcome for a property; "no" if the property seemed to hold, but the value of an unexplained
        counterexample is outside [0, 1]."""
        if tried.of.name != "bounded" or tried.status != "yes":
            return tried
        for asked in self._unexplained:
            if asked.value is not None and not tried.of.holds((asked.value,)):
                return replace(tried, status="no", inputs=(asked.probe,), values=(asked.value,))
        return tried

    def _where(self) -> Where | None:
        """The conditions under which the conventions do not predict the values, also those of the unexplained
        counterexamples; None if none are found."""
        more = self._predictable(self._unexplained, self._found)
        wrong = [one.probe for one in chain(*(of.differs for of in self._checked[:2]), more)]
        return self._places.where([*self._answers(self._found), *more], wrong, self._found)

    def _with_conditions(self, one: Explained) -> Explained:
        """The explanation, extended if it is incomplete: by a further change of conventions after which one
        or two conditions separate the inputs with wrong values. Unchanged if no such change is needed or
        found."""

        def separable(conventions: Conventions) -> bool:
            """Whether one or two conditions separate the inputs on which these conventions predict wrong
            values from the others."""
            asked = self._answers(conventions)
            wrong = [probe for of in asked for probe in checking.unmet(of, conventions, one.tolerance)]
            return self._places.where(asked, wrong, conventions) is not None

        if one.complete or separable(one.found):
            return one
        search, before = one.search, one.proofs[0].changes
        sets = [in_order((*before, change)) for change in search.telling_changes(before)]
        left = {changes: search.unmet(search.changed(changes)) for changes in sets}
        most = search.unmet(one.found) - _FEWEST_GIVEN
        for changes in sorted(sets, key=left.__getitem__)[:_MOST_PLACED]:
            if left[changes] > most:
                break
            found = search.changed(changes)
            if search.mostly_helps(found, one.found) and separable(found):
                return Explained(search, [search.explanation(*changes)], False, one.tolerance)
        return one

    def _telling(self, sets: Sequence[Conventions], number: int) -> Iterator[Probe]:
        """Inputs on which these sets of conventions predict different values, the smallest first.

        Args:
            number: number of the round, so that each round draws different inputs.
        """
        measure, seed = self.subject.measure, self.seed + len(self.asked) + number
        single = [Probe(q.about, (("1", q),), "1") for q in more_queries(seed, measure)]
        single += [p.of(id) for p in fresh_probes(seed, measure.cutoff, few=True) for id, _ in p.queries]
        single += ended_lists({int(c[axis]) for c in sets for axis in c.changed if axis.of_ranks})
        single = [p for p in single if not any(_unclear(p, c) for c in sets)]
        predicted = Predictions(single, measure)
        codes = [predicted.codes(c) for c in sets]
        telling = [p for i, p in enumerate(single) if len({row[i] for row in codes}) > 1]
        telling = sorted(telling, key=lambda p: p.size)[:_TELLING]
        if telling and any(one.given.values for one in self.asked):
            queries = ((f"t{i}", replace(p.queries[0][1], about=p.about)) for i, p in enumerate(telling))
            yield Probe("queries that distinguish conventions", tuple(queries), None)
        else:
            yield from (replace(p, reads=None) for p in telling[: _TELLING // 4])

    def _small_probes(self) -> list[Probe]:
        """Every query of the battery, and every short one of the fresh inputs, as a single input; and the
        inputs of the battery with a few queries."""
        single = [one.probe.of(id) for one in self.asked for id, _ in one.probe.queries]
        single += [o.probe.of(id) for o in self.fresh for id, q in o.probe.queries if len(q.lines) < _SHORT]
        if not self.subject.reads:
            single = [replace(probe, reads=None) for probe in single]
        return [*single, *[one.probe for one in self.asked if 1 < len(one.probe.queries) <= _SEVERAL]]

    def _answers(self, conventions: Conventions) -> list[Asked]:
        """All answers so far, without those that conventions cannot predict."""
        return self._predictable([*self.asked, *self.fresh], conventions)

    def _predictable(self, asked: Sequence[Asked], conventions: Conventions) -> list[Asked]:
        """The answers without those that conventions cannot predict.

        If the metric has the highest level as a constant, inputs with a different highest level are left out.
        If conventions treat differently spelt ids as the same, queries in which two ids become the same have
        no predicted value, because the axis ``ids`` does not say which of them counts; nor have those whose
        ties are in another order by the docnos that are compared.
        """
        constant = self._knows_one_top_level(conventions)
        fair = [one for one in asked if not constant or highest_level(one.probe) == TOP_LEVEL]
        unclear = [_unclear(one.probe, conventions) for one in fair]
        return [replace(one, undefined=ids) if ids else one for one, ids in zip(fair, unclear, strict=True)]

    def _knows_one_top_level(self, conventions: Conventions) -> bool:
        """Whether the highest level of the qrels matters to the metric but is not passed to it.

        Then the metric has this level as a constant, and its values can be predicted only on inputs with the
        highest level of the battery.
        """
        call = self.subject.call
        of_one = call is not None and call.of_one and "max_grade" not in call.words
        return of_one and conventions[IDEAL] in OF_HIGHEST

    def _ignores_cutoff(self, known: Recognised) -> bool:
        """Whether the metric ignores the requested cutoff: it was recognised as a measure with a different
        cutoff (``known``), and a third cutoff does not change values that depend on it."""
        cutoff = self.subject.measure.cutoff
        if not cutoff or known.measure is None or (computed := parse_measure(known.measure)).cutoff == cutoff:
            return False
        other = replace(self.subject.measure, cutoff=1 if cutoff > 1 else 2)

        def matters(one: Asked) -> bool:
            """Whether a metric that takes the cutoff would give another value."""
            of = computed if computed.cutoff else self.subject.measure
            both = (replace(one, measure=replace(of, cutoff=k)) for k in (of.cutoff, other.cutoff))
            first, second = (asked.predicted(self._found) for asked in both)
            return first != second

        some = [*islice(filter(matters, (one for one in self.fresh if one.error is None)), _SAME_ON)]
        return bool(some) and all(self.subject.ask(one.probe, other).answer == one.answer for one in some)

    @property
    def _takes_repeats(self) -> bool:
        """Whether the reference accepts documents that occur twice."""
        return self.base[DUPLICATES] is not Duplicates.ERROR

    def _labels(self, conventions: Conventions) -> list[str]:
        """The labels of the axes on which conventions differ from the reference's, likeliest first."""
        changed = conventions.changes_from(self.base)
        return [axis.label for axis in likeliest() if axis.name in changed]

    def _refused(self, checked: Sequence[Checked]) -> str:
        """A sentence on the inputs out of the ordinary on which the metric gives no value; empty if there are
        none."""
        failed = (one for one in self.asked if one.error is not None and not ordinary(one.probe))
        unusual = {one.probe: one for one in chain(failed, *(of.withheld for of in checked))}
        if not unusual:
            return ""
        smallest = min(unusual.values(), key=lambda one: one.probe.size)
        common = set.intersection(*(set(realistic.oddities_of(probe)) for probe in unusual))
        about = f" ({' and '.join(sorted(common))})" if common else ""
        inputs, said = count(len(unusual), "input"), checking.said_of(smallest).rstrip(".")
        why = "" if said == checking.GIVES_NONE else f": {said}"
        return f"It gives no value on {inputs} out of the ordinary{about}{why}."

    def _notes(self, conventions: Conventions, of_nothing: str) -> list[str]:
        """Sentences for the report: calls that were tried, and levels and values that were not compared.

        Args:
            of_nothing: the metric's result for an empty list in words.
        """
        notes: list[str] = []
        if self._one_relevant:
            notes.append("the call passes one relevant document, so no query of the inputs has more than one")
        call = self.subject.call
        if call is not None and not (call.of_one or call.named_queries):
            whole = "the call passes only queries with judgements and results"
            notes.append(f"{whole}, so none of several lists is empty")
        if not (self._causes or call is None or WITHOUT_NEGATIVES.isdisjoint(call.words)):
            notes.append("the call passes 0 for a negative level, so it was not tried with negative levels")
        if self._knows_one_top_level(conventions):
            level = f"inputs with the highest level {TOP_LEVEL}"
            notes.append(f"only {level} were compared, because the call does not pass the highest level")
        if self._causes and call is not None and "k" in call.words and self.subject.measure.cutoff is None:
            notes.append(f"{self.subject.measure} has no cutoff, so the call passes k = {NO_CUTOFF:,}")
        if call is not None and call.of_one and of_nothing.startswith("raises"):
            notes.append(f"for an empty list of results it {of_nothing}")
        if any(math.isnan(v) for one in self.asked for v in one.given.values.values()):
            notes.append("the metric returned NaN for some queries")
        return [*notes, *self.tried]

    def _number_so_far(self) -> tuple[int, int]:
        """The number of values so far, and the number of them that differ from the reference's."""
        evidence = [one.evidence(self.base) for one in (*self.asked, *self.fresh) if one.error is None]
        values = sum(int(e.observed.present.sum()) or int(e.counts_mean) for e in evidence)
        return values, sum(e.unmet(self.base) for e in evidence)


def _alone(asked: Iterable[Sequence[Asked]]) -> list[Probe]:
    """The queries that some answers read, each as an input of its own, the smallest first."""
    alone = (one.alone.probe for one in chain.from_iterable(asked) if one.probe.reads)
    return sorted(alone, key=lambda probe: probe.size)


#: When a function was called, and when again.
_FIRST, _NEXT = ("after other calls", "in a new process"), ("just before", "just after")
_OWN, _LATER = ("with an object of its own", "with one used before"), _FIRST[::-1]
#: Why a function gives other values than before: whether the same calls in two new processes differ.
_DRAWN = "so do the same calls in new processes: it draws random numbers, or follows the order of a set"
_KEPT = (
    "the same calls in a new process give the same again: it keeps something of earlier calls, or draws from"
    " a fixed seed"
)


def _changes(before: Asked, after: Asked, *, tied: bool = False) -> Iterator[_Change]:
    """Yield each query for which two answers to the same input have different values. A later error gives no
    value.

    If the metric gives only means, the means are compared.

    Args:
        tied: whether queries with tied scores are compared as well.
    """
    if isinstance(before.answer, BackendError) or isinstance(after.answer, OverdueError):
        return
    probe = before.probe
    distinct = explaining.distinct_scores
    skipped = {id for id, query in probe.queries if not tied and not distinct(query, np.float32)}
    if not before.answer.values:
        alike = bool(skipped) or equal_numbers(before.answer.mean, after.given.mean, max(TOLERANCES))
        yield from [] if alike else [(after, before.answer.mean)]
        return
    for id in (id for id, _ in probe.queries if id not in skipped):
        first, then = (given.values.get(id.encode()) for given in (before.given, after.given))
        if not equal_numbers(first, then, max(TOLERANCES)):
            yield replace(after, probe=probe.of(id)), first


def _unclear(probe: Probe, conventions: Conventions) -> frozenset[str]:
    """The ids of the queries whose values the rule for ids leaves open."""
    rule, by_docno = conventions[IDS], conventions[TIES].by_docno
    return where_ids_meet(probe, rule) | (reordered(probe, rule) if by_docno else frozenset())


def _precision(tolerance: float, decimals: int | None, values: FloatArray) -> Precision:
    """The precision of the values that explains why this tolerance was needed.

    Args:
        decimals: number of printed decimals; None if values were not printed.
        values: the values of single queries.
    """
    if of_decimals(decimals) > tolerance:
        return "printed"
    if tolerance == min(TOLERANCES):
        return "double"
    return "single" if in_single_precision(values) else "relative"


def audit(
    target: str | Callable[..., object] | Backend,
    measure: str,
    *,
    call: str | None = None,
    seed: int = 0,
    reference: str | Conventions = "trec_eval-9.0.8",
    fixtures: str | Sequence[str] | None = None,
    options: Options | None = None,
    progress: Callable[[str], None] = tell,
) -> Audit:
    """Find out by experiment which conventions a metric follows.

    Args:
        target: ``package.module:function``, ``path/to/file.py:function``, ``exec:COMMAND``, a backend id, or
            the function itself. It is called in a child process; only a function that a child cannot import
            (a lambda, a closure) is called in this process.
        measure: the measure that it claims to compute.
        call: the call, such as ``"f(gains, k)"``; None to find it from the parameters and by trying.
        seed: seed of the random inputs; the same seed gives the same audit.
        reference: the conventions with which the metric is compared.
        fixtures: a folder of cases to confirm the result on, or several; None for none.
        options: the seconds allowed for one call and for all calls (calls on the battery and on realistic
            inputs stop after six tenths of these), and settings of some backends.
        progress: called with a message at each step.

    Returns:
        The record. The verdict is ``uncallable``, with a message, if the metric cannot be called, or if time
        ran out before all steps were taken and no value differed.

    Raises:
        UsageError: a measure, call, target or profile does not exist.
        InputError: ``fixtures`` contains no case.
        KeyboardInterrupt: at Ctrl-C, with a note of what is known so far.
    """
    parsed = parse_measure(measure)
    base = with_measure_parameters(conventions_for(reference, parsed), parsed)
    try:
        with audited_metric(target, parsed, call, options, progress) as subject:
            return Session(
                subject=subject,
                base=base,
                reference=reference if isinstance(reference, str) else "given conventions",
                seed=seed,
                fixtures=[fixtures] if isinstance(fixtures, str) else fixtures,
            ).run()
    finally:
        # Give the freed memory back to the system, because one process may run many audits.
        with suppress(OSError, AttributeError):
            ctypes.CDLL(None).malloc_trim(0)
