"""Gains of retrieved documents and of the ideal list, for all measures based on gain."""

from __future__ import annotations

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from crosscheck.axes.gains import GAIN, IDEAL, Gain, Ideal
from crosscheck.axes.judging import NEGATIVES, RELEVANCE_LEVEL, SUBTRACTING
from crosscheck.conventions import Conventions
from crosscheck.measures.base import every_rank, gain_pairs, highest_level
from crosscheck.measures.gain_table import custom_gains, custom_ideal
from crosscheck.measures.sums import places
from crosscheck.model import BoolArray, FloatArray, IntArray, Measure
from crosscheck.rankings.judged import JudgedRankings

__all__ = ["GAINS", "GainList", "gain_axes", "gains", "ideal_gains", "retrieved_gains"]

#: The parameter of measures that take custom gains: ``nDCG(gains={1:3,2:9})``, ``ndcg.1=3,2=9``.
GAINS: dict[str, tuple[tuple[int, float], ...]] = {"gains": ()}

#: Documents are counted per topic and level if that needs no more than this many counts per document.
_ROOM = 4


class GainList(Struct, frozen=True, kw_only=True, eq=False):
    """Gains by topic, then by rank (1-based).

    ``after`` and ``tied`` are ``tied_after`` and ``tied`` of :class:`JudgedRankings`, None if these are None.
    """

    topic: IntArray
    rank: IntArray
    gain: FloatArray
    after: IntArray | None = None
    tied: IntArray | None = None

    def where(self, kept: BoolArray) -> GainList:
        """The entries selected by a mask, with their ranks unchanged."""
        after = None if self.after is None else self.after[kept]
        tied = None if self.tied is None else self.tied[kept]
        return GainList(
            topic=self.topic[kept], rank=self.rank[kept], gain=self.gain[kept], after=after, tied=tied
        )


def gains(rel: IntArray, conventions: Conventions) -> FloatArray:
    """Gain of each relevance level under the axis ``gain``; ``binary`` is 1 from the relevance level on.

    Levels of 0 and below have gain 0, except under ``2^level-of-all``, where their gain is 1, and under
    ``negatives=negative-gain``.
    """
    positive = np.maximum(rel, 0)
    counted = rel if _subtracts(conventions) else positive
    match conventions[GAIN]:
        case Gain.LINEAR:
            return counted.astype(np.float64)
        case Gain.EXPONENTIAL:
            with np.errstate(over="ignore"):
                return np.ldexp(1.0, counted) - 1.0
        case Gain.BINARY:
            return (positive >= max(conventions[RELEVANCE_LEVEL], 1)).astype(np.float64)
        case Gain.POWER:
            with np.errstate(over="ignore"):
                return np.where(positive > 0, np.ldexp(1.0, positive), 0.0)
        case Gain.POWER_OF_ALL:
            with np.errstate(over="ignore"):
                return np.ldexp(1.0, positive)
        case Gain.SQUARE:
            return positive.astype(np.float64) ** 2


def retrieved_gains(judged: JudgedRankings, conventions: Conventions, measure: Measure) -> GainList:
    """The retrieved documents with a gain other than 0, up to the cutoff.

    Custom gains (the parameter ``gains``) replace the axis ``gain``.
    """
    pairs = gain_pairs(measure)
    found = judged.lately(
        ("gains", gain_axes(conventions), pairs), lambda: _all_retrieved_gains(judged, conventions, pairs)
    )
    if measure.cutoff is not None and found.tied is None:
        # With groups of tied documents, the caller decides which part of a group is above the cutoff.
        found = found.where(found.rank <= measure.cutoff)
    return found


def _all_retrieved_gains(
    judged: JudgedRankings, conventions: Conventions, pairs: tuple[tuple[int, float], ...]
) -> GainList:
    if pairs:
        judged, gain = custom_gains(judged, pairs)
    else:
        if conventions[GAIN] is Gain.POWER_OF_ALL:
            judged = every_rank(judged)
        gain = gains(judged.rel, conventions)
    found = GainList(
        topic=judged.topic, rank=judged.rank, gain=gain, after=judged.tied_after, tied=judged.tied
    )
    return found.where(gain != 0)


def gain_axes(conventions: Conventions) -> tuple[object, ...]:
    """The values of the axes that the gain of a relevance level depends on."""
    gain = conventions[GAIN]
    level = conventions[RELEVANCE_LEVEL] if gain is Gain.BINARY else None
    return gain, level, _subtracts(conventions)


