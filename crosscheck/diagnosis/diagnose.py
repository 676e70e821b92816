"""The diagnosis of one comparison: from its differences to labels, with the proof for each.

1. Differences within 8 ULP that only a tighter tolerance shows are float noise.
2. One set of conventions for everything the candidate says, fewest changed axes first: ``proved``.
3. Where none exists, sets that explain at least two of the differing queries without contradicting one
   that agrees: ``per-query``. A single query can be met by coincidence, so it proves nothing.
4. What is left may still lie between the worst and the best order of tied documents: ``interval``.
5. The rest is ``unexplained``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from crosscheck.compare.differ import Aligned, Differences, align, equal
from crosscheck.conventions import AxisValue, Conventions, QuerySet, Ties, plain
from crosscheck.diagnosis.base import Cause, Situation
from crosscheck.diagnosis.causes import causes
from crosscheck.diagnosis.causes.float_noise import MAX_ULP
from crosscheck.diagnosis.number_format import PROOF_TOLERANCE, SINGLE, in_single_precision
from crosscheck.diagnosis.search import Explanation, Search
from crosscheck.measures.evaluate import count_elsewhere, effective
from crosscheck.model import BoolArray, MeasureValues
from crosscheck.results import Alternative, Diagnosis, Strength
from crosscheck.statistics.summary import sequential_sum, summary_of_total

__all__ = ["MAX_AXES", "Diagnosed", "diagnose", "identify"]

#: Most axes that one explanation may change.
MAX_AXES = 4

#: By number of changed axes: differing queries that there must be for a proof, and that an explanation of a
#: part must meet. There are thousands of combinations of three and four axes, and some of them give any one
#: value by coincidence.
_FOR_PROOF = {1: 0, 2: 0, 3: 3, 4: 6}
_FOR_PART = {1: 2, 2: 2, 3: 6, 4: 12}

_TIES = "tie-breaking"
_LEAK = "cross-query-leak"
_NOISE = "float-noise"
_UNEXPLAINED = "unexplained"


@dataclass(frozen=True, slots=True, eq=False)
class Diagnosed:
    """A diagnosis with its per-query part.

    Attributes:
        labels: topic id -> labels, for every topic that differs.
        conventions: topic id -> the conventions that reproduce it, where some do.
    """

    diagnosis: Diagnosis
    labels: dict[bytes, list[str]]
    conventions: dict[bytes, Conventions]


def identify(situation: Situation, values: MeasureValues) -> Conventions | None:
    """Conventions that reproduce everything a backend says; None where no known set does.

    Tries those of ``situation.base`` first, then changes of one and of two axes.
    """
    universe = situation.rankings.pairing.universe
    observed = align(values, universe)
    everywhere = np.ones(len(universe), np.bool_)
    search = Search(situation, observed, everywhere, judge_mean=False)
    if not values.values or not set(values.values) <= set(universe):
        return None
    if search.complete(whole := search.explanation()):
        return whole.conventions
    for size in (1, 2):
        if found := search.complete_of_size(size):
            return found[0].conventions
    return None


@dataclass(frozen=True, slots=True, eq=False)
class _Question:
    """What is to be explained.

    Attributes:
        observed: the candidate's values over the universe.
        considered: queries that either side has a value for; mismatching: those that differ.
        foreign: differing topics that neither run nor qrels know: nothing can reproduce them.
        leak: the candidate's mean is not a mean of its own values.
    """

    situation: Situation
    search: Search
    observed: Aligned
    considered: BoolArray
    mismatching: BoolArray
    foreign: tuple[bytes, ...]
    leak: bool


@dataclass(frozen=True, slots=True, eq=False)
class _Answer:
    """What was found: the explanations used, others that do as well, and queries within a tie interval."""

    strength: Strength
    labels: list[str]
    used: list[Explanation]
    others: list[Explanation]
    tied: BoolArray


def diagnose(situation: Situation, differences: Differences, candidate: MeasureValues) -> Diagnosed:
    """Why the candidate differs from the reference.

    Args:
        situation: the run, the measure and the conventions that reproduce the reference.
        differences: of reference and candidate; must not agree.
        candidate: the candidate's values.
    """
    universe = situation.rankings.pairing.universe
    observed = align(candidate, universe)
    differing = {t for t, ok in zip(differences.topics, differences.match.tolist(), strict=True) if not ok}
    mismatching = np.fromiter((t in differing for t in universe), np.bool_, len(universe))
    leak = candidate.one_by_one and _leaks(situation, observed)
    cells = bool(candidate.values) or candidate.mean is None
    considered = situation.evaluated(situation.base).present | observed.present
    question = _Question(
        situation=situation,
        search=Search(situation, observed, mismatching, judge_mean=not leak, judge_cells=cells),
        observed=observed,
        considered=considered if cells else np.zeros(len(universe), np.bool_),
        mismatching=mismatching,
        foreign=tuple(sorted(differing - set(universe))),
        leak=leak,
    )
    if _is_noise(differences, observed):
        return _recorded(question, _proved(question, [_NOISE]))
    if leak and not differing:
        return _recorded(question, _proved(question, [_LEAK]))
    if not question.foreign and question.search.complete(question.search.explanation()):
        # The reference's own conventions give these values within the tolerance of a proof: what differs
        # is arithmetic, but more of it than noise.
        return _recorded(question, _Answer("none", [_UNEXPLAINED], [], [], _no_query(question)))
    return _recorded(question, _whole(question) or _piecewise(question))


def _no_query(question: _Question) -> BoolArray:
    return np.zeros(len(question.mismatching), np.bool_)


def _proved(question: _Question, labels: list[str], proofs: Sequence[Explanation] = ()) -> _Answer:
    return _Answer("proved", labels, list(proofs[:1]), list(proofs[1:]), _no_query(question))


def _is_noise(differences: Differences, observed: Aligned) -> bool:
    """Every difference is a few representable numbers wide, in the candidate's precision; none is absent."""
    if differences.missing.any() or not differences.mismatch.any():
        return False
    if in_single_precision(observed.values[observed.present]):
        ours, theirs = differences.reference.values, differences.candidate.values
        return bool(np.all(np.abs(ours - theirs) <= SINGLE * np.abs(ours)))
    if not differences.mean_match:
        return False
    ulp = differences.ulp[differences.mismatch]
    return bool(np.all((ulp >= 0) & (ulp <= MAX_ULP)))


