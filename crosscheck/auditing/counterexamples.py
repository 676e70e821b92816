"""Counterexamples: the smallest input found for each deviation of a metric; and its behaviour on edge
cases."""

import math
import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import cached_property
from itertools import chain, count, islice
from typing import NamedTuple

import numpy as np
from msgspec import Struct, field
from msgspec.structs import replace

from crosscheck.auditing import checking
from crosscheck.auditing.calls import Call
from crosscheck.auditing.checking import LEAK, ArbitraryTies, Checked
from crosscheck.auditing.metric import NO_VALUES, Asked, AuditedMetric, Predictions, native_answer
from crosscheck.axes import likeliest
from crosscheck.axes.judging import DEPTH, UNIVERSE, Universe
from crosscheck.axes.ties import ORDER, TIES
from crosscheck.conventions import AxisValue, Conventions
from crosscheck.errors import BackendError, CrosscheckError, TimeIsUp
from crosscheck.explain.evidence import equal_numbers, of_no_query
from crosscheck.explain.labels import causes
from crosscheck.explain.search import single_changes
from crosscheck.inputs.battery import several_queries, small_queries, tied_probes
from crosscheck.inputs.queries import Probe, Query, ranked, smallest
from crosscheck.model import Measure, MeasureValues
from crosscheck.rankings.pairing import Memo

#: A cutoff larger than the number of documents of the query.
PAST_THE_END = 1000

_HUGE = 10_000
#: Inputs for which there is no value to compare, because trec_eval refuses them or its behaviour is
#: undefined.
_WITHOUT_REFERENCE = frozenset({"empty run", "empty qrels", "a document twice", "NaN score"})
#: Inputs for which trec_eval's behaviour is undefined.
_UNDEFINED = frozenset({"NaN score", "k = 0"})


ORDINARY = ranked("ab", [("a", 1), ("b", 0)])


def _queries() -> Iterator[tuple[str, Query]]:
    """Yield (name, query) for each unusual input."""
    judged, long = (("a", 0), ("b", 2), ("c", 1)), "x" * _HUGE
    yield "empty run", Query(judged, ())
    yield "empty qrels", ranked("abc")
    yield "all tied", ranked("abc", judged).rescored([1.0, 1.0, 1.0])
    yield "a document twice", ranked("bba", judged)
    yield "negative level", ranked("ab", [("a", -1), ("b", 2)])
    yield "NaN score", ranked("abc", judged).rescored([math.nan, 2.0, 1.0])
    yield "infinite score", ranked("abc", judged).rescored([math.inf, 2.0, -math.inf])
    yield "id of 10,000 letters", ranked([long], [(long, 1)])
    yield "no relevant document", ranked("ab", [("a", 0), ("b", 0)])


def _inputs(call: Call | None) -> list[Probe]:
    """The unusual inputs that the call can pass."""
    return [Probe(name, (("1", query),), None) for name, query in _queries() if _passes(call, name)]


def behaviour_probes(call: Call | None) -> list[Probe]:
    """The unusual inputs that the call can pass and for which trec_eval has a value."""
    return [probe for probe in _inputs(call) if probe.about not in _WITHOUT_REFERENCE]


def behaviour(subject: AuditedMetric) -> dict[str, str]:
    """Name of an unusual input -> the metric's result on it in words: a value, "no value", or the error."""
    verb = "fails:" if subject.call is None else "raises"
    experiments = _experiments(subject)
    return {probe.about: _in_words(subject.ask(probe, of).answer, verb) for probe, of in experiments}


def behaviour_of_reference(subject: AuditedMetric, conventions: Conventions) -> dict[str, str]:
    """Name of an unusual input -> the reference's result on it in words, if that result is defined; its mean
    if the metric gives only means."""
    known = ((probe, of) for probe, of in _experiments(subject) if probe.about not in _UNDEFINED)
    answers = ((p.about, native_answer(p.qrels, p.run, of, conventions)) for p, of in known)
    return {about: _in_words(answer, "refused:", mean=not subject.reads) for about, answer in answers}


def _experiments(subject: AuditedMetric) -> Iterator[tuple[Probe, Measure]]:
    """Yield (input, measure) for unusual inputs, then for unusual cutoffs on an ordinary input."""
    yield from ((probe, subject.measure) for probe in _inputs(subject.call))
    for measure in subject.with_cutoffs((0, PAST_THE_END)):
        yield Probe("k past the end" if measure.cutoff else "k = 0", (("1", ORDINARY),), None), measure


