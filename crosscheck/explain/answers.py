"""From the values that differ to labels, their strength and their words."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from crosscheck.axes.base import Axis
from crosscheck.axes.summaries import AVERAGING, MAX_ULP, RESULT_PRECISION, QuerySet, ResultPrecision
from crosscheck.axes.ties import Ties
from crosscheck.compare import Differences, align, equal
from crosscheck.conventions import AxisValue, Conventions
from crosscheck.evaluation.recomputer import Recomputer
from crosscheck.evaluation.summarise import count_elsewhere, summary_of_total
from crosscheck.explain.doubts import doubts
from crosscheck.explain.evidence import (
    PROOF_TOLERANCE,
    SINGLE,
    Evidence,
    constant,
    in_single_precision,
    slack,
)
from crosscheck.explain.labels import causes
from crosscheck.explain.search import NEEDED_ON, Explanation, Search
from crosscheck.explain.ties import TieOrders
from crosscheck.measures.base import sequential_sum
from crosscheck.model import BoolArray, MeasureValues, Scores
from crosscheck.results import Alternative, Diagnosis, Strength


class Question(Struct, frozen=True, eq=False):
    """Values to be explained.

    Attributes:
        observed: the candidate's values over all topics.
        considered: mask of the queries for which either side has a value; mismatching: mask of the queries
            that differ.
        foreign: differing topics that are in neither run nor qrels: nothing can reproduce them.
        leak: whether the candidate's mean is not a mean of its own values.
        orders: the values that orders of tied documents can give.
        likely: changed axes that explain other measures of the candidate.
    """

    situation: Recomputer
    search: Search
    observed: Scores
    considered: BoolArray
    mismatching: BoolArray
    foreign: tuple[bytes, ...]
    leak: bool
    orders: TieOrders
    likely: Mapping[str, AxisValue]

    @classmethod
    def of(
        cls,
        situation: Recomputer,
        differences: Differences,
        candidate: MeasureValues,
        likely: Mapping[str, AxisValue],
        beside: Sequence[Evidence] = (),
    ) -> Question:
        """The question given by the arguments of :func:`crosscheck.explain.diagnose.diagnose`."""
        all_topics = situation.rankings.pairing.all_topics
        observed = align(candidate, all_topics)
        matching = zip(differences.topics, differences.match.tolist(), strict=True)
        differing = {topic for topic, same in matching if not same}
        mismatching = np.fromiter((t in differing for t in all_topics), np.bool_, len(all_topics))
        leak = candidate.one_by_one and leaks(situation, observed)
        cells = bool(candidate.values) or candidate.mean is None
        considered = situation.evaluated(situation.base).present | observed.present
        return cls(
            situation=situation,
            search=Search(Evidence(situation, observed, not leak, cells), mismatching, beside=beside),
            observed=observed,
            considered=considered if cells else np.zeros(len(all_topics), np.bool_),
            mismatching=mismatching,
            foreign=tuple(sorted(differing - set(all_topics))),
            leak=leak,
            orders=TieOrders(situation, observed),
            likely=likely,
        )

    @property
    def differing(self) -> int:
        return int(self.mismatching.sum())

    @property
    def nowhere(self) -> BoolArray:
        return np.zeros(len(self.mismatching), np.bool_)

    @property
    def constant(self) -> list[str]:
        """The name of the rule that gives all queries the candidate's value; empty without one, and if only
        a few queries differ."""
        same = constant(self.observed.values[self.observed.present])
        return same if self.differing >= NEEDED_ON else []


def is_noise(differences: Differences, observed: Scores) -> bool:
    """Whether every difference is at most a few units in the last place, in the candidate's precision, and no
    value is missing."""
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


def leaks(situation: Recomputer, observed: Scores) -> bool:
    """Whether the reported mean differs from the mean of the reported values for every plausible number of
    queries."""
    if observed.mean is None or not observed.present.any():
        return False
    about, rankings = situation.family, situation.rankings
    total = sequential_sum(observed.values[observed.present])
    if about.is_sum:
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
    """Recomputers with other summaries than that of ``situation``; empty if they cannot differ from it."""
    if not AVERAGING.gate(situation).any():
        return []
    summaries = AVERAGING.other_options(situation)
    return [replace(situation, base=situation.base.with_changes(averaging=other)) for other in summaries]


#: Maximum number of axes that one explanation may change.
MAX_AXES = 4

#: By number of changed axes: number of differing queries that a partial explanation must give.
_FOR_PART = {1: 2, 2: 2, 3: 6, 4: 12}

TIES = "tie-breaking"
LEAK = "cross-query-leak"
UNEXPLAINED = "unexplained"


class Answer(Struct, frozen=True, eq=False):
    """An explanation of the values, or of a part of them.

    Attributes:
        used: the explanations that the answer gives; others: explanations that fit as well; tried: number of
            sets of conventions tried, 0 if not counted.
        tied: mask of the queries whose value some order of the tied documents gives.
        caveat: the reason why the strength is not higher; rivals: formulas that fit as well.
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


