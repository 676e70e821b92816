"""Reciprocal rank."""

from __future__ import annotations

import math

import numpy as np

from crosscheck.axes.forms import RR_CUTOFF, RR_OF, RrOf
from crosscheck.axes.judging import RELEVANCE_LEVEL
from crosscheck.axes.ties import Ties
from crosscheck.conventions import Conventions
from crosscheck.measures.base import JUDGED_ONLY, Family, Merits, Tied, divide, relevant
from crosscheck.measures.sums import sum_by_topic
from crosscheck.measures.tied import FAR, Groups, by_relevance, hits, last_rank, nothing_in, one_each
from crosscheck.model import FloatArray, IntArray, Measure
from crosscheck.rankings.judged import JudgedRankings

__all__ = ["FAMILIES", "levels_of_highest", "rank_divisor", "reciprocal_rank"]


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


FAMILIES = (
    Family(
        name="RR",
        compute=reciprocal_rank,
        summary="reciprocal rank of the first relevant document",
        trec_eval="recip_rank",
        cutoff="optional",
        params=JUDGED_ONLY,
        reads=(RR_CUTOFF, RR_OF),
        aliases=("MRR",),
        pool=False,
        tied=Tied(average=_expected, merit=_merits, unless=_unless),
    ),
)
