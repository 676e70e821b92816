"""Reciprocal rank."""

from __future__ import annotations

import numpy as np

from crosscheck.axes.relevance_level import RELEVANCE_LEVEL
from crosscheck.axes.rr_cutoff import RR_CUTOFF
from crosscheck.axes.rr_of import RR_OF, RrOf
from crosscheck.conventions import Conventions
from crosscheck.measures.base import JUDGED_ONLY, Family, divide, relevant
from crosscheck.measures.sums import sum_by_topic
from crosscheck.model import FloatArray, IntArray, Measure
from crosscheck.rankings.judged import Judged

__all__ = ["FAMILIES", "levels_of_highest", "rank_divisor", "reciprocal_rank"]


def reciprocal_rank(judged: Judged, conventions: Conventions, measure: Measure) -> FloatArray:
    """1 / rank of the first relevant document (trec_eval ``recip_rank``); 0.0 where there is none.

    A cutoff, of the measure or of the convention ``rr_cutoff``, makes it 0.0 beyond that rank. The axis
    ``rr_of`` takes other documents than the first, and the mean where these are many.
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


def levels_of_highest(judged: Judged, level: int) -> IntArray:
    """The highest level of each topic's judgements; where it is not relevant, the relevance level."""
    highest = np.full(judged.num_topics, max(level, 0))
    np.maximum.at(highest, judged.pool_topic, judged.pool_rel)
    return highest


def rank_divisor(rank: IntArray, conventions: Conventions) -> IntArray:
    """What reciprocal rank divides by at each rank, in any order of tied documents: the rank."""
    return rank


FAMILIES = (
    Family(
        "RR",
        reciprocal_rank,
        "reciprocal rank of the first relevant document",
        trec_eval="recip_rank",
        cutoff="optional",
        params=JUDGED_ONLY,
        reads=(RR_CUTOFF, RR_OF),
        aliases=("MRR",),
        pool=False,
    ),
)
