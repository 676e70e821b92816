"""Expected values over all orders of tied documents, and precision behind each group of them.

Source: McSherry and Najork, "Computing Information Retrieval Performance Measures Efficiently in the Presence
of Tied Scores", ECIR 2008. Every order of a group of tied documents is equally likely; groups keep theirs.
"""

from __future__ import annotations

import math

import numpy as np

from crosscheck.axes.ap_denominator import AP_DENOMINATOR, ApDenominator
from crosscheck.axes.depth import DEPTH
from crosscheck.axes.first_result import FIRST_RESULT, FirstResult
from crosscheck.axes.gain import GAIN, Gain
from crosscheck.axes.relevance_level import RELEVANCE_LEVEL
from crosscheck.axes.rr_cutoff import RR_CUTOFF
from crosscheck.axes.rr_of import RR_OF, RrOf
from crosscheck.axes.ties import TIES, Ties
from crosscheck.conventions import Conventions
from crosscheck.measures.average_precision import ap_denominator
from crosscheck.measures.base import Compute, discounts, divide, gain_pairs
from crosscheck.measures.gain import retrieved_gains
from crosscheck.measures.ndcg import ideal_dcg
from crosscheck.measures.precision import precision_denominator
from crosscheck.measures.r_precision import r_precision_denominator
from crosscheck.measures.recall import recall_denominator
from crosscheck.measures.reciprocal_rank import levels_of_highest, rank_divisor
from crosscheck.measures.sums import sum_by_topic
from crosscheck.model import FloatArray, IntArray, Measure
from crosscheck.rankings.judged import Judged

__all__ = ["in_groups"]

_FAR = 2**40


def in_groups(measure: Measure, conventions: Conventions) -> Compute | None:
    """How a measure is computed under the tie rules ``average`` and ``group-end``; None where it has no such
    form, and keeps input order."""
    if conventions[FIRST_RESULT] is FirstResult.SKIPPED:
        return None  # Which of the tied documents that is, only an order says.
    match conventions[TIES]:
        case Ties.AVERAGE:
            # Groups say nothing of unjudged documents, which may gain under these.
            if gain_pairs(measure):
                return None
            of_all = conventions[GAIN] is Gain.POWER_OF_ALL
            return None if of_all and measure.family in ("DCG", "nDCG") else _EXPECTED.get(measure.family)
        case Ties.GROUP_END:
            return _ap_behind_groups if measure.family == "AP" and measure.cutoff is None else None
        case _:
            return None


class _Groups:
    """Groups of tied documents that hold a relevant one, by topic, then by rank.

    Attributes:
        topic; start: documents above the group; size: its documents; found: its relevant documents;
        before: relevant documents above it.
    """

    def __init__(self, judged: Judged, level: int | IntArray) -> None:
        """``level``: the lowest that is relevant, for all topics or for each."""
        assert judged.tied_after is not None
        assert judged.tied is not None
        hit = judged.rel >= np.broadcast_to(np.maximum(level, 0), judged.num_topics)[judged.topic]
        key = (judged.topic[hit] << 40) | judged.tied_after[hit]
        _, first, self.found = np.unique(key, return_index=True, return_counts=True)
        self.topic: IntArray = judged.topic[hit][first]
        self.start: IntArray = judged.tied_after[hit][first]
        self.size: IntArray = judged.tied[hit][first]
        up_to = np.cumsum(self.found)
        of_topic = np.searchsorted(self.topic, self.topic)
        self.before: IntArray = up_to - self.found - (up_to - self.found)[of_topic]

    def inside(self, limit: IntArray | int) -> IntArray:
        """Places of each group up to a rank, per group or for all."""
        return np.clip(limit - self.start, 0, self.size)

    def found_within(self, judged: Judged, limit: IntArray | int) -> FloatArray:
        """Expected number of relevant documents up to a rank, per topic."""
        return sum_by_topic(judged, self.topic, self.found * self.inside(limit) / self.size)


def _limit(conventions: Conventions, cutoff: int | None) -> int:
    return min((k for k in (cutoff, conventions[DEPTH]) if k is not None), default=_FAR)


