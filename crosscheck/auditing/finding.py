"""Finding the call of a function, by trying the calls that its signature allows.

Calls are sorted by names, annotations and docstrings. Calls that are equally plausible by these are tried on
inputs like those of the battery, never on fresh inputs. A call must return numbers. Of several calls with
different numbers, the one whose numbers conventions explain is used. If the names say nothing, conventions
must explain every number.
"""

from __future__ import annotations

import math
import random
import re
from collections.abc import Callable, Sequence
from itertools import combinations, groupby, islice

import msgspec
import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from crosscheck.audit_records import EVERY_RANKING
from crosscheck.auditing.calls import Call, named_columns, parse_call, words_in
from crosscheck.auditing.checking import said_of
from crosscheck.auditing.explaining import distinct_scores, share_explained
from crosscheck.auditing.metric import NO_VALUES, Asked, AuditedMetric, Needs
from crosscheck.auditing.signatures import IN_A_ROW, UNKNOWN
from crosscheck.auditing.targets import UNNAMED, CalledFunction
from crosscheck.auditing.words import COLUMNS, FRAMES, SUBJECTS
from crosscheck.axes.gains import GAIN
from crosscheck.axes.ties import ORDER, Order
from crosscheck.backends.base import Backend
from crosscheck.backends.guarded import Guarded
from crosscheck.backends.python_callable import PythonCallable
from crosscheck.conventions import Conventions
from crosscheck.errors import BackendError, TimeIsUp
from crosscheck.evaluation.formula import with_measure_parameters
from crosscheck.explain.evidence import TOLERANCES
from crosscheck.explain.labels import NOT_REPEATABLE
from crosscheck.inputs.battery import DEEP, TOP_LEVEL, filler_query, mean_probes, mixed_probes, query_probes
from crosscheck.inputs.queries import Line, Probe, Query
from crosscheck.measures import family
from crosscheck.model import Measure

#: Number of mixed inputs on which calls are tried; maximum number of axes changed to explain a call's
#: numbers.
_MIXED, _CHANGES = 8, 3
#: A call that returns the same number on this many first inputs is not tried on further inputs.
_SAME = 2 + _MIXED
#: Number of calls for whose numbers an explanation is searched: the first calls, and further calls whose
#: numbers depend most on what was retrieved.
_MOST_EXPLAINED, _MOST_TELLING = 6, 2
#: The lists of :func:`friendly_probe` do not get longer for cutoffs above this one.
_LONGEST = 60
#: Smallest share of ordinary inputs that a call must answer, and of numbers that conventions must explain if
#: a function reads frames by position; share of answered inputs from which on no requirements are tried.
_HALF, _ENOUGH = 0.5, 0.9
#: Factor by which levels are raised in a second attempt: some metrics use a scale from 0 to 10, or to 30.
_RAISED = 10
#: Maximum number of calls that are named in a message or report.
_MOST_LISTED = 6
#: Maximum number of calls that are named in a sentence.
_MOST_NAMED = 2
#: A list of one row.
_ROW = re.compile(rf"\[({IN_A_ROW.replace(' ', '|')})\]")
#: Smallest difference of two ratings that makes one of two calls likelier.
_LIKELIER = 0.1
#: Measures that depend on the first relevant document only.
_OF_FIRST = {"RR", "Success"}
#: Words that pass lists of 0 and 1.
_OF_TWO_LEVELS = {"binary", "all_binary"}
#: Share of predicted values above which a call that never fails is likelier than one that sometimes does.
_NEARLY = 0.9


class FoundCall(Struct, frozen=True):
    """The call to use, or the reason why there is none.

    Attributes:
        call: the call; None for a backend, if no call works, or if several calls are equally likely.
        message: the reason why the metric cannot be used; empty if it can be used.
        changing: a sentence if this call shows that the metric is not repeatable, and no call is right.
        tried: sentences for the report: one for each call that was tried and not used, and one on the inputs
            if some kinds of inputs must be avoided.
    """

    call: Call | None
    message: str = ""
    changing: str = ""
    tried: tuple[str, ...] = ()


