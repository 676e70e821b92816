"""Reciprocal rank, and expected reciprocal rank."""

from __future__ import annotations

import math

import numpy as np

from crosscheck.axes.forms import MAX_GRADE, RR_CUTOFF, RR_OF, RrOf
from crosscheck.axes.judging import RELEVANCE_LEVEL
from crosscheck.axes.ties import Ties
from crosscheck.conventions import Conventions
from crosscheck.measures.base import (
    JUDGED_ONLY,
    Family,
    MeasureParameter,
    Merits,
    Tied,
    divide,
    highest_level,
    relevant,
    running,
    sum_by_topic,
)
from crosscheck.measures.tied import (
    FAR,
    Groups,
    by_relevance,
    hits,
    last_rank,
    nothing_in,
    one_each,
    product_of_first,
)
from crosscheck.model import FloatArray, IntArray, Measure
from crosscheck.rankings.judged import JudgedRankings


def reciprocal_rank(judged: JudgedRankings, conventions: Conventions, measure: Measure) -> FloatArray:
    """1 / rank of the first relevant document (trec_eval ``recip_rank``); 0.0 if there is none.

    With a cutoff, of the measure or of the convention ``rr_cutoff``, it is 0.0 if that document ranks below.
    The axis ``rr_of`` chooses other documents than the first relevant one, and the mean if these are several.
    """
    limits = [k for k in (measure.cutoff, conventions[RR_CUTOFF]) if k is not None]
    level, kind = conventions[RELEVANCE_LEVEL], conventions[RR_OF]
    topic, rank = relevant(judged, level, min(limits, default=None))
    if kind is RrOf.HIGHEST_LEVEL:
        hit = judged.rel >= levels_of_highest(judged, level)[judged.topic]
        hit &= judged.rank <= min(limits, default=judged.deepest)
        topic, rank = judged.topic[hit], judged.rank[hit]
    value = 1.0 / rank_divisor(rank, conventions)
    if kind is RrOf.EVERY:
        return divide(sum_by_topic(judged, topic, value), judged.num_rel(level))
    if kind is RrOf.EVERY_RETRIEVED:
        return divide(sum_by_topic(judged, topic, value), judged.count(topic))
    result = np.zeros(judged.num_topics)
    np.maximum.at(result, topic, value)
    return result


def levels_of_highest(judged: JudgedRankings, level: int) -> IntArray:
    """The highest level of each topic's judgements, or the relevance level if the highest is not relevant."""
    highest = np.full(judged.num_topics, max(level, 0))
    np.maximum.at(highest, judged.pool_topic, judged.pool_rel)
    return highest


def rank_divisor(rank: IntArray, conventions: Conventions) -> IntArray:
    """Divisor of reciprocal rank at each rank: the rank itself, under every tie rule."""
    return rank


def _expected(judged: JudgedRankings, conventions: Conventions, measure: Measure) -> FloatArray:
    level, kind = conventions[RELEVANCE_LEVEL], conventions[RR_OF]
    highest = kind is RrOf.HIGHEST_LEVEL
    groups = Groups.of(hits(judged, levels_of_highest(judged, level) if highest else level))
    places = groups.inside(last_rank(conventions, measure.cutoff, conventions[RR_CUTOFF]))
    if kind in (RrOf.EVERY, RrOf.EVERY_RETRIEVED):
        return _expected_mean(judged, conventions, groups, places)
    result = np.zeros(judged.num_topics)
    for i in np.flatnonzero(np.diff(groups.topic, prepend=-1)).tolist():
        size, found, start = int(groups.size[i]), int(groups.found[i]), int(groups.start[i])
        within = min(int(places[i]), size - found + 1)
        nothing = nothing_in(size, found, within)
        place = np.arange(within)
        here = nothing[:-1] * found / (size - place)
        result[groups.topic[i]] = (
            float(np.cumsum(here / rank_divisor(start + 1 + place, conventions))[-1]) if within else 0.0
        )
    return result


def _expected_mean(
    judged: JudgedRankings, conventions: Conventions, groups: Groups, places: IntArray
) -> FloatArray:
    """Expected mean of 1 / rank over all relevant documents, or over those found in the first ``places``
    ranks of each group."""
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
        # The number of relevant documents of the group above the limit is hypergeometric.
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


def _merits(judged: JudgedRankings, conventions: Conventions, measure: Measure) -> Merits:
    if conventions[RR_OF] is not RrOf.HIGHEST_LEVEL:
        return by_relevance(judged, conventions, measure)
    found = hits(judged, levels_of_highest(judged, conventions[RELEVANCE_LEVEL]))
    return one_each(found.topic, found.rank)