def _passes(call: Call | None, name: str) -> bool:
    """Whether a call passes to the metric what is unusual in the input with this name."""
    if call is None:
        return True
    words, several = call.words, not call.of_one
    passed = dict.fromkeys(("NaN score", "infinite score", "all tied"), several or call.passes_scores)
    passed |= {
        "a document twice": "run" not in words,  # a dict cannot hold it
        "id of 10,000 letters": several or bool(words & {"ranked_ids", "relevant_ids", "relevance"}),
        "negative level": several or "relevance" in words,
    }
    return passed.get(name, True)


def _in_words(answer: MeasureValues | BackendError, verb: str, *, mean: bool = False) -> str:
    """The value of query 1 as text; the mean if ``mean``, or without values; the error after ``verb``."""
    if isinstance(answer, BackendError):
        return f"{verb} {answer.message.splitlines()[0]}"
    value = answer.mean if mean or not answer.values else answer.values.get(b"1")
    if value is None:
        return "no value"
    return "NaN" if math.isnan(value) else repr(value)


#: Maximum number of inputs on which the metric is called per cutoff.
_TRIES = 16
#: Maximum number of calls while an input is made smaller.
_MOST_CALLS = 150
#: Maximum number of inputs with unexplained values, of all sizes, of which counterexamples are made.
_LOOKED_AT = 60