class Trial(Struct, eq=False, kw_only=True):
    """A call that is tried, with its answers.

    Attributes:
        needs: requirements that the inputs were changed to meet.
        asked: the answers.
        answered: of the inputs with a relevant retrieved document, the share on which the call returned a
            number.
        tells: the share of inputs with a relevant retrieved document on which the number differs from the
            usual number without one, less the same share for inputs without one. Low if the call passes the
            wrong list.
        predicted: share of the numbers that the best set of conventions predicts; None if no set was
            searched.
        conventions: the best set of conventions.
        changes: the number of axes on which ``conventions`` differ from the reference's.
    """

    call: Call
    needs: Needs
    asked: list[Asked]
    answered: float
    tells: float
    predicted: float | None = None
    conventions: Conventions = msgspec.field(default_factory=Conventions)
    changes: int = 0

    @property
    def subjects(self) -> list[frozenset[str]]:
        """For each argument of the call, the data that it contains, whatever the container."""
        words = ([word for word, *_ in words_in(argument)] for argument in self.call.arguments)
        return [frozenset(SUBJECTS.get(word, word) for word in some) for some in words]

    @property
    def passed(self) -> tuple[list[frozenset[str]], bool, bool]:
        """The data of the call: ``subjects``; whether of one query; and whether one relevant document."""
        return self.subjects, self.call.of_one, self.call.of_one_relevant

    @property
    def readings(self) -> list[Asked]:
        """The answers on inputs of a single query, each reduced to a mean with the value of this query. If
        the call gives only means, all answers, each reduced to its mean."""
        means = all(one.probe.reads is None for one in self.asked)
        return [
            replace(one, answer=replace(one.given, values={}, mean=one.value))
            for one in self.asked
            if one.error is None and (means or (one.probe.reads is not None and len(one.probe.queries) == 1))
        ]

    @property
    def failures(self) -> int:
        """The number of inputs on which the function raised an error."""
        return sum(one.error is not None for one in self.asked)

    @property
    def explained(self) -> bool:
        """Whether a set of conventions predicts every answer."""
        return self.predicted == 1

    @property
    def doubtful(self) -> bool:
        """Whether the call passes all queries, but its numbers hardly depend on what was retrieved. The
        function may expect a single list, and read a dict of lists as the list of its keys."""
        return not self.call.by_query and self.tells < _LIKELIER

    def is_nested(self, other: Trial) -> bool:
        """Whether this call is the other call, which is usable, with a list of one row around each list.
        Functions of numpy compute with both, and mean the plain lists; those that mean rows fail on these."""
        return _ROW.sub(r"\1", str(self.call)) == str(other.call) != str(self.call) and not other.doubtful

    @property
    def rating(self) -> tuple[float, int]:
        """Sort key; the likeliest call has the highest. Its first entry is infinite if conventions explain
        all numbers, unless they change much and the numbers hardly depend on what was found. Otherwise it
        grows with the share of numbers that conventions predict, compared with the best constant, and with
        ``tells``. It is lower for a call that fails unless inputs are changed."""
        values = [one.value for one in self.asked if one.value is not None]
        constant = max(map(values.count, values)) / len(values)
        beyond_chance = ((self.predicted or 0.0) - constant) / ((1 - constant) or 1)
        rated = beyond_chance * self.answered + self.tells / 2 - _LIKELIER * (self.needs != Needs())
        sure = self.explained and (self.changes < 2 or self.tells >= _HALF)
        return math.inf if sure else rated, -self.changes

    def outdoes(self, other: Trial) -> bool:
        """Whether this call, which the names say, is likelier than one that several changes explain."""
        mostly = not self.changes and (self.predicted or 0.0) > _HALF and self.tells >= other.tells
        return mostly or self.call.words == other.call.words

    def nearly(self, best: Trial) -> bool:
        """Whether conventions explain neither this call nor the best call, and their ratings are close."""
        return not (self.explained or best.explained) and self.rating[0] > best.rating[0] - _LIKELIER

    def rivals(self, best: Trial) -> bool:
        """Whether this call is as likely as the best call: either different conventions explain the two, or
        conventions explain neither and their ratings are close.

        Calls that pass the same data in different containers are not rivals; the first of them is used.
        """
        differs = self.explained and self.conventions != best.conventions
        return self.subjects != best.subjects and (differs or self.nearly(best))

    def sentence(self, base: Conventions | None) -> str:
        """A sentence for the report on a call that was tried and not used."""
        tried = f"the call {self.call} was also tried and gave different values"
        if base is None or self.predicted is None:
            return tried
        if not self.explained:
            return f"{tried}, of which conventions explain {self.predicted:.0%}"
        changes = self.conventions.changes_from(self.call.leaves(base))
        changed = ", ".join(f"{axis}={value}" for axis, value in changes.items())
        return f"{tried}, which {changed or 'the reference'} explains"


