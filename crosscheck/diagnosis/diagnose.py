"""The diagnosis of one comparison: from its differences to labels, with the proof for each.

1. Differences within 8 ULP that only a tighter tolerance shows are float noise.
2. One set of conventions for everything the candidate says, fewest changed axes first: ``proved`` where at
   least three queries differ, else ``consistent``: a mean, or one or two queries, are met by coincidence.
3. For every query that differs, some order of the tied documents that gives its value: ``consistent``.
4. Sets that explain at least two of the differing queries without contradicting one that agrees:
   ``per-query``.
5. The rest is ``unexplained``, with the words "ties present" where an order of the tied documents may be the
   reason and it cannot be said.

A mean that is not the mean of its own values is never ``proved``: that it leaks is seen, but no recomputation
gives it. Float noise is held to the same three queries.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from crosscheck.axes.averaging import AVERAGING
from crosscheck.axes.base import Axis
from crosscheck.axes.query_set import QuerySet
from crosscheck.axes.ties import Ties
from crosscheck.compare.differ import Aligned, Differences, align, equal
from crosscheck.conventions import AxisValue, Conventions
from crosscheck.diagnosis.causes import MAX_ULP, causes
from crosscheck.evaluation.recomputer import Recomputer
from crosscheck.evaluation.summarise import count_elsewhere
from crosscheck.evaluation.summary import sequential_sum, summary_of_total
from crosscheck.hypotheses.number_format import PROOF_TOLERANCE, SINGLE, in_single_precision, slack
from crosscheck.hypotheses.rivals import (
    MOST_CHANCE,
    NEEDED_ON,
    chance,
    fitting_decoys,
    least_needed,
    same_everywhere,
)
from crosscheck.hypotheses.search import Explanation, Search
from crosscheck.hypotheses.tie_orders import TieOrders
from crosscheck.model import BoolArray, MeasureValues
from crosscheck.results import Alternative, Diagnosis, Strength

__all__ = ["MAX_AXES", "Diagnosed", "diagnose", "identify"]

#: Most axes that one explanation may change.
MAX_AXES = 4

#: By number of changed axes: differing queries that there must be for an explanation of everything, and that
#: one of a part must meet. There are thousands of combinations of three and four axes, and some of them give
#: any one value by coincidence.
_FOR_ALL = {1: 0, 2: 0, 3: 3, 4: 6}
_FOR_PART = {1: 2, 2: 2, 3: 6, 4: 12}
#: Differing queries below which nothing is called proved.
_PROVED_FROM = 3

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


def identify(situation: Recomputer, values: MeasureValues) -> Conventions | None:
    """Conventions that reproduce everything a backend says; None where no known set does.

    Tries those of ``situation.base`` first, then changes of one and of two axes. Where there is nothing but a
    mean, that is what they must reproduce.
    """
    universe = situation.rankings.pairing.universe
    observed = align(values, universe)
    everywhere = np.ones(len(universe), np.bool_)
    summary = not values.values
    if not set(values.values) <= set(universe) or (summary and values.mean is None):
        return None
    search = Search(situation, observed, everywhere, judge_mean=summary, judge_cells=not summary)
    found = search.smallest(2)
    return found[0].conventions if found else None


@dataclass(frozen=True, slots=True, eq=False)
class _Question:
    """What is to be explained.

    Attributes:
        observed: the candidate's values over the universe.
        considered: queries that either side has a value for; mismatching: those that differ.
        foreign: differing topics that neither run nor qrels know: nothing can reproduce them.
        leak: the candidate's mean is not a mean of its own values.
        orders: what the order of tied documents can make of the values.
    """

    situation: Recomputer
    search: Search
    observed: Aligned
    considered: BoolArray
    mismatching: BoolArray
    foreign: tuple[bytes, ...]
    leak: bool
    orders: TieOrders

    @property
    def differing(self) -> int:
        return int(self.mismatching.sum())


@dataclass(frozen=True, slots=True, eq=False)
class _Answer:
    """What was found.

    Attributes:
        used: the explanations given; others: those that do as well; tried: of how many, where they were
            counted.
        tied: queries whose value some order of the tied documents gives.
        caveat: why it is no more than it is; rivals: other formulas that do as well.
    """

    strength: Strength
    labels: list[str]
    used: Sequence[Explanation]
    others: Sequence[Explanation]
    tied: BoolArray
    caveat: str = ""
    tried: int = 0
    rivals: Sequence[str] = ()

    @property
    def complete(self) -> bool:
        return self.strength in ("proved", "consistent")


def diagnose(situation: Recomputer, differences: Differences, candidate: MeasureValues) -> Diagnosed:
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
        orders=TieOrders(situation, observed),
    )
    if _is_noise(differences, observed):
        return _recorded(question, _found(question, [_NOISE]))
    if leak and not differing:
        return _recorded(question, _found(question, [_LEAK]))
    if not question.foreign and question.search.complete(question.search.explanation()):
        # The reference's own conventions give these values within the tolerance of a proof: what differs
        # is arithmetic, but more of it than noise.
        return _recorded(question, _Answer("none", [_UNEXPLAINED], [], [], _no_query(question)))
    return _recorded(question, _whole(question) or _by_order(question) or _piecewise(question))


def _no_query(question: _Question) -> BoolArray:
    return np.zeros(len(question.mismatching), np.bool_)


def _found(
    question: _Question, labels: list[str], proofs: Sequence[Explanation] = (), tried: int = 0
) -> _Answer:
    """An answer that fits everything: proved where enough queries differ, else consistent."""
    fits = f"{len(proofs):,} of {tried:,} sets of conventions {'gives' if len(proofs) == 1 else 'give'}"
    strength: Strength = "consistent"
    rivals: list[str] = []
    if question.leak:
        caveat = "the mean is not the mean of these values"
    elif not question.search.judge_cells:
        caveat = f"{fits} this mean, or it is another run"
    elif not question.differing:
        caveat = f"no query differs, only the mean: {fits} it"
    elif question.differing < _PROVED_FROM:
        number = question.differing
        caveat = "only 1 query differs" if number == 1 else f"only {number} queries differ"
    else:
        caveat, rivals = _doubts(question.search, proofs, tried) if proofs else ("", [])
        strength = "consistent" if caveat else "proved"
    return _Answer(strength, labels, proofs[:1], proofs[1:], _no_query(question), caveat, tried, rivals)


def _doubts(search: Search, proofs: Sequence[Explanation], tried: int) -> tuple[str, list[str]]:
    """Why a set that gives everything is not proved, empty where it is; and the formulas that fit as well."""
    chosen, measure, doubts = proofs[0], search.situation.measure, []
    if len(chosen.changes) > 1:
        axis, number = least_needed(search, chosen)
        if number < NEEDED_ON:
            queries = "1 query" if number == 1 else f"{number} queries"
            doubts.append(f"only {queries} would differ without {axis}")
    others = [e for e in proofs[1:] if not same_everywhere(measure, chosen.conventions, e.conventions)]
    if others:
        sets = "1 other set" if len(others) == 1 else f"{len(others):,} other sets"
        doubts.append(f"{sets} of conventions with as few changes would do as well")
    rivals = fitting_decoys(search, proofs)
    if rivals:
        more = f" and {len(rivals) - 1} more formulas" if len(rivals) > 1 else ""
        doubts.append(f"{rivals[0]}{more} would do as well")
    if not doubts and (expected := chance(search, tried)) >= MOST_CHANCE:
        sets = f"{min(expected, tried):.2g} of {tried:,} sets of conventions"
        doubts.append(f"{sets} would give these values by chance")
    return "; ".join(doubts), rivals


def _is_noise(differences: Differences, observed: Aligned) -> bool:
    """Every difference is a few representable numbers wide, in the candidate's precision; none is absent."""
    if differences.missing.any() or not differences.mismatch.any():
        return False
    if in_single_precision(observed.values[observed.present]):
        ours, theirs = differences.reference.values, differences.candidate.values
        mean, own = differences.reference_mean or 0.0, differences.candidate_mean or 0.0
        alike = differences.mean_match or abs(mean - own) <= SINGLE * abs(mean)
        return alike and bool(np.all(np.abs(ours - theirs) <= SINGLE * np.abs(ours)))
    if not differences.mean_match:
        return False
    ulp = differences.ulp[differences.mismatch]
    return bool(np.all((ulp >= 0) & (ulp <= MAX_ULP)))


