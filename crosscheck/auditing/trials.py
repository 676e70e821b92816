"""Calls of a function with its answers to some inputs, and the conventions that explain the answers."""

from __future__ import annotations

import math
import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice

from crosscheck.auditing.audited_metric import AuditedMetric
from crosscheck.auditing.axes import axes_of, changes
from crosscheck.auditing.calls import Call, words_in
from crosscheck.auditing.needs import Needs
from crosscheck.auditing.words import SUBJECTS
from crosscheck.conventions import Conventions
from crosscheck.errors import BackendError
from crosscheck.hypotheses.predictions import Observation, Predictions, equal_numbers
from crosscheck.model import Measure, MeasureValues
from crosscheck.probes.probe import Line, Probe, Query
from crosscheck.probes.special import DEEP, TOP_LEVEL, mean_probes, mixed_probes, query_probes

__all__ = ["TOLERANCE", "Trial", "explain", "friendly_probe", "raised", "trial_probes", "usable"]

#: Tolerance of a comparison: that of single precision.
TOLERANCE = 1e-6
#: Number of mixed inputs that are tried, of sets of conventions that are changed further, and of axes that
#: are changed together.
_MIXED, _BEAM, _CHANGES = 8, 5, 3
#: Number of calls whose explanation is searched: of first calls, and of others with the highest ``told``.
_MOST_EXPLAINED, _MOST_TELLING = 6, 2
#: Cutoff from which on the lists of :func:`friendly_probe` do not get longer.
_LONGEST = 60
#: Share of ordinary inputs that a call must answer, and share from which on no needs are tried.
_HALF, _ENOUGH = 0.5, 0.9
#: Factor of the relevance levels of raised inputs: some metrics know a scale from 0 to 10, or to 30.
_RAISED = 10


@dataclass(slots=True)
class Trial:
    """A call with its answers to the inputs that are tried.

    Attributes:
        needs: requirements on the inputs.
        answered: share of the inputs with something relevant retrieved on which it gave a number.
        told: how much likelier a number other than 0 is where something relevant was retrieved than where
            nothing was. It is low if the call passes the wrong list.
        predicted: share of the answers that the best set of conventions predicts, None if no set was
            searched for; found: the best set.
    """

    call: Call
    needs: Needs
    seen: list[Observation]
    means: bool
    answered: float
    told: float
    predicted: float | None = None
    found: Conventions = field(default_factory=Conventions)
    changes: int = 0

    @property
    def subjects(self) -> list[frozenset[str]]:
        """The subject of each argument of the call, in whatever container."""
        words = ([word.name for word, _ in words_in(argument)] for argument in self.call.arguments)
        return [frozenset(SUBJECTS.get(word, word) for word in some) for some in words]

    @property
    def explained(self) -> bool:
        """Whether a set of conventions predicts every answer."""
        return self.predicted == 1

    @property
    def doubtful(self) -> bool:
        """Whether the call passes all queries, and its numbers do not show that something relevant was found:
        a metric of one list takes a dict of lists for the list of its keys."""
        return not self.call.by_query and self.told <= 0

    @property
    def rating(self) -> tuple[bool, float, int]:
        """Sort key, the likeliest call highest."""
        shown = 1.0 if self.explained else self._beyond_chance * self.answered + self.told / 2
        return self.explained, shown, -self.changes

    @property
    def _beyond_chance(self) -> float:
        """The share of answers that conventions predict beyond the share that the best constant predicts,
        scaled so that 1 is every answer."""
        given = [one.value for one in self.seen if one.value is not None]
        constant = max(map(given.count, given)) / len(given)
        return ((self.predicted or 0.0) - constant) / (1 - constant)


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


def trial_probes(measure: Measure) -> list[Probe]:
    """The inputs that calls are tried on: each special feature once, mixtures, and means."""
    rng = random.Random(17)
    single = [p for p in query_probes(rng, measure.cutoff, each=1) if p.about != DEEP]
    mixed = list(mixed_probes(rng, measure.cutoff, _MIXED))
    return [*single, *mixed, _late(measure), *islice(mean_probes(rng, measure.cutoff), 0, None, 5)]