def prepare(subject: AuditedMetric, base: Conventions | None) -> FoundCall:
    """Find out how to call a metric, and set its first answer (``subject.first``).

    If the metric is a function and the user gave no call, calls are tried. The first answer is for a query of
    two documents or, if the metric fails on it, for an input that any metric answers.

    Args:
        base: as for :func:`find_call`.
    """
    try:
        return _prepare(subject, base)
    except TimeIsUp:
        unknown = subject.function is not None and subject.call is None
        before = "a call of the metric was found" if unknown else "the metric answered an ordinary query"
        more = "; give the call with --call, or a larger --budget" if unknown else ""
        limit = f"the time limit of {subject.backend.budget:.0f} s"
        return FoundCall(None, f"{limit} was reached before {before}{more}")


def _prepare(subject: AuditedMetric, base: Conventions | None) -> FoundCall:
    if not subject.backend.supports(subject.measure):
        return FoundCall(None, subject.backend.lacks(subject.measure))
    unknown = subject.function is not None and subject.call is None
    found_call = find_call(subject, base) if unknown else FoundCall(subject.call)
    message = found_call.message or _first_answer(subject)
    asked = subject.backend.backend
    if message and isinstance(asked, PythonCallable):  # it may not take (qrels, run)
        subject.backend.exchange(CalledFunction(asked.id, None, asked))
        found_call = _prepare(subject, base)
        message = message if found_call.message else ""
    return FoundCall(None, message) if message else found_call


def _first_answer(subject: AuditedMetric) -> str:
    """Set ``subject.first`` to the metric's answer to an ordinary input.

    Returns:
        The reason why there is no answer; empty if there is one.
    """
    messages: list[str] = []
    for probe in (Probe("", (filler_query(),), None), friendly_probe(subject.measure)):
        asked = subject.ask(subject.needs.given(probe))
        if asked.given.values or asked.given.mean is not None:
            subject.first = asked.given
            return ""
        nothing = f"{subject.id} gave no value for an ordinary query"
        messages.append(nothing if asked.error is None else str(asked.answer))
    return messages[0]