def _leaks(situation: Situation, observed: Aligned) -> bool:
    """Whether the own mean is no mean of the own values, over any number of queries."""
    if observed.mean is None or not observed.present.any():
        return False
    about, rankings = situation.family, situation.rankings
    total = sequential_sum(observed.values[observed.present])
    if about.total:
        elsewhere = (count_elsewhere(about, rankings, situation.relevance_level, of) for of in QuerySet)
        means: list[float | None] = [total + count for count in elsewhere]
    else:
        topics = (rankings.pairing.qrels.topics, rankings.pairing.run.topics)
        counts = {int(observed.present.sum()), *map(len, topics)}
        means = [summary_of_total(total, about.aggregate, count) for count in counts]
    return not equal(
        np.asarray(means), np.full(len(means), observed.mean), PROOF_TOLERANCE, observed.decimals
    ).any()


def _whole(question: _Question) -> _Answer | None:
    """One set of conventions that reproduces everything, of the smallest size and the likeliest."""
    if question.foreign:
        return None
    search = question.search
    differing = int(question.mismatching.sum())
    for size in range(1, MAX_AXES + 1):
        found = search.complete_of_size(size) if differing >= _FOR_PROOF[size] else []
        if found:
            found.sort(key=lambda e: _unlikeliness(question, e))
            return _proved(question, found[0].labels + [_LEAK] * question.leak, found)
    return None


def _unlikeliness(question: _Question, explanation: Explanation) -> int:
    """Sorts explanations of equal size by the priorities of their causes; a doubtful one falls back."""
    differing = question.mismatching if question.mismatching.any() else slice(None)
    return sum(
        cause.priority + cause.doubt * bool(cause.doubtful(question.situation)[differing].all())
        for cause, _ in explanation.changes
    )


def _piecewise(question: _Question) -> _Answer:
    """No single set of conventions: explain group by group, then by tie intervals."""
    search, left = question.search, question.mismatching.copy()
    agreeing = question.considered & ~question.mismatching
    used: list[Explanation] = []
    for size in range(1, MAX_AXES + 1) if search.judge_cells else ():
        # An explanation that changes a query which agrees is contradicted by that query.
        if left.sum() < _FOR_PART[size]:
            break
        consistent = search.partial_of_size(size, agreeing)
        while consistent and left.any():
            best = max(consistent, key=lambda e: int((e.reproduced & left).sum()))
            gained = best.reproduced & left
            if gained.sum() < _FOR_PART[size]:
                break
            used.append(best)
            left &= ~gained
    tied = left & _within_tie_interval(question.situation, question.observed)
    labels = [label for e in used for label in e.labels] + [_TIES] * bool(tied.any())
    labels += [_LEAK] * question.leak
    if (left & ~tied).any() or question.foreign or not labels:
        labels.append(_UNEXPLAINED)
    strength: Strength = "per-query" if used else "interval" if tied.any() else "none"
    return _Answer(strength, list(dict.fromkeys(labels)), used, [], tied)