def _precision(judged: Judged, conventions: Conventions, measure: Measure) -> FloatArray:
    found = _found(judged, conventions, measure.cutoff)
    return divide(found, precision_denominator(judged, conventions, measure))


def _found(judged: Judged, conventions: Conventions, cutoff: int | None) -> FloatArray:
    groups = _Groups(judged, conventions[RELEVANCE_LEVEL])
    return groups.found_within(judged, _limit(conventions, cutoff))


def _recall(judged: Judged, conventions: Conventions, measure: Measure) -> FloatArray:
    found = _found(judged, conventions, measure.cutoff)
    return divide(found, recall_denominator(judged, conventions, measure))


def _r_precision(judged: Judged, conventions: Conventions, measure: Measure) -> FloatArray:
    groups = _Groups(judged, conventions[RELEVANCE_LEVEL])
    limit = np.minimum(judged.num_rel(conventions[RELEVANCE_LEVEL]), _limit(conventions, None))
    found = groups.found_within(judged, limit[groups.topic])
    return divide(found, r_precision_denominator(judged, conventions))


def _success(judged: Judged, conventions: Conventions, measure: Measure) -> FloatArray:
    groups = _Groups(judged, conventions[RELEVANCE_LEVEL])
    places = groups.inside(_limit(conventions, measure.cutoff))
    result = np.zeros(judged.num_topics)
    first = np.flatnonzero(np.diff(groups.topic, prepend=-1))
    rows = zip(groups.size[first].tolist(), groups.found[first].tolist(), places[first].tolist(), strict=True)
    result[groups.topic[first]] = [float(1.0 - _nothing_in(*row)[-1]) for row in rows]
    return result


def _nothing_in(size: int, found: int, places: int) -> FloatArray:
    """Probability that the first 0, 1, ... ``places`` of a group hold none of its relevant documents."""
    place = np.arange(places)
    left = np.maximum(size - found - place, 0) / (size - place)
    return np.concatenate(([1.0], np.cumprod(left)))


def _reciprocal_rank(judged: Judged, conventions: Conventions, measure: Measure) -> FloatArray:
    level, kind = conventions[RELEVANCE_LEVEL], conventions[RR_OF]
    highest = kind is RrOf.HIGHEST_LEVEL
    groups = _Groups(judged, levels_of_highest(judged, level) if highest else level)
    cutoff = conventions[RR_CUTOFF]
    limit = min(_limit(conventions, measure.cutoff), _FAR if cutoff is None else cutoff)
    places = groups.inside(limit)
    if kind in (RrOf.EVERY, RrOf.EVERY_RETRIEVED):
        return _reciprocal_ranks(judged, conventions, groups, places)
    result = np.zeros(judged.num_topics)
    for i in np.flatnonzero(np.diff(groups.topic, prepend=-1)).tolist():
        size, found, start = int(groups.size[i]), int(groups.found[i]), int(groups.start[i])
        within = min(int(places[i]), size - found + 1)
        nothing = _nothing_in(size, found, within)
        place = np.arange(within)
        here = nothing[:-1] * found / (size - place)
        result[groups.topic[i]] = (
            float(np.cumsum(here / rank_divisor(start + 1 + place, conventions))[-1]) if within else 0.0
        )
    return result


