"""The call of a function, found by trying what its signature allows.

Names, annotations and docstrings decide first. Calls that they leave equally plausible are tried on inputs
like those of the battery, never on fresh inputs: a call must give numbers, and of several calls that give
different numbers the one that conventions explain is taken. If a name says nothing, conventions must explain
every number.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, groupby

from crosscheck.auditing.audited_metric import AuditedMetric
from crosscheck.auditing.calls import Call, parse_call
from crosscheck.auditing.needs import Needs
from crosscheck.auditing.returned import UNNAMED
from crosscheck.auditing.signatures import UNKNOWN
from crosscheck.auditing.targets import CalledFunction
from crosscheck.auditing.trials import (
    TOLERANCE,
    Trial,
    explain,
    friendly_probe,
    raised,
    trial_probes,
    usable,
)
from crosscheck.axes.gain import GAIN
from crosscheck.backends.guarded import Guarded
from crosscheck.conventions import Conventions
from crosscheck.errors import BackendError
from crosscheck.evaluation.parameters import with_measure_parameters
from crosscheck.hypotheses.predictions import Predictions, equal_numbers
from crosscheck.measures import family
from crosscheck.model import Measure
from crosscheck.probes.probe import Probe

__all__ = ["FoundCall", "find_call", "found_by"]

#: Maximum number of calls that are named in a message or report.
_MOST_LISTED = 6
#: Difference of two ratings below which neither of two calls counts as likelier.
_LIKELIER = 0.1


@dataclass(frozen=True, slots=True)
class FoundCall:
    """The call to use.

    Attributes:
        call: the call; None if there is none, or if several would give different verdicts.
        message: the reason why ``call`` is None.
        tried: one sentence for each other call that was tried, and one on the inputs if they are restricted.
    """

    call: Call | None
    message: str = ""
    tried: tuple[str, ...] = ()


def find_call(subject: AuditedMetric, base: Conventions | None) -> FoundCall:
    """Find the call of a function, and use it from now on.

    Args:
        base: conventions that explanations start from; None if it is not known which measure is meant.

    Raises:
        ResourceError: memory, processes or files ran short.
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
    ordinary = trial_probes(subject.measure)
    for probes in (ordinary, [*map(raised, ordinary)]):
        found = _of_these(subject, base, offered, probes)
        if found is not None:
            return found
    failed = _listed(call for _, call in offered[:_MOST_LISTED])
    return FoundCall(
        None, f"no call gives numbers that depend on its input; say it with --call, not\n{failed}"
    )


def _of_these(
    subject: AuditedMetric,
    base: Conventions | None,
    offered: Sequence[tuple[int, Call]],
    probes: Sequence[Probe],
) -> FoundCall | None:
    """The call to use, of ``offered``, which are sorted by cost; None if no call gives numbers that depend on
    the inputs."""
    unexplained: list[Call] = []
    for cost, tier in groupby(offered, key=lambda entry: entry[0]):
        trials = usable(subject, [call for _, call in tier], probes)
        if cost < UNKNOWN:
            trials = [trial for trial in trials if not trial.doubtful] or trials
        guessed = cost >= UNKNOWN or all(trial.doubtful for trial in trials)
        if base is not None and (len(trials) > 1 or guessed):
            explain(trials, probes, subject.measure, base)
            first = max(trials, key=lambda trial: trial.rating, default=None)
            first = first and (
                _choosing(trials, first, probes, subject.measure) or _first_alike(trials, first)
            )
            trials.sort(key=lambda trial: (trial is first, trial.rating), reverse=True)
        if trials and (not guessed or trials[0].explained):
            return _chosen(subject, base, trials)
        unexplained += [trial.call for trial in trials]
    if not unexplained:
        return None
    calls = _listed(unexplained[:_MOST_LISTED])
    return FoundCall(None, f"names do not decide between calls, nor do conventions; say which:\n{calls}")


def _chosen(subject: AuditedMetric, base: Conventions | None, trials: Sequence[Trial]) -> FoundCall:
    """The first of the tried calls, unless another one is a rival."""
    best, *others = trials
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
        BackendError: there is no call, or several with different results.
    """
    base = with_measure_parameters(Conventions(), measure)
    how = find_call(AuditedMetric(Guarded(function), measure, lambda message: None), base)
    if how.call is None:
        raise BackendError(how.message)
    return how.call


def _listed(calls: Iterable[Call]) -> str:
    return "\n".join(f'  --call "{call}"' for call in calls)


def _cost(cost: int, call: Call, measure: Measure) -> int:
    """The cost of a call, plus 1 if it passes lists of 0 and 1 for a measure that uses gains, which such
    lists would hide."""
    graded = measure != UNNAMED and GAIN in family(measure.family).reads
    return cost + (graded and "binary" in call.words)


def _rivals(one: Trial, best: Trial) -> bool:
    """Whether nothing decides between calls with different values: conventions explain both, but different
    ones, or they explain neither, and the best call is hardly likelier.

    Calls with lists and with dicts of the same documents are no rivals: the first one counts.
    """
    if one.subjects == best.subjects:
        return False
    if one.explained or best.explained:
        return one.explained and one.found != best.found
    return one.rating[1] > best.rating[1] - _LIKELIER


def _first_alike(trials: Sequence[Trial], best: Trial) -> Trial:
    """The first call that passes the same subjects as the best one and is hardly less likely; the best call
    itself if conventions explain it."""
    if best.explained:
        return best
    near = (t for t in trials if t.subjects == best.subjects)
    return next((t for t in near if t.rating[1] > best.rating[1] - _LIKELIER), best)


def _choosing(
    trials: Sequence[Trial], best: Trial, probes: Sequence[Probe], measure: Measure
) -> Trial | None:
    """The call that passes levels, for a metric that itself decides which levels are relevant, in a way that
    no conventions explain; otherwise None. The best call, with lists of 0 and 1, would hide this."""
    if not best.explained or "binary" not in best.call.words:
        return None
    near = [t for t in trials if t.subjects == best.subjects and "gains" in t.call.words]
    return next((t for t in near if not t.explained and _chooses_levels(t, best, probes, measure)), None)


def _chooses_levels(trial: Trial, binary: Trial, probes: Sequence[Probe], measure: Measure) -> bool:
    """Whether each value equals the value for lists of 0 and 1 in which some of the levels count as relevant.

    Sums of levels do not. Inputs with negative levels are skipped: a list of 0 and 1 has none.
    """
    for probe, seen in zip(map(trial.needs.given, probes), trial.seen, strict=True):
        levels = {level for _, query in probe.queries for _, level in query.judged}
        if seen.value is None or min(levels, default=0) < 0:
            continue
        positive = sorted(levels - {0})
        chosen = [set(some) for n in range(len(positive) + 1) for some in combinations(positive, n)]
        as_binary = [probe.with_levels(some.__contains__) for some in chosen]
        if trial.means:
            as_binary = [replace(one, reads=None) for one in as_binary]
        values = Predictions(as_binary, measure).row(binary.found)[0].tolist()
        if not any(equal_numbers(value, seen.value, TOLERANCE, seen.decimals) for value in values):
            return False
    return True


def _said(trial: Trial, base: Conventions | None) -> str:
    said = f"it was also tried as {trial.call}: other values"
    if base is None:
        return said
    if trial.predicted is None:
        return said
    if not trial.explained:
        return f"{said}, of which conventions explain {trial.predicted:.0%}"
    changed = ", ".join(f"{axis}={value}" for axis, value in trial.found.changes_from(base).items())
    return f"{said}, which {changed or 'the reference'} explains"
