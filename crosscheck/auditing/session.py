"""The audit of one metric: its call is found, and a list of steps follows up to the record of the results."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from crosscheck.audit_records import Accepted, Audit, Counterexample, Precision, Recognised
from crosscheck.auditing.calls import Call, parse_call
from crosscheck.auditing.checking import (
    Checked,
    DuplicateHandling,
    check,
    confirm_on,
    duplicate_handling,
    record_of,
)
from crosscheck.auditing.counterexamples import (
    UNEXPLAINED,
    Differences,
    Hunt,
    behaviour,
    behaviour_of_reference,
    behaviour_probes,
    differences,
    examples,
)
from crosscheck.auditing.explaining import TOLERANCES, Explained, explained, on_all, recognised
from crosscheck.auditing.finding import find_call, friendly_probe
from crosscheck.auditing.fingerprint import fingerprint, in_practice, nearest_profile, seen_axes
from crosscheck.auditing.kinds_of_change import Coverage, until_covered
from crosscheck.auditing.metric import Asked, Asking, AuditedMetric, pieces_of
from crosscheck.auditing.property_audit import as_findings, properties_of, shown_by
from crosscheck.auditing.reproducers import accepted, counterexample
from crosscheck.auditing.targets import CalledFunction, target_of
from crosscheck.axes import likeliest
from crosscheck.axes.gains import IDEAL, OF_HIGHEST
from crosscheck.axes.ids import DUPLICATES, IDS, Duplicates
from crosscheck.axes.ties import TIES
from crosscheck.backends.base import Backend, Options
from crosscheck.backends.guarded import guarded
from crosscheck.conventions import Conventions
from crosscheck.errors import BackendError, UsageError, count
from crosscheck.evaluation.formula import with_measure_parameters
from crosscheck.explain.doubts import doubts
from crosscheck.explain.evidence import Evidence
from crosscheck.explain.predictions import Predictions
from crosscheck.inputs.battery import TOP_LEVEL, battery, company, more_queries
from crosscheck.inputs.queries import Probe, where_ids_meet
from crosscheck.inputs.realistic import fresh_probes, highest_level
from crosscheck.measures import family
from crosscheck.model import MeasureValues
from crosscheck.names import conventions_for, parse_measure
from crosscheck.results import Alternative, Strength

#: Most queries of an input that counterexamples are made from as it is.
_SEVERAL = 9
#: Number of calls with another cutoff.
_SAME_ON = 5
#: Number of times that sets of conventions are told apart by further inputs, and number of queries of each.
_ROUNDS, _TELLING = 3, 40


class Session(Struct, dict=True):
    """One audit in progress."""

    subject: AuditedMetric
    base: Conventions
    reference: str
    seed: int
    fixtures: Sequence[str] | None
    seconds: float
    call: Call | None = None
    tried: Sequence[str] = ()
    #: The answers so far on the battery and on inputs that tell sets of conventions apart; on fresh inputs.
    asked: list[Asked] = []
    fresh: list[Asked] = []

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
        return self.call.fixed_axes if self.call is not None else frozenset()

    def audited(self, first: MeasureValues) -> Audit:
        """The whole audit of a metric that can be called."""
        values, means = bool(first.values), first.mean is not None
        ties_open = values and TIES.read_by(family(self.subject.measure.family))
        self._ties_open = ties_open and TIES.name not in self._settled
        asking = Asking(self.subject, self.call, self.seconds)
        self._ask_battery(asking, values=values, means=means)
        explanation = self._explained()
        properties = properties_of(self.subject, self.call, first, self.base, self.seed)
        self._ask_fresh(asking, first, shown_by(properties))
        explanation = self._explained_on_fresh_inputs(explanation)
        likeliest_sets, complete = explanation.sets, explanation.complete
        found, tolerance = explanation.found, explanation.tolerance
        repeats = self._repeats(found, tolerance, values=values)
        # The reference has no value for inputs it refuses, so a metric cannot deviate there.
        if repeats is not None and repeats.values and self._takes_repeats:
            found = repeats.added_to(found)
        whole = found if repeats is None else repeats.added_to(found)
        coverage = Coverage(0, [], [], [])
        if found == self.base and complete:
            coverage = until_covered(
                asking,
                self.fresh,
                self.subject,
                self.call,
                first,
                self.base,
                tolerance=tolerance,
                seed=self.seed,
            )
            self.fresh += coverage.asked
        of_battery = check(self.subject, self._fair(self.asked, found), found, tolerance)
        checked = check(self.subject, self._fair(self.fresh, found), found, tolerance)
        confirmed = (
            None if self.fixtures is None else confirm_on(self.subject, self.fixtures, whole, tolerance)
        )
        every = [of_battery, checked, *(of_case for _, of_case in confirmed or ())]
        tolerance = max(of.tolerance for of in every)
        hunt = Hunt(
            self.subject,
            self.base,
            likeliest_sets[0],
            self._small_probes(values=values),
            self.seed,
            tolerance=tolerance,
            other_cutoffs=self.call is None or "k" in self.call.words,
            values=values,
            means=means,
        )
        strange = differences(
            self.subject,
            found,
            self.base,
            every,
            hunt,
            repeats if self._takes_repeats else None,
            ties_open=self._ties_open,
            seed=self.seed,
        )
        if strange.tied:  # A rule that some inputs contradict is none.
            found, whole = (each.having(TIES, self.base[TIES]) for each in (found, whole))
            likeliest_sets = [found]
        labels = list(dict.fromkeys([TIES.label] * bool(strange.tied) + self._labels(found) + strange.labels))
        if not (explanation.complete or strange.labels or strange.tied):
            labels.append(UNEXPLAINED)  # too few values need what would give them all
        strength, doubt, rivals = self._strength(explanation, found, repeats, strange, labels)
        known = None
        # Values that are all a little too low, or too high, are those of no formula.
        if not strange.tied and tolerance >= explanation.tolerance:
            # A formula that needs fewer changes than what is only consistent says more.
            fewer = len(found.changes_from(self.base)) - 2 if rivals or doubt else -1
            most = 2 if UNEXPLAINED in labels else fewer
            answers = self._fair([*self.asked, *self.fresh], self.base)
            known = recognised(answers, explanation.search, self._settled, most)
        if known is not None and self._ignores_cutoff(known):
            known = replace(known, whatever_k=True)
        fixed = self._settled | {TIES.name} if strange.tied else self._settled
        pieces = pieces_of(self._fair(self.asked, found), self.base, min(TOLERANCES))
        seen = seen_axes(pieces, found, fixed)
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
                Alternative(self._labels(other), other.changes_from(self.base))
                for other in likeliest_sets[1:]
            ],
            experiments=sum(len(piece.about) for piece in pieces) + (repeats.experiments if repeats else 0),
            nearest_profile=None
            if UNEXPLAINED in labels
            else nearest_profile(
                self.subject.measure,
                whole,
                seen,
                [*found.changes_from(self.base), *(repeats.visible if repeats else ())],
            ),
            behaviour=behaviour(self.subject, self.call, bounded=self._bounded([p.evidence for p in pieces])),
            behaviour_of_reference=behaviour_of_reference(self.subject, self.call, self.base),
            counterexamples=examples(hunt, self.base, found, strange, self._shown),
            seed=self.seed,
            fingerprint=fingerprint(
                seen,
                self.base,
                [found, *likeliest_sets[1:]],
                fixed,
                repeats,
                explained=UNEXPLAINED not in labels,
            ),
            practice=in_practice(found, self.base),
            confirmation=None if confirmed is None else record_of(confirmed),
            fresh_inputs=checked.inputs,
            fresh_inputs_met=checked.met + len(checked.differs) * bool(strange.tied),
            kinds_caught=0 if labels else coverage.caught,
            kinds_missed=[] if labels else coverage.missed,
            kinds_without_effect=[] if labels else coverage.without_effect,
            tolerance=max(tolerance, _of_decimals(first.decimals)),
            precision=_precision(tolerance, first.decimals),
            notes=[*[strange.orders.words] * bool(strange.tied), *self._notes(found, [of_battery, checked])],
            accepts=[] if repeats is None or self._takes_repeats else self._accepted(repeats),
            properties=as_findings(properties, self.subject, self.call),
            recognised=known,
        )

    def _ask_battery(self, asking: Asking, *, values: bool, means: bool) -> None:
        needs = self.subject.needs
        probes = battery(self.seed, self.subject.measure, together=values, means=means)
        self.asked += asking.answers(map(needs.given, probes), limited=False)

    def _ask_fresh(self, asking: Asking, first: MeasureValues, more: Sequence[Probe]) -> None:
        """Ask for realistic inputs; few for metrics that compute each query separately."""
        probes = fresh_probes(self.seed, self.subject.measure.cutoff, few=first.one_by_one)
        self.fresh += asking.answers(probes)
        self.fresh += map(self.subject.ask, [*behaviour_probes(self.call), *more])

    def _explained(self) -> Explained:
        """The conventions that give the answers on the battery, told apart by further inputs."""
        for number in range(_ROUNDS):
            answers = self._fair(self.asked, self.base)
            result = explained(answers, self.base, self._settled, ties_open=self._ties_open)
            sets = [*result.sets, *result.hardly_refuted] if result.complete else []
            more = list(self._telling(sets, number)) if len(sets) > 1 else []
            if not more:
                break
            self.asked += map(self.subject.ask, more)
        return result

    def _telling(self, sets: Sequence[Conventions], number: int) -> Iterator[Probe]:
        """Inputs on which these sets of conventions differ."""
        measure, seed = self.subject.measure, self.seed + len(self.asked) + number
        single = [Probe(q.about, (("1", q),), "1") for q in more_queries(seed, measure)]
        single += [p.of(id) for p in fresh_probes(seed, measure.cutoff, few=True) for id, _ in p.queries]
        single = [p for p in single if not any(where_ids_meet(p, c[IDS]) for c in sets)]
        predicted = Predictions(single, measure)
        codes = [predicted.codes(c) for c in sets]
        telling = [p for i, p in enumerate(single) if len({row[i] for row in codes}) > 1]
        telling = sorted(telling, key=lambda p: p.size)[:_TELLING]
        if telling and any(isinstance(one.answer, MeasureValues) and one.answer.values for one in self.asked):
            queries = ((f"t{i}", replace(p.queries[0][1], about=p.about)) for i, p in enumerate(telling))
            yield Probe("queries that tell conventions apart", tuple(queries), None)
        else:
            yield from (replace(p, reads=None) for p in telling[: _TELLING // 4])

    def _explained_on_fresh_inputs(self, explanation: Explained) -> Explained:
        """The explanation, or another one if fresh inputs contradict it: these show what small inputs cannot,
        such as a depth of 200 or a level of 10."""
        if explanation.untied:
            return explanation
        both = self._fair([*self.asked, *self.fresh], explanation.found)
        if explanation.complete and (upheld := on_all(explanation, both, self._settled)):
            return upheld
        alike = self.base.having(IDS, explanation.found[IDS])
        both = self._fair([*self.asked, *self.fresh], alike)
        other = explained(both, self.base, self._settled, ties_open=self._ties_open)
        if other.complete or not explanation.complete or explanation.constant:
            return other
        return other.with_part(explanation.found)

    def _repeats(self, found: Conventions, tolerance: float, *, values: bool) -> DuplicateHandling | None:
        if DUPLICATES.name in self._settled:
            return None
        return duplicate_handling(self.subject, found, tolerance, values=values, seed=self.seed)

    def _small_probes(self, *, values: bool) -> list[Probe]:
        """Every query of the battery as an input of its own, and its inputs of a few queries."""
        single = [one.probe.of(id) for one in self.asked for id, _ in one.probe.queries]
        several = [one.probe for one in self.asked if 1 < len(one.probe.queries) <= _SEVERAL]
        return [*(single if values else [replace(probe, reads=None) for probe in single]), *several]

    def _strength(
        self,
        explanation: Explained,
        found: Conventions,
        repeats: DuplicateHandling | None,
        strange: Differences,
        labels: Sequence[str],
    ) -> tuple[Strength | None, str, list[str]]:
        """The strength of the labels, the reason why they are not proved, and the rival formulas."""
        if strange.tied:
            return "consistent", strange.orders.words, []
        if strange.labels or not explanation.complete:
            return ("per-query" if found != self.base else "none"), "", []
        if not labels:
            return None, "", []
        doubt, rivals = "", list[str]()
        if explanation.found != self.base:
            search = explanation.search
            tried = search.tried(len(explanation.proofs[0].changes))
            doubt, rivals = doubts(search, explanation.proofs, tried, ("value", "values"))
        elif repeats is not None and len(repeats.values) > 1:
            doubt = "several ways to treat documents that occur twice would do"
        return ("consistent" if doubt else "proved"), doubt, rivals

    def _fair(self, asked: Sequence[Asked], found: Conventions) -> list[Asked]:
        """The answers on inputs on which conventions determine the metric's values.

        Not those with another highest level, if the metric knows one only; and if ids that are spelt
        differently are the same, not of queries where they meet: the axis does not say which one counts.
        """
        constant = self._knows_one_top_level(found)
        fair = [one for one in asked if not constant or highest_level(one.probe) == TOP_LEVEL]
        unclear = [where_ids_meet(one.probe, found[IDS]) for one in fair]
        return [replace(one, undefined=ids) if ids else one for one, ids in zip(fair, unclear, strict=True)]

    def _knows_one_top_level(self, found: Conventions) -> bool:
        """Whether the highest level of the qrels matters and is not passed to the metric.

        Then it is a constant of the metric, and only inputs with the level of the battery can be
        predicted.
        """
        given = self.call is None or not self.call.of_one or "max_grade" in self.call.words
        return found[IDEAL] in OF_HIGHEST and not given

    def _ignores_cutoff(self, known: Recognised) -> bool:
        """Whether it is a measure with another cutoff, and its values stay the same when it is asked for yet
        another one."""
        about, cutoff = self.subject.measure, self.subject.measure.cutoff
        if not cutoff or known.measure is None or parse_measure(known.measure).cutoff == cutoff:
            return False
        other = replace(about, cutoff=1 if cutoff > 1 else 2)
        some = [one for one in self.fresh if isinstance(one.answer, MeasureValues)][:_SAME_ON]
        return all(self.subject.ask(one.probe, other).answer == one.answer for one in some)

    @property
    def _takes_repeats(self) -> bool:
        return self.base[DUPLICATES] is not Duplicates.ERROR

    def _accepted(self, repeats: DuplicateHandling) -> list[Accepted]:
        if repeats.example is None:
            return []
        return [accepted(repeats.example, repeats.values, self.subject.id, self.call)]

    def _labels(self, conventions: Conventions) -> list[str]:
        changed = conventions.changes_from(self.base)
        return [axis.label for axis in likeliest() if axis.name in changed]

    def _bounded(self, evidence: Sequence[Evidence]) -> bool:
        """Whether the reference's values lie in [0, 1] on every input of the battery."""
        values = [v for e in evidence for v in e.recomputer.evaluated(self.base).values.tolist()]
        return all(0 <= value <= 1 + 1e-9 for value in values if not math.isnan(value))

    def _shown(self, example: Asked, cause: str, explanation: str, note: str) -> Counterexample:
        expected, target = example.predicted(self.base), self.subject.id
        return counterexample(example, expected, cause, explanation, target, self.call, self.reference, note)

    def _notes(self, found: Conventions, checked: Sequence[Checked]) -> list[str]:
        notes = list(self.tried)
        if self._knows_one_top_level(found):
            notes.append(f"tried with a highest level of {TOP_LEVEL} only, which is not passed to it")
        withheld = [refusal for of in checked for refusal in of.withheld]
        if withheld:
            probe, said = withheld[0]
            inputs = count(len(withheld), "input")
            notes.append(f"no value on {inputs} out of the ordinary ({probe.about}), such as: {said}")
        failed = [one for one in self.asked if isinstance(one.answer, BackendError)]
        if failed:
            about = ", ".join(dict.fromkeys(one.probe.about for one in failed))
            said = str(failed[0].answer).splitlines()[0]
            notes.append(f"it failed on {count(len(failed), 'experiment')} ({about}), such as with: {said}")
        answers = (one.answer for one in self.asked if isinstance(one.answer, MeasureValues))
        if any(math.isnan(v) for answer in answers for v in answer.values.values()):
            notes.append("it returned NaN on some ordinary inputs")
        return notes

    def so_far(self) -> str:
        """A line about what is known before the audit has ended."""
        evidence = [e for one in (*self.asked, *self.fresh) if (e := one.evidence(self.base)) is not None]
        values = sum(int(e.observed.present.sum()) or int(e.counts_mean) for e in evidence)
        unmet = sum(e.unmet(self.base) for e in evidence)
        return f"values so far: {values:,}; not those of the reference: {unmet:,}"