def find_call(subject: AuditedMetric, base: Conventions | None) -> FoundCall:
    """Find the call of a function, and set it as the call of ``subject``.

    Args:
        base: the reference's conventions; None if it is not known which measure the function computes.

    Raises:
        ResourceError: memory, processes or files ran short.
    """
    friendly = friendly_probe(subject.measure)
    listed = [subject.possible_calls(needs.given(friendly)) for needs in (Needs(), Needs(retrieved=True))]
    notes = dict.fromkeys(note for one in listed for note in one.given.notes)
    if not notes:
        return FoundCall(None, str(listed[0].answer))
    # Lists of 0 and 1 would hide the gains of a measure that uses them.
    graded = subject.measure != UNNAMED and GAIN in family(subject.measure.family).reads
    costs = [(int(cost), parse_call(text)) for cost, _, text in (note.partition(" ") for note in notes)]
    # One rank per query would hide how other measures count the further ones.
    costs = [one for one in costs if subject.measure.family in _OF_FIRST or "rank" not in one[1].words]
    possible = [(cost + (graded and not call.words.isdisjoint(_OF_TWO_LEVELS)), call) for cost, call in costs]
    possible.sort(key=lambda entry: entry[0])
    ordinary = _trial_probes(subject.measure)
    found_call: FoundCall | None = None
    for probes in (ordinary, [probe.with_levels(lambda level: level * _RAISED) for probe in ordinary]):
        found_call = found_call or _chosen(subject, base, possible, probes)
    if found_call is not None and found_call.call is not None:
        return replace(found_call, call=_as_it_sorts(subject, found_call.call, ordinary))
    calls = [call for _, call in possible[:_MOST_LISTED]]
    given: dict[Call, list[str]] = {}  # the values of each call that was answered
    errors: list[str] = []
    for call in calls:
        subject.call_as(call)
        asked = [*map(subject.ask, ordinary)]
        answered = [one for one in asked if one.error is None]
        given |= {call: [str(one.value) for one in answered]} if answered else {}
        errors += [said_of(one) for one in asked if one.error is not None]
    values = [value for of_call in given.values() for value in of_call]
    different = {*values} - {str(None)} or {*values}
    constant = found_call is None and len(different) == 1 and 2 * len(values) > len(calls) * len(ordinary)
    tried = [*given][:1] if constant else calls
    ways = ((call, probe) for call in tried for probe in (friendly.of("1"), ordinary[0]))
    if remembering := next((way for way in ways if _remembers(subject, *way)), None):
        why = f"the function draws random numbers or keeps data of earlier calls (called as {remembering[0]})"
        return FoundCall(remembering[0], changing=f"{NOT_REPEATABLE.summary}: {why}")
    if found_call is not None:
        return found_call
    for call in tried if constant else ():  # it may give no value for a query alone, but for one of several
        subject.call_as(call)
        of_several = {*map(str, subject.ask(friendly).given.values.values())}
        if of_several and different.isdisjoint(of_several):
            return FoundCall(call)
    if constant:
        called = " and ".join(map(str, [*given][:_MOST_NAMED]))
        return FoundCall(None, f"called as {called}, the function gave {different.pop()} {EVERY_RANKING}")
    why = f", and most inputs fail ({errors[0]})" if 2 * len(errors) > len(calls) * len(ordinary) else ""
    message = f"no call gives numbers that depend on the input{why}; give a call other than these:"
    return _undecided(message, calls)


def _as_it_sorts(subject: AuditedMetric, call: Call, probes: Sequence[Probe]) -> Call:
    """The call with lists of pairs or rows in input order, if the function sorts these itself: if its values
    are those of rank order where no scores are tied, and input order would give others. Sets it as the call
    of ``subject``."""
    other, telling = call.in_input_order, list[Probe]()
    ranked, taken = Conventions(), Conventions().having(ORDER, Order.INPUT)
    for probe in probes if other != call and subject.measure != UNNAMED else ():
        queries = ((id, replace(query, lines=query.lines[::-1])) for id, query in probe.queries)
        mirrored = subject.needs.given(replace(probe, queries=tuple(queries)))
        values = map(Asked(mirrored, NO_VALUES, subject.measure).predicted, (ranked, taken))
        if len({*values}) > 1 and all(distinct_scores(query, np.float32) for _, query in mirrored.queries):
            telling.append(mirrored)
    given: list[list[float | None]] = []
    for way in (other, call):
        subject.call_as(way)
        given.append([_rounded(subject.ask(probe)) for probe in telling])
    if telling and given[0] == given[1]:
        subject.call_as(other)
        return other
    return call


def _remembers(subject: AuditedMetric, call: Call, probe: Probe) -> bool:
    """Whether a function that was called before gives a different value for a probe than a function that is
    called for the first time, in a new process."""
    subject.call_as(call)
    known, new = _rounded(subject.ask(probe)), _rounded(subject.again([probe])[0])
    return known is not None and new is not None and known != new


