"""The call of a function, found by trying what its signature allows.

Names, annotations and docstrings decide first. Calls that they leave equally plausible are tried on inputs
like those of the elimination, never on the fresh ones: a call must give numbers, and of several that give
different numbers the one counts that conventions explain. Where a name says nothing, conventions must explain
every number.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations, groupby, islice

from crosscheck.auditing.audited_metric import AuditedMetric
from crosscheck.auditing.axes import axes_of, changes
from crosscheck.auditing.calls import Call, parse_call, words_of
from crosscheck.auditing.needs import Needs
from crosscheck.auditing.parameter_names import UNKNOWN
from crosscheck.auditing.returned import UNNAMED
from crosscheck.auditing.targets import CalledFunction
from crosscheck.axes.gain import GAIN
from crosscheck.backends.guarded import Guarded
from crosscheck.conventions import Conventions, conventions
from crosscheck.errors import BackendError
from crosscheck.evaluation.parameters import with_measure_parameters
from crosscheck.hypotheses.predictions import Observation, Predictions, equal_numbers
from crosscheck.measures import family
from crosscheck.model import Measure, MeasureValues
from crosscheck.probes.probe import Line, Probe, Query
from crosscheck.probes.special import DEEP, TOP_LEVEL, mean_probes, mixed_probes, query_probes

__all__ = ["FoundCall", "find_call", "found_by", "friendly_probe"]

#: Tolerance of a comparison: that of single precision.
_TOLERANCE = 1e-6
#: Mixed inputs that are tried; sets of conventions that are changed further; axes that are changed together.
_MIXED, _BEAM, _CHANGES = 8, 5, 3
#: Calls of different values that are compared by their explanation.
_MOST_EXPLAINED = 6
#: Calls that are named in a message or report.
_MOST_LISTED = 6
#: Words for the same documents of one side.
_ABOUT = {
    **dict.fromkeys(("gains", "binary", "y_true"), "levels"),
    **dict.fromkeys(("ranked_ids", "scored", "run"), "ranking"),
    **dict.fromkeys(("relevant_ids", "relevance", "qrels"), "judgements"),
}
#: By how much more a call must be explained, or tell, than another one.
_LIKELIER = 0.1
#: Documents of the longest list that is made because a metric may need one of k.
_LONGEST = 60
#: Share of ordinary inputs that a call must answer, and from which on inputs need nothing more.
_HALF, _ENOUGH = 0.5, 0.9


@dataclass(frozen=True, slots=True)
class FoundCall:
    """The call to use.

    Attributes:
        call: None if there is none, or if several would give different verdicts.
        message: the reason then.
        tried: what was tried besides, one sentence per call.
    """

    call: Call | None
    message: str = ""
    tried: tuple[str, ...] = ()


@dataclass(slots=True)
class _Trial:
    """A call with its answers to the inputs that are tried.

    Attributes:
        needs: what its inputs must have.
        answered: share of the inputs with something relevant retrieved on which it gave a number.
        told: how much likelier a number other than 0 is where something relevant was retrieved than where
            nothing was. A list taken for another tells little.
        predicted: share of its answers that the best set of conventions predicts; found: that set.
    """

    call: Call
    needs: Needs
    seen: list[Observation]
    means: bool
    answered: float
    told: float
    predicted: float = 0.0
    found: Conventions = field(default_factory=Conventions)
    changes: int = 0

    @property
    def explained(self) -> bool:
        """Whether a set of conventions predicts every answer."""
        return self.predicted == 1

    @property
    def doubtful(self) -> bool:
        """Whether it passes all queries, and its numbers do not show that something relevant was found: a
        metric of one list takes a dict of lists for the list of its keys."""
        return not self.call.by_query and self.told <= 0

    @property
    def rating(self) -> tuple[bool, float, int]:
        shown = 1.0 if self.explained else self._beyond_chance * self.answered + self.told / 2
        return self.explained, shown, -self.changes

    @property
    def _beyond_chance(self) -> float:
        """How much more of its answers conventions predict than one constant would."""
        given = [one.value for one in self.seen if one.value is not None]
        constant = max(map(given.count, given)) / len(given)
        return (self.predicted - constant) / (1 - constant)


def find_call(subject: AuditedMetric, base: Conventions | None) -> FoundCall:
    """Find the call of a function, and call it so from now on.

    Args:
        base: conventions that explanations start from; None if nobody says which measure is meant.

    Raises:
        ResourceError: it could not be asked.
    """
    friendly = friendly_probe(subject.measure)
    listed = [subject.possible_calls(needs.given(friendly)) for needs in (Needs(), Needs(retrieved=True))]
    possible = [note for one in listed if not isinstance(one, BackendError) for note in one]
    if not possible:
        return FoundCall(None, str(listed[0]))
    notes = [note.split(" ", 1) for note in dict.fromkeys(possible)]
    offered = [
        (_cost(int(cost), parse_call(text), subject.measure), parse_call(text)) for cost, text in notes
    ]
    offered.sort(key=lambda entry: entry[0])
    probes = _trial_probes(subject.measure)
    unexplained: list[Call] = []
    for cost, tier in groupby(offered, key=lambda entry: entry[0]):
        usable = _usable(subject, [call for _, call in tier], probes)
        if cost < UNKNOWN:
            usable = [trial for trial in usable if not trial.doubtful] or usable
        guessed = cost >= UNKNOWN or all(trial.doubtful for trial in usable)
        if base is not None and (len(usable) > 1 or guessed):
            _explain(usable, probes, subject.measure, base)
            first = max(usable, key=lambda trial: trial.rating, default=None)
            first = first and (
                _choosing(usable, first, probes, subject.measure) or _first_alike(usable, first)
            )
            usable.sort(key=lambda trial: (trial is first, trial.rating), reverse=True)
        if usable and (not guessed or usable[0].explained):
            break
        unexplained += [trial.call for trial in usable]
    else:
        if unexplained:
            calls = _listed(unexplained[:_MOST_LISTED])
            return FoundCall(
                None, f"names do not decide between calls, nor do conventions; say which:\n{calls}"
            )
        failed = _listed(call for _, call in offered[:_MOST_LISTED])
        return FoundCall(
            None, f"no call gives numbers that depend on its input; say it with --call, not\n{failed}"
        )
    best, *others = usable
    rivals = [trial.call for trial in others if base is not None and _rivals(trial, best)]
    if rivals:
        calls = _listed([best.call, *rivals])
        return FoundCall(None, f"its parameters allow calls with different results; say which:\n{calls}")
    subject.call_as(best.call)
    subject.needs = best.needs
    tried = [_said(trial, base) for trial in others[:_MOST_LISTED]]
    return FoundCall(best.call, tried=tuple(filter(None, (*tried, best.needs.words))))


def found_by(function: CalledFunction, measure: Measure) -> Call:
    """The call of a function in this process.

    Raises:
        BackendError: there is none, or several with different results.
    """
    base = with_measure_parameters(conventions("trec_eval-9.0.8"), measure)
    how = find_call(AuditedMetric(Guarded(function), measure, lambda message: None), base)
    if how.call is None:
        raise BackendError(how.message)
    return how.call


def _listed(calls: Iterable[Call]) -> str:
    return "\n".join(f'  --call "{call}"' for call in calls)


def _cost(cost: int, call: Call, measure: Measure) -> int:
    """Whether relevance is binary does not matter to some measures, so lists of 0 and 1 are as plausible; for
    others they would hide the gain."""
    graded = measure != UNNAMED and GAIN in family(measure.family).reads
    return cost + (graded and "binary" in call.words)


def _rivals(one: _Trial, best: _Trial) -> bool:
    """Whether nothing decides between calls with different values: both are explained, but differently, or
    neither is, and one is hardly likelier.

    Lists and dicts of the same documents are no rivals: the first in order counts.
    """
    if _handed(one.call) == _handed(best.call):
        return False
    if one.explained or best.explained:
        return one.explained and one.found != best.found
    return one.rating[1] > best.rating[1] - _LIKELIER


def _first_alike(trials: Sequence[_Trial], best: _Trial) -> _Trial:
    """The first call that passes what the best one does, if conventions explain neither, and it is hardly
    less likely."""
    if best.explained:
        return best
    near = (t for t in trials if _handed(t.call) == _handed(best.call))
    return next((t for t in near if t.rating[1] > best.rating[1] - _LIKELIER), best)


def _choosing(
    trials: Sequence[_Trial], best: _Trial, probes: Sequence[Probe], measure: Measure
) -> _Trial | None:
    """The call with levels of a metric that decides itself which of them are relevant, in a way that no
    conventions explain. Lists of 0 and 1 would hide it."""
    if not best.explained or "binary" not in best.call.words:
        return None
    near = [t for t in trials if _handed(t.call) == _handed(best.call) and "gains" in t.call.words]
    return next((t for t in near if not t.explained and _chooses_levels(t, best, probes, measure)), None)


def _chooses_levels(trial: _Trial, binary: _Trial, probes: Sequence[Probe], measure: Measure) -> bool:
    """Whether each number is that of lists of 0 and 1 with some of the levels as relevant.

    Sums of levels are not. Negative levels say nothing here: a list of 0 and 1 has none.
    """
    for probe, seen in zip(map(trial.needs.given, probes), trial.seen, strict=True):
        levels = {level for _, query in probe.queries for _, level in query.judged}
        if seen.value is None or min(levels, default=0) < 0:
            continue
        positive = sorted(levels - {0})
        chosen = [set(some) for n in range(len(positive) + 1) for some in combinations(positive, n)]
        of_each = Predictions([_binary(probe, some) for some in chosen], measure, means_only=trial.means)
        values = of_each.row(binary.found).values.tolist()
        if not any(equal_numbers(value, seen.value, _TOLERANCE, seen.decimals) for value in values):
            return False
    return True


def _binary(probe: Probe, relevant: set[int]) -> Probe:
    """The same input with level 1 for these levels, and 0 for others."""
    queries = tuple(
        (id, replace(query, judged=tuple((docno, int(level in relevant)) for docno, level in query.judged)))
        for id, query in probe.queries
    )
    return replace(probe, queries=queries)


def _handed(call: Call) -> list[frozenset[str]]:
    """The subject of each argument of a call, in whatever container."""
    return [frozenset(_ABOUT.get(word, word) for word in words_of(one)) for one in call.arguments]


def _said(trial: _Trial, base: Conventions | None) -> str:
    said = f"it was also tried as {trial.call}: other values"
    if base is None:
        return said
    if not trial.explained:
        return f"{said}, of which conventions explain {trial.predicted:.0%}"
    changed = ", ".join(f"{axis}={value}" for axis, value in trial.found.changes_from(base).items())
    return f"{said}, which {changed or 'the reference'} explains"


def friendly_probe(measure: Measure) -> Probe:
    """Two queries that any metric has a value for: long enough, graded, something relevant at the top."""

    def query(letter: str) -> Query:
        count = min(measure.cutoff or 5, _LONGEST) + 2
        names = [f"{letter}{i}" for i in range(count)]
        levels = [TOP_LEVEL, 0, 1, 2, 0, *[i % 3 for i in range(count)]]
        lines = tuple(Line(name, i, (count - i + 1) / (count + 1)) for i, name in enumerate(names, 1))
        judged = tuple(zip(names, levels[:count] if letter == "a" else levels[1 : count + 1], strict=True))
        return Query((*judged, (f"{letter}x", 1)), lines)

    return Probe("ordinary queries", (("1", query("a")), ("2", query("b"))), None)


def _late(measure: Measure) -> Probe:
    """A relevant document below the cutoff only. Other long lists nearly always hold one above it."""
    lines = dict(friendly_probe(measure).queries)["1"].lines
    judged = tuple((line.docno, int(line is lines[-1])) for line in lines)
    return Probe("a late relevant document", (("1", Query(judged, lines)),), "1")


def _trial_probes(measure: Measure) -> list[Probe]:
    rng = random.Random(17)
    single = [p for p in query_probes(rng, measure.cutoff, each=1) if p.about != DEEP]
    mixed = list(mixed_probes(rng, measure.cutoff, _MIXED))
    return [*single, *mixed, _late(measure), *islice(mean_probes(rng, measure.cutoff), 0, None, 5)]


def _usable(subject: AuditedMetric, calls: Sequence[Call], probes: Sequence[Probe]) -> list[_Trial]:
    """The calls that give numbers, one of those that give the same, each with what its inputs need."""
    k = subject.measure.cutoff or 0
    found: dict[tuple[Needs, tuple[float | None, ...]], _Trial] = {}
    for call in calls:
        subject.call_as(call)
        first, *others = (
            Needs(documents, judged) for judged in (False, True) for documents in dict.fromkeys((0, k))
        )
        values, trial = _tried(subject, call, probes, first)
        if not trial.answered:
            continue
        for needs in others if trial.answered < _ENOUGH else ():
            again = _tried(subject, call, probes, needs)
            values, trial = max((values, trial), again, key=lambda one: one[1].answered)
        varied = {value for value, probe in zip(values, probes, strict=True) if _ordinary(probe)} - {None}
        if trial.answered >= _HALF and len(varied) > 1:
            found.setdefault((trial.needs, values), trial)
    return list(found.values())


def _tried(
    subject: AuditedMetric, call: Call, probes: Sequence[Probe], needs: Needs
) -> tuple[tuple[float | None, ...], _Trial]:
    """The numbers that it gives, and the whole trial."""
    probes = [*map(needs.given, probes)]
    answers = [subject.answer(probe.qrels, probe.run) for probe in probes]
    means = any(isinstance(a, MeasureValues) and a.mean is not None and not a.values for a in answers)
    seen = [_read(answer, probe, means=means) for answer, probe in zip(answers, probes, strict=True)]
    values = tuple(_rounded(one) for one in seen)
    of_found, of_none = (
        [
            value
            for value, probe in zip(values, probes, strict=True)
            if _ordinary(probe) is found and (means or probe.reads is not None)
        ]
        for found in (True, False)
    )
    told = _share(value not in (None, 0.0) for value in of_found)
    told -= _share(value not in (None, 0.0) for value in of_none)
    return values, _Trial(call, needs, seen, means, _share(value is not None for value in of_found), told)


def _share(of: Iterable[bool]) -> float:
    """The share of those that hold."""
    every = list(of)
    return sum(every) / max(len(every), 1)


def _read(answer: MeasureValues | BackendError, probe: Probe, *, means: bool) -> Observation:
    if isinstance(answer, BackendError):
        return Observation(None, error=answer.message)
    if means or probe.reads is None:
        return Observation(answer.mean, decimals=answer.decimals)
    return Observation(answer.values.get(probe.reads.encode()), decimals=answer.decimals)


def _ordinary(probe: Probe) -> bool:
    """Whether a metric gives something else than nothing here: something relevant was retrieved."""
    return any(
        level > 0 and any(line.docno == docno for line in query.lines)
        for id, query in probe.queries
        for docno, level in query.judged
        if probe.reads in (None, id)
    )


def _rounded(seen: Observation) -> float | None:
    return None if seen.value is None or math.isnan(seen.value) else float(f"{seen.value:.9g}")


def _explain(trials: Sequence[_Trial], probes: Sequence[Probe], measure: Measure, base: Conventions) -> None:
    """Find for each call the conventions that predict most of its answers."""
    by_kind: dict[tuple[Needs, bool, bool, frozenset[str]], _Explainer] = {}
    for trial in trials[:_MOST_EXPLAINED]:
        kind = (trial.needs, trial.means, trial.call.by_query, trial.call.settled)
        if kind not in by_kind:
            by_kind[kind] = _Explainer([*map(trial.needs.given, probes)], measure, base, trial)
        by_kind[kind].explain(trial)


class _Explainer:
    """Predictions for the inputs that are tried, shared by calls that pass the same."""

    def __init__(self, probes: Sequence[Probe], measure: Measure, base: Conventions, trial: _Trial) -> None:
        self._base = base
        self._places = [i for i, p in enumerate(probes) if p.reads is not None or trial.means]
        chosen = [probes[i] for i in self._places]
        self._predictions = Predictions(chosen, measure, means_only=trial.means)
        self._axes = axes_of(self._predictions.runs, measure, base, trial.call.settled)

    def explain(self, trial: _Trial) -> None:
        seen = [trial.seen[place] for place in self._places]
        best = (self._met(self._base, seen), self._base)
        beam = [best]
        for _ in range(_CHANGES):
            if best[0] == 1:
                break
            grown = {c: self._met(c, seen) for _, here in beam for c in self._near(here)}
            beam = sorted(((share, c) for c, share in grown.items()), key=lambda e: -e[0])[:_BEAM]
            if not beam or beam[0][0] <= best[0]:
                break
            best = beam[0]
        trial.predicted, trial.found = best
        trial.changes = len(best[1].changes_from(self._base))

    def _near(self, here: Conventions) -> Iterator[Conventions]:
        for axis in self._axes:
            yield from changes(here, [axis])

    def _met(self, conventions: Conventions, seen: Sequence[Observation]) -> float:
        row = self._predictions.row(conventions)
        met = asked = 0
        for one, value, present in zip(seen, row.values.tolist(), row.present.tolist(), strict=True):
            if one.error is None:
                asked += 1
                met += (
                    one.value is None
                    if not present
                    else one.value is not None and equal_numbers(value, one.value, _TOLERANCE, one.decimals)
                )
        return met / asked if asked else 0.0