def _of_decimals(decimals: int | None) -> float:
    """The tolerance of printed decimals, 0.0 for full precision."""
    return 0.0 if decimals is None else 0.5 * 10.0**-decimals


def _precision(tolerance: float, decimals: int | None) -> Precision:
    if _of_decimals(decimals) > tolerance:
        return "printed"
    return "double" if tolerance == min(TOLERANCES) else "single"


#: Fresh inputs may take so many times as long as one call.
_TIMEOUTS = 6


def _silent(message: str) -> None:
    """Discard progress messages."""


def audit(
    target: str | Callable[..., object] | Backend,
    measure: str,
    *,
    call: str | None = None,
    seed: int = 0,
    reference: str | Conventions = "trec_eval-9.0.8",
    fixtures: str | Sequence[str] | None = None,
    options: Options | None = None,
    progress: Callable[[str], None] = _silent,
) -> Audit:
    """Find out by experiment which conventions a metric follows.

    Args:
        target: ``package.module:function``, ``path/to/file.py:function``, ``exec:COMMAND``, a backend id, or
            the function itself. It is called in a child process; only a function that a child cannot import
            (a lambda, a closure) is called in this process.
        measure: the measure that it claims to compute.
        call: the call, such as ``"f(gains, k)"``; None to find it from the parameters and by trying.
        seed: for the choice of inputs; the same seed gives the same audit.
        reference: the conventions that deviations are counted from.
        fixtures: a folder of cases to confirm the result on, or several; None for none.
        options: the seconds allowed for one call (six times as long for all fresh inputs), and settings of
            some backends.
        progress: called with a message at each step.

    Returns:
        The record. A metric that cannot be called has the verdict ``uncallable`` and a message.

    Raises:
        UsageError: a measure, call, target or profile that does not exist.
        InputError: ``fixtures`` holds no case.
        KeyboardInterrupt: at Ctrl-C, with a note of what is known so far.
    """
    parsed = parse_measure(measure)
    if family(parsed.family).detailed:
        raise UsageError(
            f"{parsed} needs {family(parsed.family).needs}, and the inputs of an audit have none",
            hint="compare the metric over cases instead: crosscheck run",
        )
    spec = conventions_for(reference, parsed)
    given = None if call is None else parse_call(call)
    options = options or Options(timeout=20.0)
    backend = target_of(target, given, options)
    with guarded(backend, options) as asked:
        subject = AuditedMetric(asked, parsed, progress)
        session = Session(
            subject=subject,
            base=with_measure_parameters(spec, parsed),
            reference=reference if isinstance(reference, str) else "given conventions",
            seed=seed,
            fixtures=[fixtures] if isinstance(fixtures, str) else fixtures,
            seconds=_TIMEOUTS * options.timeout,
        )
        if not asked.supports(parsed):
            return session.uncallable(asked.lacks(parsed), given)
        session.call = backend.call if isinstance(backend, CalledFunction) else None
        if isinstance(backend, CalledFunction) and session.call is None:
            how = find_call(subject, session.base)
            if how.call is None:
                return session.uncallable(how.message, given)
            session.call, session.tried = how.call, how.tried
        first = _first_answer(subject)
        if isinstance(first, BackendError):
            return session.uncallable(str(first), given)
        if not first.values and first.mean is None:
            return session.uncallable(f"{backend.id} gave no value for an ordinary query", given)
        try:
            return session.audited(first)
        except KeyboardInterrupt as error:
            if not getattr(error, "__notes__", ()):
                error.add_note(session.so_far())
            raise


def _first_answer(subject: AuditedMetric) -> MeasureValues | BackendError:
    """The answer on a query of two documents or, failing that, on one that any metric answers."""
    first: MeasureValues | BackendError | None = None
    for probe in (Probe("an ordinary query", (company(),), None), friendly_probe(subject.measure)):
        given = subject.needs.given(probe)
        answer = subject.answer(given.qrels, given.run)
        if isinstance(answer, MeasureValues) and (answer.values or answer.mean is not None):
            return answer
        first = first or answer
    assert first is not None
    return first