def _undecided(message: str, calls: Sequence[Call]) -> FoundCall:
    """No call, with a message that lists calls."""
    return FoundCall(None, "\n".join([message, *(f'  --call "{call}"' for call in calls)]))


def _chosen(
    subject: AuditedMetric, base: Conventions | None, possible: list[tuple[int, Call]], probes: list[Probe]
) -> FoundCall | None:
    """The call to use, or the message that the choice is not clear. None if no call gives numbers that depend
    on the inputs.

    Args:
        possible: (cost, call) pairs, sorted by cost.
    """
    before: list[Trial] = []  # none of them is explained
    named: list[Trial] = []  # the likeliest of them by names
    for cost, tier in groupby(possible, key=lambda entry: entry[0]):
        if named and cost >= UNKNOWN:
            break
        trials = _usable(subject, [call for _, call in tier], probes)
        trials = [trial for trial in trials if not any(map(trial.is_nested, trials))]
        if cost < UNKNOWN:
            trials = [trial for trial in trials if not trial.doubtful] or trials
        known = [*before, *trials]
        trials = [trial for trial in trials if not _passes_too_much(subject, trial, known, base)]
        if named:  # the same data in another form would hide a fault
            seen = [trial.passed for trial in before]
            trials = [trial for trial in trials if trial.passed not in seen]
            trials = [trial for trial in trials if not trial.doubtful]
        guessed = cost >= UNKNOWN or all(trial.doubtful for trial in trials)
        if base is not None and trials:
            _explain(trials, base)
            first = _likeliest(trials)
            trials.sort(key=lambda trial: (trial is first, trial.rating), reverse=True)
        # Of the same words exchanged, or beside a call by names that mostly gives the reference's values,
        # some conventions explain the values by chance.
        by_chance = named and trials and trials[0].changes > 1 and named[0].outdoes(trials[0])
        if trials and not by_chance and (trials[0].explained or (base is None and not guessed)):
            named = [*trials, *named]
            break
        if trials and not guessed and not named:
            named = trials
        before += trials
    if not before and not named:
        return None
    trials = _of_order(subject, named or before)
    if not named and not (len(trials) == 1 and (trials[0].predicted or 0.0) >= _HALF):
        message = "neither parameter names nor conventions show which call is right; give the right one:"
        return _undecided(message, [trial.call for trial in trials[:_MOST_LISTED]])
    best, *others = trials
    # Names that say the call, and the reference that explains it, leave no doubt.
    sure = base is None or (not guessed and best.explained and not best.changes)
    if rivals := [trial.call for trial in others if not sure and trial.rivals(best)]:
        message = "the parameters allow calls with different results; give the right one:"
        return _undecided(message, [best.call, *rivals])
    if base is not None and _by_position(subject, best, probes, base):
        message = f"the call {best.call} gives the same values if columns are renamed: {_WIDE}"
        return FoundCall(None, message)
    subject.call_as(best.call)
    subject.needs = best.needs
    tried = [trial.sentence(base) for trial in others[:_MOST_LISTED]]
    return FoundCall(best.call, tried=tuple(filter(None, (*tried, best.needs.words))))


#: End of the message for functions that need frames that no call can pass.
_WIDE = (
    "the function reads frames by position, such as wide frames with a row per query and a column per rank. "
    "A call can only pass frames with a row per document"
)


def _by_position(subject: AuditedMetric, trial: Trial, probes: Sequence[Probe], base: Conventions) -> bool:
    """Whether a metric ignores the names of columns, and conventions explain less than half of its values. (A
    metric that reads the right frames, but has a fault, has more explained values.)"""
    call = trial.call
    if call.words.isdisjoint(FRAMES) or call.names_columns or trial.explained:
        return False
    unnamed = named_columns(call, {column: f"no {column}" for table in FRAMES for column in COLUMNS[table]})
    subject.call_as(unnamed)
    other = _trial(subject, unnamed, probes, trial.needs)
    if list(map(_rounded, other.asked)) != list(map(_rounded, trial.asked)):
        return False
    if trial.predicted is None:
        _explain([trial], base)
    return (trial.predicted or 0.0) < _HALF


