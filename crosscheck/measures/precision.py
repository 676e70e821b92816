"""Precision, success and their set forms."""

from __future__ import annotations

import numpy as np

from crosscheck.axes.denominators import PRECISION_DENOMINATOR, PrecisionDenominator
from crosscheck.axes.judging import RELEVANCE_LEVEL
from crosscheck.axes.ties import Ties
from crosscheck.conventions import Conventions
from crosscheck.measures.base import (
    JUDGED_ONLY,
    Family,
    Merits,
    Tied,
    divide,
    every_rank,
    relevant_above,
    relevant_retrieved,
)
from crosscheck.measures.tied import Groups, by_relevance, chance_of_any, drawn_of, hits, last_rank
from crosscheck.model import FloatArray, IntArray, Measure
from crosscheck.rankings.judged import JudgedRankings

__all__ = [
    "FAMILIES",
    "expected_found",
    "precision",
    "precision_denominator",
    "relative_precision",
    "set_precision",
    "set_relative_precision",
    "success",
]


def precision(judged: JudgedRankings, conventions: Conventions, measure: Measure) -> FloatArray:
    """Relevant documents among the first k, divided by k (trec_eval ``P_k``).

    Values lie in [0, 1]. The divisor is k even if fewer documents were retrieved, unless
    ``precision_denominator`` is ``min(k,retrieved)``, ``min(k,R)``, or ``judged`` (the judged documents among
    the first k); 0.0 if the divisor is 0. Unjudged documents are nonrelevant.
    """
    found = relevant_above(judged, conventions[RELEVANCE_LEVEL], measure.cutoff)
    return divide(found, precision_denominator(judged, conventions, measure))


def precision_denominator(
    judged: JudgedRankings, conventions: Conventions, measure: Measure
) -> IntArray | int:
    """Denominator of precision, per topic or one number for all."""
    assert measure.cutoff is not None
    match conventions[PRECISION_DENOMINATOR]:
        case PrecisionDenominator.K:
            return measure.cutoff
        case PrecisionDenominator.MIN_K_RETRIEVED:
            return np.minimum(judged.num_ret, measure.cutoff)
        case PrecisionDenominator.JUDGED:
            return judged.count(judged.topic[(judged.rel >= 0) & (judged.rank <= measure.cutoff)])
        case PrecisionDenominator.MIN_K_R:
            return np.minimum(judged.num_rel(conventions[RELEVANCE_LEVEL]), measure.cutoff)


def expected_found(judged: JudgedRankings, conventions: Conventions, cutoff: int | None) -> FloatArray:
    """Expected number of relevant documents among the first ``cutoff``, per topic."""
    groups = Groups.of(hits(judged, conventions[RELEVANCE_LEVEL]))
    return groups.found_within(judged, last_rank(conventions, cutoff))


def _expected_precision(judged: JudgedRankings, conventions: Conventions, measure: Measure) -> FloatArray:
    if conventions[PRECISION_DENOMINATOR] is PrecisionDenominator.JUDGED:
        return _expected_of_judged(judged, conventions, measure)
    found = expected_found(judged, conventions, measure.cutoff)
    return divide(found, precision_denominator(judged, conventions, measure))


def _expected_of_judged(judged: JudgedRankings, conventions: Conventions, measure: Measure) -> FloatArray:
    """Expected precision over judged documents.

    If the cutoff divides a group, the number of its judged documents above the cutoff is random. Relevant
    ones are as frequent among them as among all judged documents of the group. Likewise for unjudged ones
    that count as relevant.
    """
    level, limit = conventions[RELEVANCE_LEVEL], last_rank(conventions, measure.cutoff)
    listed = every_rank(judged) if level < 0 else judged
    groups = Groups.of(listed)
    known, relevant = groups.number(listed.rel >= 0), groups.number(listed.rel >= level)
    both = groups.number(listed.rel >= max(level, 0))
    places = groups.inside(limit)
    whole, cut = places == groups.size, (places > 0) & (places < groups.size)
    seen = np.bincount(groups.topic[whole], known[whole], judged.num_topics)
    found = np.bincount(groups.topic[whole], relevant[whole], judged.num_topics)
    result = divide(found, seen)
    for i in np.flatnonzero(cut).tolist():
        topic, size, drawn, judged_here = (int(of[i]) for of in (groups.topic, groups.size, places, known))
        number = np.arange(judged_here + 1)
        others = divide((drawn - number) * (relevant[i] - both[i]), np.full(len(number), size - judged_here))
        expected = found[topic] + number * both[i] / max(judged_here, 1) + others
        chances = drawn_of(size, judged_here, drawn)
        result[topic] = float(np.cumsum(chances * divide(expected, seen[topic] + number))[-1])
    return result