def _leaks(situation: Recomputer, observed: Aligned) -> bool:
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
        means += [other.mean_of(observed.values) for other in _other_summaries(situation)]
    known = [mean for mean in means if mean is not None]
    theirs = np.full(len(known), observed.mean)
    return not equal(np.asarray(known), theirs, PROOF_TOLERANCE, observed.decimals).any()


def _other_summaries(situation: Recomputer) -> list[Recomputer]:
    """The same with other summaries than the mean, where they can differ from it."""
    if not AVERAGING.gate(situation).any():
        return []
    summaries = AVERAGING.other_options(situation)
    return [replace(situation, base=situation.base.with_changes(averaging=other)) for other in summaries]


def _whole(question: _Question) -> _Answer | None:
    """One set of conventions that reproduces everything, of the smallest size and the likeliest."""
    if question.foreign:
        return None
    search = question.search
    for size in range(1, MAX_AXES + 1):
        found = search.complete_of_size(size) if question.differing >= _FOR_ALL[size] else []
        if found:
            found.sort(key=lambda e: _unlikeliness(question, e))
            return _found(question, found[0].labels + [_LEAK] * question.leak, found, search.tried(size))
    return None


def _unlikeliness(question: _Question, explanation: Explanation) -> int:
    """Sorts explanations of equal size by the priorities of their causes; a doubtful one falls back."""
    differing = question.mismatching if question.mismatching.any() else slice(None)
    return sum(
        cause.priority + cause.doubt * bool(cause.doubtful(question.situation)[differing].all())
        for cause, _ in explanation.changes
    )