def _reciprocal_ranks(
    judged: Judged, conventions: Conventions, groups: _Groups, places: IntArray
) -> FloatArray:
    """The mean of 1 / rank over all relevant documents, or over those found at these places of each group."""
    deepest = int((groups.start + places).max(initial=0))
    up_to = np.concatenate(([0.0], np.cumsum(1.0 / rank_divisor(np.arange(1, deepest + 1), conventions))))
    mean = divide(up_to[groups.start + places] - up_to[groups.start], places)
    alone = (groups.size == 1) & (places > 0)
    mean[alone] = 1.0 / rank_divisor(groups.start[alone] + 1, conventions)
    whole = sum_by_topic(judged, groups.topic, groups.found * mean * places / groups.size)
    if conventions[RR_OF] is RrOf.EVERY:
        return divide(whole, judged.num_rel(conventions[RELEVANCE_LEVEL]))
    cut = (places > 0) & (places < groups.size)
    above = sum_by_topic(judged, groups.topic[~cut], (groups.found * mean)[~cut])
    found = np.bincount(groups.topic, (groups.found * (places > 0) * ~cut), judged.num_topics)
    result = divide(above, found)
    for i in np.flatnonzero(cut).tolist():
        # How many relevant documents of the group stand above the limit is hypergeometric.
        topic, relevant, size = int(groups.topic[i]), int(groups.found[i]), int(groups.size[i])
        inside, total = int(places[i]), math.comb(size, int(places[i]))
        result[topic] = sum(
            math.comb(relevant, here)
            * math.comb(size - relevant, inside - here)
            / total
            * (above[topic] + here * mean[i])
            / (found[topic] + here)
            for here in range(max(0, inside + relevant - size), min(relevant, inside) + 1)
            if found[topic] + here
        )
    return result


def _average_precision(judged: Judged, conventions: Conventions, measure: Measure) -> FloatArray:
    groups = _Groups(judged, conventions[RELEVANCE_LEVEL])
    places = groups.inside(_limit(conventions, measure.cutoff))
    deepest = int((groups.start + places).max(initial=0))
    reciprocals = np.concatenate(([0.0], np.cumsum(1.0 / np.arange(1, deepest + 1))))
    # Of a relevant document at place i, (i - 1) others of the group stand above, each relevant with
    # probability (found - 1) / (size - 1).
    harmonic = reciprocals[groups.start + places] - reciprocals[groups.start]
    above = places - (groups.start + 1) * harmonic
    share = divide(groups.found - 1, groups.size - 1)
    expected = groups.found / groups.size * ((groups.before + 1) * harmonic + share * above)
    # A document that is tied with no other is added as plainly as average precision does.
    expected = np.where(groups.size == 1, (places > 0) * (groups.before + 1) / (groups.start + 1), expected)
    total = sum_by_topic(judged, groups.topic, expected)
    if conventions[AP_DENOMINATOR] is ApDenominator.RETRIEVED_RELEVANT:
        return divide(total, groups.found_within(judged, _limit(conventions, measure.cutoff)))
    return divide(total, ap_denominator(judged, conventions, measure))


def _ap_behind_groups(judged: Judged, conventions: Conventions, measure: Measure) -> FloatArray:
    """Each relevant document adds the precision behind its group (scikit-learn's average precision)."""
    groups = _Groups(judged, conventions[RELEVANCE_LEVEL])
    precision = (groups.before + groups.found) / (groups.start + groups.size)
    total = sum_by_topic(judged, groups.topic, groups.found * precision)
    return divide(total, ap_denominator(judged, conventions, measure))


def _dcg(judged: Judged, conventions: Conventions, measure: Measure) -> FloatArray:
    found = retrieved_gains(judged, conventions, measure)
    assert found.after is not None
    assert found.tied is not None
    limit = _limit(conventions, measure.cutoff)
    places = np.clip(limit - found.after, 0, found.tied)
    deepest = int((found.after + places).max(initial=0))
    weights = 1.0 / discounts(conventions, np.arange(1, deepest + 1))
    up_to = np.concatenate(([0.0], np.cumsum(weights)))
    share = (up_to[found.after + places] - up_to[found.after]) / found.tied
    alone = (found.tied == 1) & (places > 0)
    share[alone] = weights[found.after[alone]]
    return sum_by_topic(judged, found.topic, found.gain * share)


def _ndcg(judged: Judged, conventions: Conventions, measure: Measure) -> FloatArray:
    return divide(_dcg(judged, conventions, measure), ideal_dcg(judged, conventions, measure))


_EXPECTED: dict[str, Compute] = {
    "P": _precision,
    "R": _recall,
    "Rprec": _r_precision,
    "Success": _success,
    "RR": _reciprocal_rank,
    "AP": _average_precision,
    "DCG": _dcg,
    "nDCG": _ndcg,
}