def _unless(ties: Ties, conventions: Conventions, measure: Measure) -> str | None:
    cut = last_rank(conventions, measure.cutoff, conventions[RR_CUTOFF]) < FAR
    # Cutting off a document can raise the mean over the remaining ones.
    if ties in (Ties.BEST, Ties.WORST) and conventions[RR_OF] is RrOf.EVERY_RETRIEVED and cut:
        return f"a cutoff and rr_of={RrOf.EVERY_RETRIEVED}"
    return None


MAX_REL = MeasureParameter(name="max_rel", default=4, text="highest level of the scale, which gains most")


def expected_reciprocal_rank(
    judged: JudgedRankings, conventions: Conventions, measure: Measure
) -> FloatArray:
    """Expected 1 / rank at which a user is satisfied (ir_measures ``ERR@k``).

    A document of level r satisfies the user with probability (2^r - 1) / 2^max_rel; ``max_rel`` is 4 by
    default, as in gdeval, or set by the axis ``max_grade``; higher levels count as ``max_rel``. Values lie in
    [0, 1). Unjudged documents never satisfy. Not normalised. Source: Chapelle et al., CIKM 2009; gdeval (TREC
    Web tracks), which prints 5 decimals.
    """
    hit = judged.rel > 0
    if measure.cutoff is not None:
        hit &= judged.rank <= measure.cutoff
    topic, rank = judged.topic[hit], judged.rank[hit]
    satisfied = _satisfied(judged.only(hit), conventions)
    going_on = running(np.multiply, judged, topic, 1.0 - satisfied)
    before = np.ones(len(topic))
    before[1:] = np.where(topic[1:] == topic[:-1], going_on[:-1], 1.0)
    return sum_by_topic(judged, topic, satisfied * before / rank)


def _satisfied(judged: JudgedRankings, conventions: Conventions) -> FloatArray:
    """Probability that each of the given documents, whose levels are above 0, satisfies the user."""
    highest = highest_level(judged, conventions, MAX_REL.default)[judged.topic]
    satisfied: FloatArray = (np.ldexp(1.0, np.minimum(judged.rel, highest)) - 1.0) / np.ldexp(1.0, highest)
    return satisfied


def _expected_err(judged: JudgedRankings, conventions: Conventions, measure: Measure) -> FloatArray:
    """ERR averaged over all orders of the tied documents, per topic.

    The probability of stopping at a rank is the probability of reaching the rank minus that of reaching the
    next one.
    """
    judged = judged.only(judged.rel > 0)
    groups, going_on = Groups.of(judged), 1.0 - _satisfied(judged, conventions)
    within = groups.inside(last_rank(conventions, measure.cutoff))
    ends = np.cumsum(groups.found)
    reached, value = np.ones(judged.num_topics), np.zeros(len(ends))
    for i, end in enumerate(ends.tolist()):
        here = product_of_first(going_on[end - groups.found[i] : end], int(groups.size[i]))
        ranks = groups.start[i] + np.arange(1, within[i] + 1)
        stops = (here[:-1] - here[1:])[: within[i]]
        topic = groups.topic[i]
        value[i] = reached[topic] * float(np.sum(stops / ranks))
        reached[topic] *= here[-1]
    return sum_by_topic(judged, groups.topic, value)


def _merits_err(judged: JudgedRankings, conventions: Conventions, measure: Measure) -> Merits:
    found = judged.only(judged.rel > 0)
    return found.topic, found.rank, _satisfied(found, conventions)


def _unless_err(ties: Ties, conventions: Conventions, measure: Measure) -> str | None:
    return "a negative max_rel" if MAX_REL.of(measure) < 0 else None


FAMILIES = (
    Family(
        name="RR",
        compute=reciprocal_rank,
        summary="reciprocal rank of the first relevant document",
        trec_eval="recip_rank",
        cutoff="optional",
        params=(JUDGED_ONLY,),
        reads=(RR_CUTOFF, RR_OF),
        aliases=("MRR",),
        pool=False,
        tied=Tied(average=_expected, merit=_merits, unless=_unless),
    ),
    Family(
        name="ERR",
        compute=expected_reciprocal_rank,
        summary="expected reciprocal rank of the document that satisfies",
        cutoff="optional",
        rel=False,
        params=(MAX_REL,),
        reads=(MAX_GRADE,),
        pool=False,
        tied=Tied(average=_expected_err, merit=_merits_err, unless=_unless_err),
    ),
)