def _by_order(question: _Question) -> _Answer | None:
    """An order of the tied documents for every query that differs, where the mean follows from the values."""
    if question.foreign or not question.differing or not (question.leak or _mean_follows(question)):
        return None
    if not all(question.orders.give(query) for query in np.flatnonzero(question.mismatching).tolist()):
        return None
    answer = _found(question, [_TIES] + [_LEAK] * question.leak)
    return replace(answer, strength="consistent", tied=question.mismatching)


def _mean_follows(question: _Question) -> bool:
    """Whether the own mean is the reference's summary of the own values, as far as these are printed."""
    situation, observed = question.situation, question.observed
    if observed.mean is None:
        return True
    printed = 0.0 if observed.decimals is None else 0.5 * 10.0**-observed.decimals
    low, high = (situation.mean_of(observed.values + step) for step in (-printed, printed))
    if low is None or high is None:
        return False
    if math.isnan(observed.mean):
        return math.isnan(low)
    room = printed + float(slack(observed).max(initial=PROOF_TOLERANCE))
    return low - room <= observed.mean <= high + room


def _piecewise(question: _Question) -> _Answer:
    """No single set of conventions: explain group by group, then by orders of tied documents."""
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
    answers = {query: question.orders.give(query) for query in np.flatnonzero(left).tolist()}
    tied = _no_query(question)
    tied[[query for query, given in answers.items() if given]] = True
    labels = [label for e in used for label in e.labels] + [_TIES] * bool(tied.any())
    labels += [_LEAK] * question.leak
    if (left & ~tied).any() or question.foreign or not used:
        labels.append(_UNEXPLAINED)
    undecided = sum(given is None for given in answers.values())
    caveat = ""
    if undecided:
        where = "" if undecided == question.differing == 1 else f" in {undecided:,} of the queries"
        caveat = f"ties present{where}: whether some order of them gives the value cannot be said"
    elif not search.judge_cells and _mean_between(question):
        caveat = "ties present: the mean lies between those of their worst and their best order"
    strength: Strength = "per-query" if used else "none"
    return _Answer(strength, list(dict.fromkeys(labels)), used, [], tied, caveat)