def whole(question: Question, most: int = MAX_AXES) -> Answer | None:
    """The answer with the likeliest of the smallest sets of conventions that reproduce everything, if any
    does that changes at most so many axes."""
    if question.foreign:
        return None
    found = question.search.smallest(most)
    if not found:
        return None
    found.sort(key=lambda e: not e.axes.items() <= question.likely.items())
    tried = question.search.tried(len(found[0].changes))
    return explained(question, found[0].labels + [LEAK] * question.leak, found, tried)


def noise(question: Question) -> Answer:
    """The answer for differences in the last bits; it uses single precision if that gives all values."""
    changed = (RESULT_PRECISION, ResultPrecision.FLOAT32)
    single, observed = question.search.explanation(changed), question.observed
    values = question.situation.evaluated(single.conventions).values
    exact = observed.present.any() and (values == observed.values)[observed.present].all()
    return explained(question, [RESULT_PRECISION.label], [single] if exact else [], 1)


def by_order(question: Question) -> Answer | None:
    """The answer if some order of tied documents gives every differing value, and the mean follows from the
    values; else None."""
    if question.foreign or not question.differing or not (question.leak or _mean_follows(question)):
        return None
    if not all(question.orders.give(query) for query in np.flatnonzero(question.mismatching).tolist()):
        return None
    answer = explained(question, [TIES] + [LEAK] * question.leak)
    return replace(answer, strength="consistent", tied=question.mismatching)


def _mean_follows(question: Question) -> bool:
    """Whether the reported mean is the reference's summary of the reported values, within their printed
    digits."""
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


def piecewise(question: Question) -> Answer:
    """The answer if no single set of conventions fits: parts of the queries are explained by different sets,
    and other queries by orders of tied documents."""
    search, left = question.search, question.mismatching.copy()
    agreeing = question.considered & ~question.mismatching
    used: list[Explanation] = []
    for size in range(1, MAX_AXES + 1) if search.judge_cells else ():
        # An explanation that changes an agreeing query is contradicted by it, and none mends a query whose
        # value is missing for no reason that an axis gives.
        if (left & search.reachable).sum() < _FOR_PART[size]:
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
    tied = question.nowhere
    tied[[query for query, given in answers.items() if given]] = True
    labels = [label for e in used for label in e.labels] + [TIES] * bool(tied.any())
    labels += [LEAK] * question.leak
    if (left & ~tied).any() or question.foreign or not used:
        labels.append(UNEXPLAINED)
    undecided = sum(given is None for given in answers.values())
    caveat = ""
    if _exchanged(question):
        caveat = (
            "these are the reference's values at other queries: check that values and ids belong together"
        )
    elif undecided:
        where = "" if undecided == question.differing == 1 else f" in {undecided:,} of the queries"
        caveat = f"ties present{where}: whether some order of them gives the value cannot be said"
    elif not search.judge_cells and _mean_between(question):
        caveat = "ties present: the mean lies between those of their worst and their best order"
    strength: Strength = "per-query" if used else "none"
    return Answer(strength, list(dict.fromkeys(labels)), used, [], tied, caveat)


def _exchanged(question: Question) -> bool:
    """Whether the candidate has the reference's values, several different ones, but at other queries."""
    observed, base = question.observed, question.situation.evaluated(question.situation.base)
    theirs, ours = np.sort(observed.values[observed.present]), np.sort(base.values[base.present])
    if len(np.unique(observed.values[question.mismatching])) <= NEEDED_ON or len(theirs) != len(ours):
        return False
    return bool(equal(ours, theirs, PROOF_TOLERANCE, observed.decimals).all())


def _mean_between(question: Question) -> bool:
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


def unexplained(question: Question) -> Answer:
    """The answer if nothing fits, or nothing but one value for every query."""
    same = question.constant
    caveat = f"it has {same[0]}" if same else ""
    return Answer("none", [UNEXPLAINED], [], [], question.nowhere, caveat, rivals=same)


def explained(
    question: Question, labels: list[str], proofs: Sequence[Explanation] = (), tried: int = 0
) -> Answer:
    """An answer that fits everything: proved if no doubt remains, else consistent with a caveat."""
    fits = f"{len(proofs):,} of {tried:,} sets of conventions {'gives' if len(proofs) == 1 else 'give'}"
    asked = sum(int(evidence.differing.sum()) for evidence in question.search.beside)
    strength: Strength = "consistent"
    rivals: list[str] = []
    if question.leak:
        caveat = "the mean is not the mean of these values"
    elif not question.search.judge_cells:
        caveat = f"{fits} this mean, or it is another run"
    elif not question.differing:
        caveat = f"no query differs, only the mean: {fits} it"
    elif question.differing + asked < NEEDED_ON:
        number = question.differing
        caveat = "only 1 query differs" if number == 1 else f"only {number} queries differ"
    else:
        caveat, rivals = doubts(question.search, proofs, tried) if proofs else ("", [])
        strength = "consistent" if caveat else "proved"
    return Answer(strength, labels, proofs[:1], proofs[1:], question.nowhere, caveat, tried, rivals)