def _subtracts(conventions: Conventions) -> bool:
    """Whether the gain of a negative level is negative."""
    return conventions[NEGATIVES] in SUBTRACTING and conventions[GAIN] in (Gain.LINEAR, Gain.EXPONENTIAL)


def ideal_gains(judged: JudgedRankings, conventions: Conventions, measure: Measure) -> GainList:
    """The ideal list chosen by the axis ``ideal``; gains are positive, unless negative levels have gains."""
    kind, cutoff = conventions[IDEAL], measure.cutoff
    topic, gain = _ideal_order(judged, conventions, measure)
    found = GainList(topic=topic, rank=places(judged, topic), gain=gain)
    if kind is Ideal.HITS_RETURNED:
        limit = judged.num_ret if cutoff is None else np.minimum(judged.num_ret, cutoff)
        return found.where(found.rank <= limit[topic])
    if cutoff is not None and kind is not Ideal.UNTRUNCATED:
        return found.where(found.rank <= cutoff)
    return found


def _ideal_order(
    judged: JudgedRankings, conventions: Conventions, measure: Measure
) -> tuple[IntArray, FloatArray]:
    """Topic and gain of the candidates for the ideal lists, by topic, then highest gain first.

    All gains are positive, unless negative levels have a negative gain.
    """
    pairs, lowest = gain_pairs(measure), 0.0
    match conventions[IDEAL]:
        case Ideal.MAX_GRADE | Ideal.MAX_GRADE_RETURNED as kind:
            # The same grade at every position: as many positions as the ranking has, or k.
            whole = measure.cutoff is None or kind is Ideal.MAX_GRADE_RETURNED
            length = judged.num_ret if whole else np.full(judged.num_topics, measure.cutoff)
            topic = np.repeat(np.arange(judged.num_topics), length)
            highest, custom = highest_level(judged, conventions, judged.max_rel), dict(reversed(pairs))
            best = gains(highest, conventions)
            for level in custom.keys() & set(highest.tolist()):
                best[highest == level] = custom[level]
            gain = best[topic]
        case Ideal.RETRIEVED | Ideal.RETRIEVED_AT_K as kind:
            cutoff = measure.cutoff if kind is Ideal.RETRIEVED_AT_K else None
            listed = retrieved_gains(judged, conventions, replace(measure, cutoff=cutoff))
            topic, gain = listed.topic, listed.gain
            if _subtracts(conventions) and not pairs:
                # Documents without a gain come before those with a negative one.
                length = judged.num_ret if cutoff is None else np.minimum(judged.num_ret, cutoff)
                others = np.repeat(np.arange(judged.num_topics), length - judged.count(topic))
                topic, gain = np.append(topic, others), np.append(gain, np.zeros(len(others)))
                lowest = -np.inf
        case _ if pairs:
            return custom_ideal(judged, pairs)
        case _:
            axes = ("ideal order", gain_axes(conventions))
            return judged.once_per_pool(axes, lambda: _pool_order(judged, conventions))
    topic, gain = topic[gain > lowest], gain[gain > lowest]
    best_first = np.lexsort((-gain, topic))
    return topic[best_first], gain[best_first]


def _pool_order(judged: JudgedRankings, conventions: Conventions) -> tuple[IntArray, FloatArray]:
    """Topic and gain of the judged documents, by topic, then highest level first.

    Documents without a positive gain are left out, unless negative levels have a negative gain.
    """
    lowest = 0 if conventions[GAIN] is Gain.POWER_OF_ALL else 1
    if _subtracts(conventions):
        lowest = min(lowest, int(judged.pool_rel.min(initial=0)))
    gaining = judged.pool_rel >= lowest
    topic, rel = judged.pool_topic[gaining], judged.pool_rel[gaining]
    top = int(rel.max(initial=lowest - 1))
    kinds = top - lowest + 1
    if judged.num_topics * kinds <= _ROOM * len(topic):
        # Gain grows with the level, so counting the documents of each level is enough, and far quicker.
        levels = np.tile(np.arange(top, lowest - 1, -1), judged.num_topics)
        repeats = np.bincount(topic * kinds + (top - rel), minlength=len(levels))
        topic, rel = np.repeat(np.arange(judged.num_topics), kinds), levels
    else:
        best_first = np.lexsort((-rel, topic))
        topic, rel = topic[best_first], rel[best_first]
        repeats = np.ones(len(topic), np.int64)
    gain = gains(rel, conventions)
    if not _subtracts(conventions):
        repeats[gain <= 0] = 0
    return np.repeat(topic, repeats), np.repeat(gain, repeats)
