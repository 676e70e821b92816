"""Gains of retrieved documents and of the ideal list, for all measures built on gain."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from crosscheck.conventions import Conventions, Gain, Ideal
from crosscheck.measures.base import gain_pairs
from crosscheck.measures.gain_table import custom_gains, custom_ideal
from crosscheck.measures.sums import places
from crosscheck.model import BoolArray, FloatArray, IntArray, Measure
from crosscheck.rankings.judged import Judged

__all__ = ["GAINS", "GainList", "gain_axes", "gains", "ideal_gains", "retrieved_gains"]

#: The parameter of measures that take custom gains: ``nDCG(gains={1:3,2:9})``, ``ndcg.1=3,2=9``.
GAINS: dict[str, tuple[tuple[int, float], ...]] = {"gains": ()}

#: Documents are counted per topic and level where there are no more counts per document than this.
_ROOM = 4


class GainList(NamedTuple):
    """Gains by topic, then by rank (1-based).

    ``after`` and ``tied`` are :class:`Judged`'s ``tied_after`` and ``tied``, where it has them.
    """

    topic: IntArray
    rank: IntArray
    gain: FloatArray
    after: IntArray | None = None
    tied: IntArray | None = None

    def where(self, kept: BoolArray) -> GainList:
        """Some of the entries; their ranks stay."""
        after = None if self.after is None else self.after[kept]
        tied = None if self.tied is None else self.tied[kept]
        return GainList(self.topic[kept], self.rank[kept], self.gain[kept], after, tied)


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
    found = judged.once(
        ("gains", gain_axes(conventions), pairs), lambda: _all_retrieved_gains(judged, conventions, pairs)
    )
    if measure.cutoff is not None and found.tied is None:
        # With whole groups of tied documents the caller decides which part of a group is above the cutoff.
        found = found.where(found.rank <= measure.cutoff)
    return found


def _all_retrieved_gains(
    judged: Judged, conventions: Conventions, pairs: tuple[tuple[int, float], ...]
) -> GainList:
    if pairs:
        judged, gain = custom_gains(judged, pairs)
    else:
        gain = gains(judged.rel, conventions)
    found = GainList(judged.topic, judged.rank, gain, judged.tied_after, judged.tied)
    return found.where(gain != 0)


def gain_axes(conventions: Conventions) -> tuple[object, ...]:
    """What the gain of a relevance level depends on."""
    level = conventions.relevance_level if conventions.gain is Gain.BINARY else None
    return conventions.gain, level


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
            axes = ("ideal order", gain_axes(conventions))
            return judged.once_per_pool(axes, lambda: _pool_order(judged, conventions))
    topic, gain = topic[gain > 0], gain[gain > 0]
    best_first = np.lexsort((-gain, topic))
    return topic[best_first], gain[best_first]


def _pool_order(judged: Judged, conventions: Conventions) -> tuple[IntArray, FloatArray]:
    """The judged documents of each topic, best first."""
    positive = judged.pool_rel > 0
    topic, rel = judged.pool_topic[positive], judged.pool_rel[positive]
    top = int(rel.max(initial=0))
    if judged.num_topics * top <= _ROOM * len(topic):
        # Gain grows with the level, so that counting the documents of each level is enough, and far quicker.
        levels = np.tile(np.arange(top, 0, -1), judged.num_topics)
        repeats = np.bincount(topic * top + (top - rel), minlength=len(levels))
        topic, rel = np.repeat(np.arange(judged.num_topics), top), levels
    else:
        best_first = np.lexsort((-rel, topic))
        topic, rel = topic[best_first], rel[best_first]
        repeats = np.ones(len(topic), np.int64)
    gain = gains(rel, conventions)
    repeats[gain <= 0] = 0
    return np.repeat(topic, repeats), np.repeat(gain, repeats)