def _merits(judged: JudgedRankings, conventions: Conventions, measure: Measure) -> Merits:
    """Relevant documents before all others; nonrelevant ones last if judged documents are counted."""
    if conventions[PRECISION_DENOMINATOR] is not PrecisionDenominator.JUDGED:
        return by_relevance(judged, conventions, measure)
    listed = every_rank(judged)
    hit = listed.rel >= conventions[RELEVANCE_LEVEL]
    return listed.topic, listed.rank, 1.0 * hit - 1.0 * ((listed.rel >= 0) & ~hit)


def _unless(ties: Ties, conventions: Conventions, measure: Measure) -> str | None:
    over_judged = conventions[PRECISION_DENOMINATOR] is PrecisionDenominator.JUDGED
    if ties in (Ties.BEST, Ties.WORST) and over_judged and conventions[RELEVANCE_LEVEL] < 0:
        return "precision_denominator=judged and a negative relevance level"
    return None


def success(judged: JudgedRankings, conventions: Conventions, measure: Measure) -> FloatArray:
    """1.0 if any of the first k documents is relevant, else 0.0 (trec_eval ``success_k``)."""
    found = relevant_above(judged, conventions[RELEVANCE_LEVEL], measure.cutoff)
    return (found > 0).astype(np.float64)


def _expected_success(judged: JudgedRankings, conventions: Conventions, measure: Measure) -> FloatArray:
    groups = Groups.of(hits(judged, conventions[RELEVANCE_LEVEL]))
    return chance_of_any(groups, last_rank(conventions, measure.cutoff), judged.num_topics)


def relative_precision(judged: JudgedRankings, conventions: Conventions, measure: Measure) -> FloatArray:
    """Precision at k over the best value possible for the topic (trec_eval ``relative_P_k``).

    Relevant documents among the first k, divided by min(k, R); 0.0 if nothing is relevant.
    """
    assert measure.cutoff is not None
    found = relevant_above(judged, conventions[RELEVANCE_LEVEL], measure.cutoff)
    return divide(found, np.minimum(judged.num_rel(conventions[RELEVANCE_LEVEL]), measure.cutoff))


def _expected_relative(judged: JudgedRankings, conventions: Conventions, measure: Measure) -> FloatArray:
    assert measure.cutoff is not None
    found = expected_found(judged, conventions, measure.cutoff)
    return divide(found, np.minimum(judged.num_rel(conventions[RELEVANCE_LEVEL]), measure.cutoff))


def set_precision(judged: JudgedRankings, conventions: Conventions, measure: Measure) -> FloatArray:
    """Relevant retrieved over retrieved documents (trec_eval ``set_P``); 0.0 if nothing was retrieved."""
    return divide(relevant_retrieved(judged, conventions[RELEVANCE_LEVEL]), judged.num_ret)


def set_relative_precision(judged: JudgedRankings, conventions: Conventions, measure: Measure) -> FloatArray:
    """Relevant retrieved documents over the most possible (trec_eval ``set_relative_P``).

    The divisor is min(retrieved, R); 0.0 if that is 0.
    """
    level = conventions[RELEVANCE_LEVEL]
    return divide(relevant_retrieved(judged, level), np.minimum(judged.num_ret, judged.num_rel(level)))


FAMILIES = (
    Family(
        name="P",
        compute=precision,
        summary="precision in the first k documents",
        trec_eval_cut="P",
        cutoff="required",
        params=JUDGED_ONLY,
        reads=(PRECISION_DENOMINATOR,),
        aliases=("Precision",),
        divisor=precision_denominator,
        pool=False,
        tied=Tied(average=_expected_precision, merit=_merits, unless=_unless),
    ),
    Family(
        name="Success",
        compute=success,
        summary="whether one of the first k documents is relevant",
        trec_eval_cut="success",
        trec_eval_defaults=(1, 5, 10),
        cutoff="required",
        params=JUDGED_ONLY,
        pool=False,
        tied=Tied(average=_expected_success, merit=by_relevance),
    ),
    Family(
        name="relative_P",
        compute=relative_precision,
        summary="precision in the first k documents over the best possible",
        trec_eval_cut="relative_P",
        cutoff="required",
        tied=Tied(average=_expected_relative, merit=by_relevance),
    ),
    Family(
        name="SetP",
        compute=set_precision,
        summary="precision of the whole result set",
        trec_eval="set_P",
        params={"relative": False, **JUDGED_ONLY},
        ranked=False,
        pool=False,
        divisor=lambda judged, conventions, measure: judged.num_ret,
    ),
    Family(
        name="SetRelP",
        compute=set_relative_precision,
        summary="precision of the whole result set over the best possible",
        trec_eval="set_relative_P",
        params=JUDGED_ONLY,
        ranked=False,
    ),
)