def raised(probe: Probe) -> Probe:
    """The same input with higher relevance levels, for a metric that takes none of the usual ones for
    relevant."""
    return probe.with_levels(lambda level: level * _RAISED)


def usable(subject: AuditedMetric, calls: Sequence[Call], probes: Sequence[Probe]) -> list[Trial]:
    """The trials of the calls that give numbers, each with its needs; of equal numbers only the first."""
    k = subject.measure.cutoff or 0
    found: dict[tuple[Needs, tuple[float | None, ...]], Trial] = {}
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
) -> tuple[tuple[float | None, ...], Trial]:
    """The rounded numbers that a call gives on inputs that meet ``needs``, and the trial."""
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
    return values, Trial(call, needs, seen, means, _share(value is not None for value in of_found), told)


def _share(of: Iterable[bool]) -> float:
    """The share of true values, 0 if there are no values."""
    every = list(of)
    return sum(every) / max(len(every), 1)


def _read(answer: MeasureValues | BackendError, probe: Probe, *, means: bool) -> Observation:
    if isinstance(answer, BackendError):
        return Observation(None, error=answer.message)
    if means or probe.reads is None:
        return Observation(answer.mean, decimals=answer.decimals)
    return Observation(answer.values.get(probe.reads.encode()), decimals=answer.decimals)


def _ordinary(probe: Probe) -> bool:
    """Whether a relevant document was retrieved for a query that the probe reads, so that a value can be
    above 0."""
    return any(
        level > 0 and any(line.docno == docno for line in query.lines)
        for id, query in probe.queries
        for docno, level in query.judged
        if probe.reads in (None, id)
    )


def _rounded(seen: Observation) -> float | None:
    return None if seen.value is None or math.isnan(seen.value) else float(f"{seen.value:.9g}")


def explain(trials: Sequence[Trial], probes: Sequence[Probe], measure: Measure, base: Conventions) -> None:
    """Set for each call the conventions that predict most of its answers; of many calls, for the first ones
    and those with the highest ``told``. A call with the same subjects as one that the reference explains is
    skipped, unless it passes gains."""
    by_kind: dict[tuple[Needs, bool, bool, frozenset[str]], _Explainer] = {}
    telling = sorted(trials[_MOST_EXPLAINED:], key=lambda trial: -trial.told)[:_MOST_TELLING]
    settled: list[list[frozenset[str]]] = []
    for trial in (*trials[:_MOST_EXPLAINED], *telling):
        if trial.subjects in settled and "gains" not in trial.call.words:
            continue
        kind = (trial.needs, trial.means, trial.call.by_query, trial.call.settled)
        if kind not in by_kind:
            by_kind[kind] = _Explainer([*map(trial.needs.given, probes)], measure, base, trial)
        by_kind[kind].explain(trial)
        if trial.explained and not trial.changes:
            settled.append(trial.subjects)


class _Explainer:
    """Predictions for the inputs that are tried, shared by calls with the same needs and settled axes."""

    def __init__(self, probes: Sequence[Probe], measure: Measure, base: Conventions, trial: Trial) -> None:
        self._base = base
        self._places = [i for i, p in enumerate(probes) if p.reads is not None or trial.means]
        chosen = [replace(probes[i], reads=None) if trial.means else probes[i] for i in self._places]
        self._predictions = Predictions(chosen, measure)
        self._axes = axes_of(self._predictions.runs, measure, base, trial.call.settled)

    def explain(self, trial: Trial) -> None:
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
        values, there = self._predictions.row(conventions)
        met = asked = 0
        for one, value, present in zip(seen, values.tolist(), there.tolist(), strict=True):
            if one.error is None:
                asked += 1
                met += (
                    one.value is None
                    if not present
                    else one.value is not None and equal_numbers(value, one.value, TOLERANCE, one.decimals)
                )
        return met / asked if asked else 0.0