def _mean_between(question: _Question) -> bool:
    """Whether a mean alone lies between those of the worst and the best order of tied documents."""
    situation, observed = question.situation, question.observed
    if not (situation.allows(Ties.WORST) and situation.allows(Ties.BEST)):
        return False
    means = [
        situation.evaluated(situation.base.with_changes(ties=ties)).mean for ties in (Ties.WORST, Ties.BEST)
    ]
    known = [mean for mean in means if mean is not None]
    if observed.mean is None or not known:
        return False
    return min(known) < max(known) and min(known) <= observed.mean <= max(known)


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
        elif answer.complete:
            labels[topic] = answer.labels[:1]
        else:
            labels[topic] = [_TIES] if answer.tied[i] else [_UNEXPLAINED]
    reproduced = question.considered
    if not answer.complete:
        reproduced = (reproduced & ~question.mismatching) | answer.tied
        for explanation in answer.used:
            reproduced = reproduced | (explanation.reproduced & question.considered)
    diagnosis = Diagnosis(
        strength=answer.strength,
        causes=answer.labels,
        conventions=answer.used[0].axes if answer.used else {},
        reproduced=int(reproduced.sum()),
        of=int(question.considered.sum()) + len(question.foreign),
        alternatives=[Alternative(e.labels, e.axes) for e in answer.others],
        explanation=_in_words(situation, answer),
        separate_by=_separating(answer.used, answer.others),
        fits=len(answer.used) + len(answer.others) if answer.tried else 0,
        tried=answer.tried,
        rivals=list(answer.rivals),
        reference_conventions=(
            {axis: situation.conventions.plain(axis) for axis in answer.used[0].axes} if answer.used else {}
        ),
    )
    return Diagnosed(diagnosis, labels, conventions)


def _smallest(
    situation: Recomputer, explanation: Explanation, query: int
) -> tuple[tuple[Axis[Any], AxisValue], ...]:
    """The single change of an explanation that alone gives this query its value; else all changes."""
    if len(explanation.changes) < 2:
        return explanation.changes
    target = situation.evaluated(explanation.conventions)
    for change in explanation.changes:
        by_itself = situation.base.with_changes(**{change[0].name: change[1]})
        if not situation.possible(by_itself):
            continue
        alone = situation.evaluated(by_itself)
        same = equal(alone.values[[query]], target.values[[query]], PROOF_TOLERANCE, None)[0]
        if same and alone.present[query] == target.present[query]:
            return (change,)
    return explanation.changes


def _in_words(situation: Recomputer, answer: _Answer) -> str:
    base = situation.conventions
    clauses: dict[str, None] = {}
    for explanation in answer.used:
        for cause, value in explanation.changes:
            clauses[cause.describe(base.plain(cause.name), value)] = None
    described = {label for e in answer.used for label in e.labels}
    tied = int(answer.tied.sum())
    if tied:
        where = "" if tied == 1 else f", in each of {tied:,} queries"
        clauses[f"some order of the tied documents gives exactly this value{where}"] = None
        described.add(_TIES)
    for label in answer.labels:
        if label not in described:
            clauses[causes()[label].summary] = None
    return "; ".join(filter(None, (*clauses, answer.caveat))) + "."


def _separating(chosen: Sequence[Explanation], others: Sequence[Explanation]) -> str | None:
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