def _within_tie_interval(situation: Situation, observed: Aligned) -> BoolArray:
    """Queries with tied documents whose value lies between the worst and the best order of them.

    None for a measure over subtopics, of which these orders are not known.
    """
    if situation.family.subtopics:
        return np.zeros(len(observed.values), np.bool_)
    worst = situation.evaluated(situation.base.with_changes(ties=Ties.WORST)).values
    best = situation.evaluated(situation.base.with_changes(ties=Ties.BEST)).values
    with np.errstate(invalid="ignore"):
        low, high = np.minimum(worst, best) - PROOF_TOLERANCE, np.maximum(worst, best) + PROOF_TOLERANCE
        inside = (observed.values >= low) & (observed.values <= high) & (high - low > 4 * PROOF_TOLERANCE)
    return np.asarray(inside & observed.present)


def _recorded(question: _Question, answer: _Answer) -> Diagnosed:
    """The answer as records, with the labels of every differing query."""
    situation, universe = question.situation, question.situation.rankings.pairing.universe
    labels: dict[bytes, list[str]] = {topic: [_UNEXPLAINED] for topic in question.foreign}
    conventions: dict[bytes, Conventions] = {}
    for i in np.flatnonzero(question.mismatching).tolist():
        topic = universe[i]
        explanation = next((e for e in answer.used if e.reproduced[i]), None)
        if explanation is not None:
            labels[topic] = [cause.label for cause, _ in _smallest(situation, explanation, i)]
            conventions[topic] = explanation.conventions
        elif answer.strength == "proved":
            labels[topic] = answer.labels[:1]
        else:
            labels[topic] = [_TIES] if answer.tied[i] else [_UNEXPLAINED]
    reproduced = question.considered
    if answer.strength != "proved":
        reproduced = reproduced & ~question.mismatching
        for explanation in answer.used:
            reproduced = reproduced | (explanation.reproduced & question.considered)
    diagnosis = Diagnosis(
        strength=answer.strength,
        causes=answer.labels,
        conventions=answer.used[0].axes if answer.used else {},
        reproduced=int(reproduced.sum()),
        of=int(question.considered.sum()) + len(question.foreign),
        alternatives=[Alternative(e.labels, e.axes) for e in answer.others],
        explanation=_in_words(situation, answer.labels, answer.used),
        separate_by=_separating(answer.used, answer.others),
    )
    return Diagnosed(diagnosis, labels, conventions)


def _smallest(
    situation: Situation, explanation: Explanation, query: int
) -> tuple[tuple[Cause, AxisValue], ...]:
    """The single change of an explanation that alone gives this query its value; else all changes."""
    if len(explanation.changes) < 2:
        return explanation.changes
    target = situation.evaluated(explanation.conventions)
    for change in explanation.changes:
        alone = situation.evaluated(situation.base.with_changes(**{str(change[0].axis): change[1]}))
        same = equal(alone.values[[query]], target.values[[query]], PROOF_TOLERANCE, None)[0]
        if same and alone.present[query] == target.present[query]:
            return (change,)
    return explanation.changes


def _in_words(situation: Situation, labels: list[str], explanations: list[Explanation]) -> str:
    base = effective(situation.base, situation.measure)
    clauses: dict[str, None] = {}
    for explanation in explanations:
        for cause, value in explanation.changes:
            clauses[cause.describe(plain(getattr(base, str(cause.axis))), value)] = None
    described = {label for e in explanations for label in e.labels}
    for label in labels:
        if label not in described:
            clauses[causes()[label].summary] = None
    return "; ".join(clauses) + "."


def _separating(chosen: list[Explanation], others: list[Explanation]) -> str | None:
    """What input would tell the explanations apart."""
    if not others:
        return None
    known = {label: value for e in chosen for label, value in zip(e.labels, e.axes.values(), strict=True)}
    needs: dict[str, None] = {}
    for explanation in [*chosen, *others]:
        for cause, value in explanation.changes:
            if known.get(cause.label) != value or explanation not in chosen:
                needs[cause.needs] = None
    return "an input with " + "; and ".join(filter(None, needs)) + " would tell them apart"