#: (word that passes ids, words that pass these ids with more, an input changed in what they pass more).
_WITH_MORE: tuple[tuple[str, set[str], Callable[[Probe], Probe]], ...] = (
    ("relevant_ids", {"relevance", "qrels"}, lambda probe: probe.with_levels(lambda level: 1)),
    ("ranked_ids", {"scored", "run"}, lambda probe: probe.with_scores(lambda score: -score)),
)


def _passes_too_much(
    subject: AuditedMetric, trial: Trial, trials: Sequence[Trial], base: Conventions | None
) -> bool:
    """Whether a call passes ids with levels or scores that the metric ignores, although one of ``trials``
    passes just the ids; or one relevant id, although one that passes all tells as much. (If documents judged
    nonrelevant matter to the measure, levels pass their ids as well.)"""
    words = trial.call.words
    passed = {word for other in trials if not other.doubtful for word in other.call.words}
    for ids, with_more, changed in _WITH_MORE:
        if ids == "relevant_ids" and base is not None and any(_of_nonrelevant(a, base) for a in trial.asked):
            continue
        if ids in passed and words & with_more:
            subject.call_as(trial.call)
            alike = ((one, subject.ask(changed(one.probe))) for one in trial.asked)
            if all(_rounded(before) == _rounded(after) for before, after in alike):
                return True
    of_all = [other.tells for other in trials if "relevant_ids" in other.call.words]
    return trial.call.of_one_relevant and max(of_all, default=0.0) > trial.tells - _LIKELIER


def _of_order(subject: AuditedMetric, trials: list[Trial]) -> list[Trial]:
    """The calls to choose from. If conventions do not explain the first, calls are left out whose values
    change with the scores while the order of the documents stays: the function takes ids or levels. All, if
    no call is left."""

    def by_order(trial: Trial) -> bool:
        subject.call_as(trial.call)
        # Divided by a power of 2, scores that are equal in single precision, and only these, stay so.
        alike = ((one, one.probe.with_scores(lambda score: score / 1024)) for one in trial.asked)
        return all(_rounded(one) == _rounded(subject.ask(other)) for one, other in alike)

    return trials if len(trials) < 2 or trials[0].explained else list(filter(by_order, trials)) or trials


def _of_nonrelevant(asked: Asked, base: Conventions) -> bool:
    """Whether another value is predicted for an input without its documents judged nonrelevant. A query
    without relevant documents keeps them, so that it stays judged."""

    def relevant(query: Query) -> Query:
        return replace(query, judged=tuple(of for of in query.judged if of[1] > 0) or query.judged)

    return asked.predicted(base) != replace(asked, probe=asked.probe.changed(relevant)).predicted(base)


def _likeliest(trials: Sequence[Trial]) -> Trial:
    """The call with the highest rating, or an alternative that passes the same data.

    If the best call passes a batch of one query, it is the same call with all queries if that fails on no
    more inputs (as over lists of different lengths, of which no array can be made): a fault in a batch would
    be hidden, or speak against the right call. If the best call fails on some inputs, it is one that fails on
    fewer, if conventions predict nearly all of its values. If conventions do not explain the best call, it is
    the first call that is rated nearly as high. If they explain a call that passes lists of 0 and 1, it is
    the same call with levels, provided that the metric decides itself which levels are relevant: lists of 0
    and 1 would hide this.
    """
    best = max(trials, key=lambda trial: trial.rating)
    alike = [trial for trial in trials if trial.subjects == best.subjects]
    telling = [t for t in alike if 2 * t.tells > best.tells]  # nearly all values of others are 0
    sound = [t for t in telling if t.failures < best.failures and (t.predicted or 0.0) > _NEARLY]
    if sound:
        return max(sound, key=lambda trial: trial.rating)
    batch = _ROW.sub(r"each(\1)", str(best.call))
    together = (t for t in alike if str(t.call) == batch != str(best.call) and t.failures <= best.failures)
    if all_queries := next(together, None):
        return all_queries
    if not best.explained:
        return next(trial for trial in alike if trial.nearly(best))
    levels = (t for t in alike if "binary" in best.call.words and "gains" in t.call.words and not t.explained)
    return next((trial for trial in levels if _chooses_levels(trial, best.conventions)), best)


