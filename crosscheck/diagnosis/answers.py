"""Explanations of why values differ, the strongest kind first; see :mod:`crosscheck.diagnosis.diagnose`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from crosscheck.axes.summaries import RESULT_PRECISION, ResultPrecision
from crosscheck.axes.ties import Ties
from crosscheck.compare import equal
from crosscheck.diagnosis.question import Question
from crosscheck.hypotheses.number_format import PROOF_TOLERANCE, slack
from crosscheck.hypotheses.rivals import NEEDED_ON, differing_for, doubts
from crosscheck.hypotheses.search import Explanation
from crosscheck.model import BoolArray
from crosscheck.results import Strength

__all__ = [
    "LEAK",
    "MAX_AXES",
    "TIES",
    "UNEXPLAINED",
    "Answer",
    "by_order",
    "explained",
    "noise",
    "piecewise",
    "unexplained",
    "whole",
]

#: Maximum number of axes that one explanation may change.
MAX_AXES = 4

#: By number of changed axes: number of differing queries that a partial explanation must give.
_FOR_PART = {1: 2, 2: 2, 3: 6, 4: 12}

TIES = "tie-breaking"
LEAK = "cross-query-leak"
UNEXPLAINED = "unexplained"


@dataclass(frozen=True, slots=True, eq=False)
class Answer:
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


def whole(question: Question) -> Answer | None:
    """The answer with the likeliest of the smallest sets of conventions that reproduce everything, if any."""
    if question.foreign:
        return None
    search = question.search
    for size in range(1, MAX_AXES + 1):
        found = search.complete_of_size(size) if question.differing >= differing_for(size) else []
        if found:
            found.sort(key=lambda e: (not e.axes.items() <= question.likely.items(), search.unlikeliness(e)))
            return explained(question, found[0].labels + [LEAK] * question.leak, found, search.tried(size))
    return None


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
    """The answer if nothing fits."""
    return Answer("none", [UNEXPLAINED], [], [], question.nowhere)


def explained(
    question: Question, labels: list[str], proofs: Sequence[Explanation] = (), tried: int = 0
) -> Answer:
    """An answer that fits everything: proved if no doubt remains, else consistent with a caveat."""
    fits = f"{len(proofs):,} of {tried:,} sets of conventions {'gives' if len(proofs) == 1 else 'give'}"
    strength: Strength = "consistent"
    rivals: list[str] = []
    if question.leak:
        caveat = "the mean is not the mean of these values"
    elif not question.search.judge_cells:
        caveat = f"{fits} this mean, or it is another run"
    elif not question.differing:
        caveat = f"no query differs, only the mean: {fits} it"
    elif question.differing < NEEDED_ON:
        number = question.differing
        caveat = "only 1 query differs" if number == 1 else f"only {number} queries differ"
    else:
        caveat, rivals = doubts(question.search, proofs, tried) if proofs else ("", [])
        strength = "consistent" if caveat else "proved"
    return Answer(strength, labels, proofs[:1], proofs[1:], question.nowhere, caveat, tried, rivals)