class Diagnosed(Struct, frozen=True, eq=False):
    """A diagnosis with its per-query part.

    Attributes:
        labels: topic id -> labels, for every topic that differs.
        conventions: topic id -> the conventions that reproduce its value, if any do.
    """

    diagnosis: Diagnosis
    labels: dict[bytes, list[str]]
    conventions: dict[bytes, Conventions]


def recorded(question: Question, answer: Answer) -> Diagnosed:
    """The answer as records, with the labels of every differing query."""
    situation, all_topics = question.situation, question.situation.rankings.pairing.all_topics
    labels: dict[bytes, list[str]] = {topic: [UNEXPLAINED] for topic in question.foreign}
    conventions: dict[bytes, Conventions] = {}
    for i in np.flatnonzero(question.mismatching).tolist():
        topic = all_topics[i]
        explanation = next((e for e in answer.used if e.reproduced[i]), None)
        if explanation is not None:
            labels[topic] = [cause.label for cause, _ in _smallest(situation, explanation, i)]
            conventions[topic] = explanation.conventions
        elif answer.complete:
            labels[topic] = answer.labels[:1]
        else:
            labels[topic] = [TIES] if answer.tied[i] else [UNEXPLAINED]
    reproduced = question.considered
    if not answer.complete:
        reproduced = (reproduced & ~question.mismatching) | answer.tied
        for explanation in answer.used:
            reproduced = reproduced | (explanation.reproduced & question.considered)
    said = as_said(answer.labels, labels, conventions)
    diagnosis = Diagnosis(
        strength=answer.strength,
        causes=said,
        conventions=answer.used[0].axes if answer.used else {},
        reproduced=int(reproduced.sum()),
        of=int(question.considered.sum()) + len(question.foreign),
        alternatives=[Alternative(e.labels, e.axes) for e in answer.others],
        explanation=_in_words(situation, answer, said, labels),
        separate_by=_separating(answer.used, answer.others),
        fits=len(answer.used) + len(answer.others) if answer.tried else 0,
        tried=answer.tried,
        rivals=list(answer.rivals),
        reference_conventions=(
            {axis: situation.conventions.plain(axis) for axis in answer.used[0].axes} if answer.used else {}
        ),
    )
    return Diagnosed(diagnosis, labels, conventions)


def as_said(
    causes: Sequence[str], labels: Mapping[bytes, list[str]], conventions: Mapping[bytes, Conventions]
) -> list[str]:
    """The causes in the order in which every report says them. Where no one explanation gives most of what
    differs, that comes first, and what explains parts of it are pointers.

    Args:
        labels, conventions: those of the queries, as in :class:`Diagnosed`.
    """
    parts = Counter(conventions.get(topic) for topic, of in labels.items() if of != [UNEXPLAINED])
    open_still = UNEXPLAINED in causes and 2 * max(parts.values(), default=0) <= len(labels) > 0
    return list(dict.fromkeys([UNEXPLAINED] * open_still + [*causes]))


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


def _in_words(
    situation: Recomputer, answer: Answer, said: Sequence[str], labels: Mapping[bytes, list[str]]
) -> str:
    base = situation.conventions
    clauses: dict[str, None] = {}
    described = {label for e in answer.used for label in e.labels}
    if said[0] == UNEXPLAINED and len(said) > 1:
        number = sum(of == [UNEXPLAINED] for of in labels.values())
        clauses[f"no convention explains {number:,} of {len(labels):,} queries"] = None
        described.add(UNEXPLAINED)
    for explanation in answer.used:
        for cause, value in explanation.changes:
            clauses[cause.describe(base.plain(cause.name), value)] = None
    tied = int(answer.tied.sum())
    if tied:
        where = "" if tied == 1 else f", in each of {tied:,} queries"
        clauses[f"some order of the tied documents gives exactly this value{where}"] = None
        described.add(TIES)
    for label in said:
        if label not in described:
            clauses[causes()[label].summary] = None
    return "; ".join(filter(None, (*clauses, answer.caveat))) + "."


def _separating(chosen: Sequence[Explanation], others: Sequence[Explanation]) -> str | None:
    """The input that would distinguish the explanations, in words."""
    if not others:
        return None
    known = {label: value for e in chosen for label, value in zip(e.labels, e.axes.values(), strict=True)}
    needs: dict[str, None] = {}
    for explanation in [*chosen, *others]:
        for cause, value in explanation.changes:
            if known.get(cause.label) != value or explanation not in chosen:
                needs[cause.needs] = None
    return "an input with " + "; and ".join(filter(None, needs)) + " would tell them apart"