def _chooses_levels(trial: Trial, conventions: Conventions) -> bool:
    """Whether each value is the value of a binary list, in which the documents of some levels are relevant
    (1) and all others are not (0)."""
    for one in trial.asked:
        positive = sorted({level for _, of in one.probe.queries for _, level in of.judged if level > 0})
        relevant = [set(some) for n in range(len(positive) + 1) for some in combinations(positive, n)]
        as_binary = (replace(one, probe=one.probe.with_levels(some.__contains__)) for some in relevant)
        values = (other.predicted(conventions) for other in as_binary)
        if one.value is not None and not any(one.is_value(value, max(TOLERANCES)) for value in values):
            return False
    return True


def friendly_probe(measure: Measure) -> Probe:
    """An input for which any metric has a value: two queries with long lists, several levels, and a relevant
    document at the top."""

    def query(letter: str) -> Query:
        count = min(measure.cutoff or 5, _LONGEST) + 2
        names = [f"{letter}{i}" for i in range(count)]
        levels = [TOP_LEVEL, 0, 1, 2, 0, *[i % 3 for i in range(count)]]
        lines = tuple(Line(name, i, (count - i + 1) / (count + 1)) for i, name in enumerate(names, 1))
        judged = tuple(zip(names, levels[:count] if letter == "a" else levels[1 : count + 1], strict=True))
        return Query((*judged, (f"{letter}x", 1)), lines)

    return Probe("ordinary queries", (("1", query("a")), ("2", query("b"))), None)


def _trial_probes(measure: Measure) -> list[Probe]:
    """The inputs on which calls are tried: a query whose only relevant document is below the cutoff (other
    long lists nearly always have one above it), mixtures, each special feature once, and means."""
    rng = random.Random(17)
    single = [p for p in query_probes(rng, measure.cutoff, each=1) if p.about != DEEP]
    mixed = mixed_probes(rng, measure.cutoff, _MIXED)
    lines = dict(friendly_probe(measure).queries)["1"].lines
    judged = tuple((line.docno, int(line is lines[-1])) for line in lines)
    late = Probe("a late relevant document", (("1", Query(judged, lines)),), "1")
    single.sort(key=_ordinary)  # stable; early inputs without a value above 0 show that it is no constant
    return [late, *single[:1], *mixed, *single[1:], *islice(mean_probes(rng, measure.cutoff), 0, None, 5)]


def _usable(subject: AuditedMetric, calls: Sequence[Call], probes: Sequence[Probe]) -> list[Trial]:
    """The trials of the calls that return numbers, each with the requirements under which it answers most
    inputs. Of several calls with equal numbers, only the first. A call that tells whether anything relevant
    was retrieved, and nothing else, is usable."""
    documents = dict.fromkeys((0, subject.measure.cutoff or 0))
    first, *others = (Needs(number, retrieved) for retrieved in (False, True) for number in documents)
    trials: dict[tuple[Needs, tuple[float | None, ...]], Trial] = {}
    for call in calls:
        subject.call_as(call)
        trial = _trial(subject, call, probes, first)
        if 0 < trial.answered < _ENOUGH:
            more = (_trial(subject, call, probes, needs) for needs in others)
            trial = max((trial, *more), key=lambda one: one.answered)
        values = tuple(map(_rounded, trial.asked))
        varied = {value for value, probe in zip(values, probes, strict=False) if _ordinary(probe)} - {None}
        of_any = trial.tells == 1 and len({*values} - {None}) > 1
        if trial.answered >= _HALF and (len(varied) > 1 or of_any):
            trials.setdefault((trial.needs, values), trial)
    return list(trials.values())