class Hunt(Struct, dict=True):
    """Searches for counterexamples of a metric.

    Attributes:
        base: the reference's conventions.
        found: the metric's conventions.
        probes: inputs of the audit, which are shrunk if no small input shows the deviation.
        seed: seed of the random inputs.
        tolerance: tolerance within which values are compared.
    """

    subject: AuditedMetric
    base: Conventions
    found: Conventions
    probes: Sequence[Probe]
    seed: int
    tolerance: float
    _predictions: Memo = field(default_factory=Memo)
    _predicting: list[Conventions] = []  # the set that predicted a value last, which is tried first

    @cached_property
    def _small(self) -> list[Probe]:
        """Small inputs: single queries; and inputs of two or three queries, as probes that read a value if
        the metric gives values, and the mean if it gives means."""
        first = self.subject.first
        single = (Probe("", (("1", query),), self.subject.reads) for query in small_queries(self.seed))
        several = several_queries()
        return [*single, *(p for p in several if (first.values if p.reads else first.mean is not None))]

    def of_axis(self, axis: str) -> tuple[Asked | None, str]:
        """The smallest input that shows the effect of an axis, with a note if it shows only beside the
        metric's other conventions; None if none is found.

        The metric's other conventions do not give its value on this input, but this axis alone does if it is
        changed in the reference's conventions. If there is no such input, one on which the metric's value
        follows if this axis is added to its other conventions.
        """
        alone = self.base.with_changes(**{axis: self.found.plain(axis)})
        without = self.found.with_changes(**{axis: self.base.plain(axis)})
        # Documents with equal scores do not show that scores do not count.
        tied = [self.base.with_changes(ties=rule) for rule in ("input", "docid-asc") if axis == ORDER.name]
        for after, note in ((alone, ""), (self.found, _BESIDE)):
            if (asked := next(self._showing((self.base, without, *tied), after), None)) is not None:
                return asked, note
        return None, ""

    def _showing(self, before: Sequence[Conventions], after: Conventions) -> Iterator[Asked]:
        """Yield answers in which the metric's value is predicted by ``after`` and by its own conventions, but
        not by those in ``before``.

        The inputs are small ones, also with other cutoffs, then inputs of the audit, shrunk.
        """

        def tells(probe: Probe, measure: Measure) -> bool:
            """Whether the predictions differ as described, before the metric is called."""
            new, *others = map(Asked(probe, NO_VALUES, measure).predicted, (after, self.found, *before))
            same = [equal_numbers(new, other, self.tolerance) for other in others]
            return same[0] and not any(same[1:])

        def shown(probe: Probe, measure: Measure) -> Iterator[Asked]:
            asked = self.subject.ask(probe, measure)
            is_old, is_new = (asked.is_value(asked.predicted(c), self.tolerance) for c in (self.base, after))
            if asked.error is None and is_new and not is_old:
                yield asked

        own = self.subject.measure
        for measure in (own, *self.subject.with_cutoffs(range(1, min(own.cutoff or 0, 4)))):
            for probe in _diverse(self._hits(self._small, measure, before, after)):
                if tells(probe, measure):
                    yield from shown(probe, measure)
        for probe in self._hits(self.probes, own, before, after)[:_TRIES]:
            if tells(probe, own):
                yield from shown(smallest(probe, lambda smaller: tells(smaller, own)), own)

    def _hits(
        self, probes: Sequence[Probe], of: Measure, before: Sequence[Conventions], after: Conventions
    ) -> list[Probe]:
        """The probes, smallest first, for which ``after`` and the metric's conventions predict the same
        value, but none in ``before`` does. Inputs without a predicted mean come last: many metrics give 0."""
        tried = self._predictions.once((probes is self._small, of), lambda: Predictions(probes, of))
        one, all_, *others = map(tried.codes, (after, self.found, *before))
        hits = np.flatnonzero((one == all_) & np.all([one != other for other in others], axis=0)).tolist()
        hits.sort(key=lambda i: (probes[i].reads is None and one[i] == -np.inf, probes[i].size))
        return [probes[i] for i in hits]

    def is_unknown(self, asked: Asked, *, strictly: bool) -> bool:
        """Whether the metric answered, and neither its conventions nor the reference's predict the value; if
        ``strictly``, also not these with one axis changed. False for 0 or NaN where no value is predicted."""
        value, predicted = asked.value, asked.predicted(self.found)
        if asked.error is not None or (value is not None and of_no_query(value) and predicted is None):
            return False
        known = dict.fromkeys((self.found, self._cut_at(asked.measure.cutoff), self.base))
        sets = (single_changes(replace(asked.recomputer, base=c)) for c in known)
        changed = chain(self._predicting, chain.from_iterable(sets)) if strictly else ()
        for conventions in chain(known, changed):
            if asked.is_value(asked.predicted(conventions), self.tolerance):
                self._predicting = [conventions] if conventions not in known else self._predicting
                return False
        return True

    def _cut_at(self, cutoff: int | None) -> Conventions:
        """The metric's conventions for another cutoff: a depth that equals its own cutoff follows it."""
        follows = self.found[DEPTH] == self.subject.measure.cutoff
        return self.found.having(DEPTH, cutoff) if follows else self.found

    @cached_property
    def at_other_cutoffs(self) -> list[Asked]:
        """The answers for a cutoff of 1, 3 and 7, for twice the cutoff, and for 1,000, also above the number
        of documents."""
        cutoffs = (1, 2 * (self.subject.measure.cutoff or 1), PAST_THE_END, 3, 7)
        long = ((f"k = {k}", k, _relevant_but_thirds(max(cutoffs[1], k) + 2)) for k in cutoffs)
        return [
            self.subject.ask(Probe(about, (("1", query),), self.subject.reads), of)
            for about, k, query in (("k past the end", PAST_THE_END, ORDINARY), *long)
            for of in self.subject.with_cutoffs([k])
        ]

    def unexplained(self, asked: Iterable[Asked], *, rules: bool = True) -> Asked | None:
        """The answer on the smallest input, shrunk, on which conventions do not predict the metric's value.

        Args:
            asked: answers with such inputs.
            rules: whether to prefer an input on which no single change of conventions predicts the value
                either.
        """
        by_size = sorted(asked, key=lambda one: one.alone.probe.size)
        by_size = by_size[:: len(by_size) // _LOOKED_AT + 1]
        for strictly in (True, False) if rules else (False,):

            def unpredicted(probe: Probe, strictly: bool = strictly) -> Asked | None:
                asked = self.subject.ask(probe)
                return asked if self.is_unknown(asked, strictly=strictly) else None

            some = (one.probe for one in by_size if self.is_unknown(one.alone, strictly=strictly))
            if smallest := _smallest_found(islice(some, 2), unpredicted):
                return smallest
        return None

    def of_lines(self, example: Asked) -> bool:
        """Whether the metric's value is as predicted if the lines of each query of the run follow one
        another. (Those of the inputs of several queries do not.)"""
        run = example.probe.run
        if run.lines is None:
            return False
        first = np.minimum.reduceat(run.lines, run.offsets[:-1])[run.topic_numbers]
        lines = np.argsort(np.lexsort((run.lines, first)))
        answer = self.subject.answer(example.probe.qrels, replace(run, lines=lines), example.measure)
        return replace(example, answer=answer).is_value(example.predicted(self.found), self.tolerance)

    def why_unexplained(self, example: Asked | None) -> str:
        """The sentence that explains an unexplained counterexample."""
        if example is None:
            return causes()[UNEXPLAINED].summary
        probe = example.probe
        if probe.reads is None and len(probe.queries) > 1:
            alone = [self.subject.ask(replace(probe.of(id), reads=None)) for id, _ in probe.queries]
            if all(one.is_value(one.predicted(self.found), self.tolerance) for one in alone):
                return _OF_MEANS
        return causes()[UNEXPLAINED].summary if self.is_unknown(example, strictly=True) else _OF_SEVERAL

    def of_refusal(self, probes: Iterable[Probe]) -> Asked | None:
        """The answer on the smallest ordinary input for which the reference has a value and the metric has
        none; None if it is not found."""

        def refused(probe: Probe) -> Asked | None:
            asked = self.subject.ask(probe)
            told = asked.value is not None or asked.predicted(self.base) is None
            return None if told or not checking.should_answer(asked) else asked

        probe = min(probes, key=lambda probe: probe.size)
        read = probe.queries[0][0] if len(probe.queries) == 1 else probe.reads
        return _smallest_found([replace(probe, reads=read if self.subject.reads else None)], refused)


def _relevant_but_thirds(length: int) -> Query:
    """A list in which every third document, from the third on, is not relevant."""
    docnos = [f"d{rank}" for rank in range(1, length + 1)]
    return ranked(docnos, [(docno, int(rank % 3 > 0)) for rank, docno in enumerate(docnos, 1)])


def _smallest_found(probes: Iterable[Probe], find: Callable[[Probe], Asked | None]) -> Asked | None:
    """The counterexample on the smallest input to which one of the probes can be shrunk; None if no probe is
    a counterexample.

    Args:
        find: returns the metric's answer on a probe if it is a counterexample, else None.
    """
    calls, shown = count(1), list[Asked]()

    def holds(probe: Probe) -> bool:
        found = None
        with suppress(TimeIsUp):  # then the smallest counterexample so far is returned
            found = find(probe) if next(calls) <= _MOST_CALLS else None
        shown.extend([] if found is None else [found])
        return found is not None

    for probe in probes:
        if holds(probe):
            smallest(probe, holds)
    return min(reversed(shown), key=lambda one: one.probe.size, default=None)


def _diverse(probes: Sequence[Probe]) -> list[Probe]:
    """A varied selection of probes: the first two with the same size, number of documents and highest level.
    (A metric may fail on a single document, or support only one highest level.)"""
    kinds: Counter[tuple[object, ...]] = Counter()
    chosen: list[Probe] = []
    for probe in probes:
        query = probe.queries[0][1]
        highest = max((level for _, level in query.judged), default=0)
        kind = probe.size, len(query.lines), highest, len(probe.queries), probe.reads
        kinds[kind] += 1
        chosen += [probe] * (kinds[kind] <= 2)
    return chosen[:_TRIES]


UNEXPLAINED, REFUSES = "unexplained", "refuses-input"
#: Maximum number of inputs with ties on which the metric is called to see whether ties follow no rule.
_TIED = 300


class Unpredicted(NamedTuple):
    """The answers of a metric that conventions do not predict, by kind; all empty if they predict everything.

    Attributes:
        leaks: answers in which the value of a query depends on other queries.
        refused: answers on ordinary inputs for which the metric gave no value.
        unexplained: answers with a wrong value.
        beyond: an answer with a wrong value for another cutoff.
        tied: answers whose value follows from some order of the tied documents, but from no rule for ties.
        orders: the comparison with all orders of tied documents.
    """

    leaks: list[Asked]
    refused: list[Asked]
    unexplained: list[Asked]
    beyond: Asked | None
    tied: list[Asked]
    orders: ArbitraryTies

    @property
    def labels(self) -> list[str]:
        """The labels of the kinds that occur, except ``tied``."""
        kinds = {LEAK: self.leaks, REFUSES: self.refused, UNEXPLAINED: self.unexplained or self.beyond}
        return [label for label, inputs in kinds.items() if inputs]


def unpredicted(
    hunt: Hunt,
    conventions: Conventions,
    checked: Sequence[Checked],
    repeats: checking.DuplicateHandling,
    *,
    ties_open: bool,
) -> Unpredicted:
    """Sort the answers of a metric that conventions do not predict by kind.

    Args:
        conventions: the metric's conventions, with the reference's order of tied documents.
        checked: the results on the battery, on fresh inputs and on cases.
        repeats: the metric's treatment of documents that occur twice, empty if the reference refuses them.
        ties_open: whether the metric orders tied documents itself, instead of receiving them in order.
    """
    subject = hunt.subject
    leaks = [leak] if (leak := checking.leak_of(subject)) else [one for of in checked for one in of.leaks]
    refused = [asked for of in checked for asked in of.refused]
    unexplained = [asked for of in checked for asked in of.differs]
    if repeats.example is not None and not repeats.values:
        unexplained.append(repeats.example)
    given = (asked for asked in (*hunt.at_other_cutoffs, *_of_nothing(hunt)) if asked.value is not None)
    beyond = next((asked for asked in given if hunt.is_unknown(asked, strictly=False)), None)
    tied, orders = list[Asked](), ArbitraryTies(subject, conventions)
    more = tied_probes(random.Random(hunt.seed), subject.measure.cutoff, _TIED)
    if unexplained and ties_open and orders.explain(unexplained, more=more):
        tied, unexplained = unexplained, []
        leaks = [one for one in leaks if not orders.explains(one)]
    return Unpredicted(leaks, refused, unexplained, beyond, tied, orders)


def _of_nothing(hunt: Hunt) -> Iterator[Asked]:
    """Yield the answer for an empty list, if the call passes single lists and the value is not that of a list
    without judged documents. (Where documents are appended, nothing is known of it.)"""
    subject = hunt.subject
    if subject.call is not None and subject.call.of_one and hunt.found[UNIVERSE] is not Universe.APPENDED:
        asked = subject.ask(replace(_inputs(subject.call)[0], reads=subject.reads))
        unjudged = asked.probe.changed(lambda query: replace(query, lines=ranked("z").lines))
        if not asked.is_value(replace(asked, probe=unjudged).predicted(hunt.found), hunt.tolerance):
            yield asked


_NO_RULE = "ties are ordered by no known rule: some order of the tied documents gives exactly this value"


def examples(
    hunt: Hunt, conventions: Conventions, unpredicted: Unpredicted
) -> Iterator[tuple[Asked | None, str, str, str]]:
    """Yield (answer, label, explanation, note) for the smallest input found for each deviation of a metric;
    the answer is None if none was found. The note says why the input cannot be small, or that it shows the
    deviation only beside others; else it is empty.

    Args:
        conventions: the metric's conventions.
    """
    leaks, refused, unexplained, beyond, tied, _ = unpredicted
    yield hunt.unexplained(tied, rules=False), TIES.label, _NO_RULE, ""
    changed = conventions.changes_from(hunt.base)
    for axis in likeliest():
        if axis.name in changed:
            sides = hunt.base.plain(axis.name), changed[axis.name]
            example, beside = hunt.of_axis(axis.name)
            note = _depth_note(sides) if axis.name in ("depth", "rr_cutoff") else beside
            yield example, axis.label, axis.describe(*sides), note
    if leaks:
        example = leaks[0] if len(leaks[0].probe.queries) == 2 else hunt.unexplained(leaks)
        misplaced = example is not None and _misplaced(example, conventions, hunt.tolerance)
        why = _MISPLACED if misplaced else causes()[LEAK].summary
        yield example, LEAK, _INTERLEAVED if example is not None and hunt.of_lines(example) else why, ""
    if refused:
        example = hunt.of_refusal(asked.probe for asked in refused)
        problem = (example.error if example is not None else None) or checking.GIVES_NONE
        yield example, REFUSES, f"{causes()[REFUSES].summary}: {problem}", ""
    if unexplained or beyond is not None:
        example = hunt.unexplained(unexplained) if unexplained else beyond
        yield example, UNEXPLAINED, hunt.why_unexplained(example), ""


def _misplaced(asked: Asked, conventions: Conventions, tolerance: float) -> bool:
    """Whether the values of an answer are those that conventions predict, but for other queries."""
    given = sorted(asked.given.values.values())
    with suppress(CrosscheckError):
        scores = asked.recomputer.evaluated(conventions)
        expected = sorted(scores.values[scores.present].tolist())
        alike = len(given) == len(expected) > 1
        return alike and bool(np.allclose(given, expected, rtol=0.0, atol=tolerance))
    return False


_MISPLACED = "the values of queries stand under the ids of other queries"
_INTERLEAVED = "the value is wrong where lines of another query stand between those of the query"
_BESIDE = "this shows only beside its other conventions, which change the value here, too"
_OF_SEVERAL = "no conventions give all values, so suspect a bug"
_OF_MEANS = "each query alone has the value of the metric's conventions, but together they have another mean"


def _depth_note(sides: Sequence[AxisValue]) -> str:
    """The note that a difference in depth shows only in long lists. ``sides``: the two depths."""
    rank = min(side for side in sides if isinstance(side, int))
    return f"at least {rank + 1} retrieved documents are needed: up to rank {rank} nothing differs"
