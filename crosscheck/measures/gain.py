"""Gains of retrieved documents and of the ideal list, for all measures built on gain."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from crosscheck.conventions import Conventions, Gain, Ideal
from crosscheck.measures.base import gain_pairs, places
from crosscheck.measures.gain_table import custom_gains, custom_ideal
from crosscheck.model import BoolArray, FloatArray, IntArray, Measure
from crosscheck.rankings.judged import Judged

__all__ = ["GAINS", "GainList", "gains", "ideal_gains", "retrieved_gains"]

#: The parameter of measures that take custom gains: ``nDCG(gains={1:3,2:9})``, ``ndcg.1=3,2=9``.
GAINS: dict[str, tuple[tuple[int, float], ...]] = {"gains": ()}


@dataclass(frozen=True, slots=True, eq=False)
class GainList:
    """Gains by topic, then by rank (1-based)."""

    topic: IntArray
    rank: IntArray
    gain: FloatArray

    def where(self, kept: BoolArray) -> GainList:
        """Some of the entries; their ranks stay."""
        return GainList(self.topic[kept], self.rank[kept], self.gain[kept])


def gains(rel: IntArray, conventions: Conventions) -> FloatArray:
    """Gain of each relevance level: the level itself, 2^level - 1, or 1 from the relevance level on.

    Levels of 0 and below gain nothing.
    """
    positive = np.maximum(rel, 0)
    match conventions.gain:
        case Gain.LINEAR:
            return positive.astype(np.float64)
        case Gain.EXPONENTIAL:
            with np.errstate(over="ignore"):
                return np.ldexp(1.0, positive) - 1.0
        case Gain.BINARY:
            return (positive >= max(conventions.relevance_level, 1)).astype(np.float64)


def retrieved_gains(judged: Judged, conventions: Conventions, measure: Measure) -> GainList:
    """The retrieved documents that gain or lose something, up to the cutoff.

    Custom gains (the parameter ``gains``) stand in place of the axis ``gain``.
    """
    pairs = gain_pairs(measure)
    if pairs:
        judged, gain = custom_gains(judged, pairs)
    else:
        gain = gains(judged.rel, conventions)
    hit = gain != 0
    if measure.cutoff is not None:
        hit &= judged.rank <= measure.cutoff
    return GainList(judged.topic, judged.rank, gain).where(hit)


def ideal_gains(judged: Judged, conventions: Conventions, measure: Measure) -> GainList:
    """The ideal list, which the axis ``ideal`` chooses; gains are positive."""
    kind, cutoff = conventions.ideal, measure.cutoff
    topic, gain = _ideal_order(judged, conventions, measure)
    found = GainList(topic, places(judged, topic), gain)
    if kind is Ideal.HITS_RETURNED:
        limit = judged.num_ret if cutoff is None else np.minimum(judged.num_ret, cutoff)
        return found.where(found.rank <= limit[topic])
    if cutoff is not None and kind is not Ideal.UNTRUNCATED:
        return found.where(found.rank <= cutoff)
    return found


def _ideal_order(judged: Judged, conventions: Conventions, measure: Measure) -> tuple[IntArray, FloatArray]:
    """Topic and gain of the candidates for the ideal list, best first; none below or at 0."""
    pairs = gain_pairs(measure)
    match conventions.ideal:
        case Ideal.MAX_GRADE:
            # The same grade at every position: as many positions as the ranking has, or k.
            length = judged.num_ret if measure.cutoff is None else np.full(judged.num_topics, measure.cutoff)
            topic = np.repeat(np.arange(judged.num_topics), length)
            grade = dict(reversed(pairs)).get(judged.max_rel)
            best = gains(np.asarray([judged.max_rel]), conventions) if grade is None else np.asarray([grade])
            gain = np.repeat(best, len(topic))
        case Ideal.RETRIEVED:
            whole = retrieved_gains(judged, conventions, Measure(measure.family, params=measure.params))
            topic, gain = whole.topic, whole.gain
        case _ if pairs:
            return custom_ideal(judged, pairs)
        case _:
            topic, gain = judged.pool_topic, gains(judged.pool_rel, conventions)
    topic, gain = topic[gain > 0], gain[gain > 0]
    best_first = np.lexsort((-gain, topic))
    return topic[best_first], gain[best_first]