def _trial(subject: AuditedMetric, call: Call, probes: Sequence[Probe], needs: Needs) -> Trial:
    """Try a call on inputs that are changed to meet ``needs``. The call must be that of ``subject``."""
    asked = [subject.ask(needs.given(probe)) for probe in probes[:_SAME]]
    first = {_rounded(one) for one in asked}
    if len(first) > 1 or None in first:
        asked += [subject.ask(needs.given(probe)) for probe in probes[_SAME:]]
    means = any(one.given.mean is not None and not one.given.values for one in asked)
    if means:  # a mean shows the value of no single query
        asked = [replace(one, probe=replace(one.probe, reads=None)) for one in asked]
    read = [one for one in asked if means or one.probe.reads is not None]
    found, without = ([_rounded(one) for one in read if _ordinary(one.probe) is of] for of in (True, False))
    # Some means are never 0: a geometric mean has a floor.
    nothing = max((n for n in without if n is not None), key=without.count, default=0.0)
    above = [sum(n not in (None, nothing) for n in some) / max(len(some), 1) for some in (found, without)]
    answered = sum(n is not None for n in found) / max(len(found), 1)
    return Trial(call=call, needs=needs, asked=asked, answered=answered, tells=above[0] - above[1])


def _ordinary(probe: Probe) -> bool:
    """Whether a relevant document was retrieved for the query that the probe reads (for a mean, for any
    query), so that the value can be above 0."""
    read = (query for id, query in probe.queries if probe.reads in (None, id))
    return any(level > 0 and docno in query.docnos for query in read for docno, level in query.judged)


def _rounded(asked: Asked) -> float | None:
    """The value to 9 digits; None for no value and for NaN."""
    value = asked.value
    return None if value is None or math.isnan(value) else float(f"{value:.9g}")


def _explain(trials: Sequence[Trial], base: Conventions) -> None:
    """Set ``predicted``, ``conventions`` and ``changes`` of trials: of the first trials, and of further
    trials with the highest ``tells``. A trial is skipped if the reference's conventions explain an earlier
    trial whose call passes the same data, unless it passes levels."""
    telling = sorted(trials[_MOST_EXPLAINED:], key=lambda trial: -trial.tells)[:_MOST_TELLING]
    by_reference: list[list[frozenset[str]]] = []
    for trial in (*trials[:_MOST_EXPLAINED], *telling):
        if trial.subjects in by_reference and "gains" not in trial.call.words:
            continue
        fixed = trial.call.fixed_axes
        followed = trial.call.leaves(base)
        trial.predicted, trial.conventions = share_explained(trial.readings, followed, fixed, _CHANGES)
        trial.changes = len(trial.conventions.changes_from(followed))
        if trial.explained and not trial.changes:
            by_reference.append(trial.subjects)


class FunctionOfMeasures(CalledFunction, frozen=True, eq=False):
    """A function as a backend. For each measure that is requested, its call is found by trying calls."""

    _calls: dict[Measure, Call] = msgspec.field(default_factory=dict)

    def call_for(self, measure: Measure) -> Call:
        if self.call is None and measure not in self._calls:
            base = with_measure_parameters(Conventions(), measure)
            here = Guarded(replace(self, isolated=False))  # this runs in the child process
            found_call = find_call(AuditedMetric(here, measure, lambda message: None), base)
            if found_call.call is None or found_call.changing:
                raise BackendError(found_call.message or found_call.changing)
            self._calls[measure] = found_call.call
        return self.call or self._calls[measure]


def finding_its_call(backend: Backend) -> Backend:
    """The backend itself; for a function whose call is not known, a :class:`FunctionOfMeasures`."""
    if not isinstance(backend, CalledFunction) or backend.call is not None:
        return backend
    return FunctionOfMeasures(backend.id, None, backend.found, isolated=backend.isolated)
