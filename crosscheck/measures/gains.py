"""Gains of retrieved documents and of ideal rankings, including custom gains as in trec_eval."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from crosscheck.axes.forms import MAX_GRADE, MaxGrade
from crosscheck.axes.gains import GAIN, IDEAL, Gain, Ideal
from crosscheck.axes.judging import NEGATIVES, RELEVANCE_LEVEL, SUBTRACTING
from crosscheck.conventions import Conventions
from crosscheck.measures.arithmetic import places, returned
from crosscheck.measures.base import GAINS
from crosscheck.model import BoolArray, FloatArray, IntArray, Measure
from crosscheck.rankings.judged import JudgedRankings
from crosscheck.rankings.sorts import merge_sorted

#: Most levels of a table that has every level. Tables with more levels leave out levels that no document has
#: (trec_eval includes them, and takes hours).
_LONGEST = 10_000
#: The gains that a measure is given, as pairs of a relevance level and its gain.
GainPairs = Sequence[tuple[int, float]]


class GainTable(Struct, frozen=True, eq=False):
    """The gains of relevance levels, in the order in which trec_eval sorts them.

    Attributes:
        levels, gains: the entries, sorted by trec_eval's comparison, which need not give increasing gains.
        counted: for each entry, whether the documents of its level are in the ideal ranking at this entry.
            False for a second entry of the same level, and for negative levels.
    """

    levels: tuple[int, ...]
    gains: tuple[float, ...]
    counted: tuple[bool, ...]

    @classmethod
    def of(cls, pairs: GainPairs, judged_levels: Sequence[int]) -> GainTable:
        """The table with the given (level, gain) pairs. All further levels of the topic have the level as
        gain.

        trec_eval compares two gains by their difference cut to an integer, so gains less than 1 apart are
        equal for trec_eval and keep their order. With gains such as 0.5 and 0.9 the table stays unsorted, and
        the ideal ranking, which starts at the end of the table, is wrong or empty. crosscheck reproduces this
        table, because trec_eval's values come from it.
        """
        given = [level for level, _ in pairs]
        entries = [(n, gain, n not in given[:i] and n >= 0) for i, (n, gain) in enumerate(pairs)]
        entries += [(level, float(level), True) for level in judged_levels if level not in given]
        ordered = merge_sorted(entries, lambda one, other: 0 if one[1] - other[1] < 1 else 1)
        levels, gains, counted = zip(*ordered, strict=True) if ordered else ((), (), ())
        return cls(levels, gains, counted)

    def gain(self, level: int) -> float:
        """Gain of a retrieved document of this level: the gain of the first entry with the level, or 0.0 if
        there is no such entry."""
        return self.gains[self.levels.index(level)] if level in self.levels else 0.0

    def ideal(self) -> list[tuple[int, float]]:
        """Level and gain of the entries for the ideal ranking, from the last entry of the table to the first.

        Empty if the gain of the last entry is not positive. The caller repeats each entry for each document
        of its level, and stops at the first entry with documents whose gain is not positive.
        """
        if not self.gains or self.gains[-1] <= 0:
            return []
        entries = zip(self.levels, self.gains, self.counted, strict=True)
        return [(level, gain) for level, gain, counted in reversed(list(entries)) if counted]


def gain_tables(judged: JudgedRankings, pairs: GainPairs) -> Iterator[tuple[IntArray, GainTable]]:
    """Pairs of topics and their gain table. Topics with the same highest level have the same table."""
    highest = judged.highest_judged(-1)
    for level in sorted(set(highest.tolist())):
        topics: IntArray = np.flatnonzero(highest == level)
        if level < _LONGEST:
            levels: Sequence[int] = range(level + 1)
        else:
            of_these = np.isin(judged.pool_topic, topics) & (judged.pool_rel >= 0)
            levels = sorted(set(judged.pool_rel[of_these].tolist()))
        yield topics, GainTable.of(pairs, levels)


def custom_gains(
    judged: JudgedRankings, pairs: GainPairs, adjusted: Callable[[GainTable], GainTable] = lambda table: table
) -> tuple[JudgedRankings, FloatArray]:
    """The retrieved documents and their gains. Unjudged documents are included if ``pairs`` gives them a
    gain.

    As in trec_eval, an unjudged document has level -1 and a document with a negative level has level -2.
    ``adjusted``: a function that changes a table before its gains are used.
    """
    if any(level == -1 for level, _ in pairs):
        judged = judged.every_rank()
    else:
        judged = replace(judged, rel=np.where(judged.rel >= 0, judged.rel, -2))
    gain = np.zeros(len(judged.rel))
    for topics, table in gain_tables(judged, pairs):
        table = adjusted(table)
        here = np.flatnonzero(np.isin(judged.topic, topics))
        levels, inverse = np.unique(judged.rel[here], return_inverse=True)
        gain[here] = np.array([table.gain(level) for level in levels.tolist()], np.float64)[inverse]
    return judged, gain


def custom_ideal(judged: JudgedRankings, pairs: GainPairs) -> tuple[IntArray, FloatArray]:
    """Topic and gain of each document of the ideal rankings, sorted by topic, then by rank."""
    all_topics, all_gains = [np.zeros(0, np.int64)], [np.zeros(0)]
    for topics, table in gain_tables(judged, pairs):
        if not (entries := table.ideal()):
            continue
        gains = np.array([gain for _, gain in entries])
        of_level = (judged.count(judged.pool_topic[judged.pool_rel == level]) for level, _ in entries)
        repeats = np.stack([count[topics] for count in of_level], axis=1)
        repeats[np.logical_or.accumulate((gains <= 0) & (repeats > 0), axis=1) | (gains <= 0)] = 0
        all_topics.append(np.repeat(topics, repeats.sum(axis=1)))
        all_gains.append(np.repeat(np.tile(gains, len(topics)), repeats.ravel()))
    topic, gain_of = np.concatenate(all_topics), np.concatenate(all_gains)
    in_order = np.argsort(topic, kind="stable")
    return topic[in_order], gain_of[in_order]


#: Judged documents are sorted by counting them per topic and level, which is fast, if there are at most so
#: many pairs of topic and level per document.
_ROOM = 4


class GainList(Struct, frozen=True, eq=False):
    """Documents with gains, sorted by topic, then by rank (from 1). ``tied``: see :class:`JudgedRankings`."""

    topic: IntArray
    rank: IntArray
    gain: FloatArray
    tied: IntArray | None = None

    def where(self, kept: BoolArray) -> GainList:
        """The entries selected by a mask, with their ranks unchanged."""
        tied = None if self.tied is None else self.tied[:, kept]
        return GainList(self.topic[kept], self.rank[kept], self.gain[kept], tied)


def gains(rel: IntArray, conventions: Conventions) -> FloatArray:
    """Gain of each relevance level under the axis ``gain``.

    Levels of 0 and below have gain 0, except under ``2^level-of-all``, where their gain is 1, under
    ``negatives=negative-gain``, and under ``binary`` where level 0 is relevant.
    """
    positive = np.maximum(rel, 0)
    counted = rel if _subtracts(conventions) else positive
    kind = conventions[GAIN]
    if kind is Gain.LINEAR:
        return counted.astype(np.float64)
    if kind is Gain.BINARY:
        return (rel >= max(conventions[RELEVANCE_LEVEL], 0)).astype(np.float64)
    if kind is Gain.SQUARE:
        return positive.astype(np.float64) ** 2
    with np.errstate(over="ignore"):
        if kind is Gain.EXPONENTIAL:
            return np.ldexp(1.0, counted) - 1.0
        return np.where((positive > 0) | (kind is Gain.POWER_OF_ALL), np.ldexp(1.0, positive), 0.0)


def retrieved_gains(judged: JudgedRankings, conventions: Conventions, measure: Measure) -> GainList:
    """The retrieved documents with a gain other than 0, up to the cutoff.

    Custom gains (the parameter ``gains``) replace the axis ``gain``.
    """
    pairs = GAINS.of(measure)

    def found() -> GainList:
        if pairs:
            listed, gain = custom_gains(judged, pairs)
        else:
            listed = judged.every_rank() if conventions[GAIN] is Gain.POWER_OF_ALL else judged
            gain = gains(listed.rel, conventions)
        return GainList(listed.topic, listed.rank, gain, listed.tied).where(gain != 0)

    retrieved = judged.once_keep_latest(("gains", gain_axes(conventions), pairs), found)
    if measure.cutoff is not None and retrieved.tied is None:
        # With groups of tied documents, the caller decides which part of a group is above the cutoff.
        retrieved = retrieved.where(retrieved.rank <= measure.cutoff)
    return retrieved


def gain_axes(conventions: Conventions) -> tuple[object, ...]:
    """The values of all axes on which gains depend, as a key for caches."""
    gain = conventions[GAIN]
    return gain, (conventions[RELEVANCE_LEVEL] if gain is Gain.BINARY else None), _subtracts(conventions)


def _subtracts(conventions: Conventions) -> bool:
    """Whether the gain of a negative level is negative."""
    return conventions[NEGATIVES] in SUBTRACTING and conventions[GAIN] in (Gain.LINEAR, Gain.EXPONENTIAL)


def ideal_gains(judged: JudgedRankings, conventions: Conventions, measure: Measure) -> GainList:
    """The gains of the ideal ranking chosen by the axis ``ideal``. All gains are positive, unless the axis
    ``negatives`` gives negative levels a negative gain."""
    kind, cutoff = conventions[IDEAL], measure.cutoff
    topic, gain = _ideal_order(judged, conventions, measure)
    ideal = GainList(topic, places(judged, topic), gain)
    if kind is Ideal.HITS_RETURNED:
        return ideal.where(ideal.rank <= returned(judged, cutoff)[topic])
    if cutoff is not None and kind is not Ideal.UNTRUNCATED:
        return ideal.where(ideal.rank <= cutoff)
    return ideal


def _ideal_order(
    judged: JudgedRankings, conventions: Conventions, measure: Measure
) -> tuple[IntArray, FloatArray]:
    """Topic and gain of all documents from which the ideal rankings are cut, sorted by topic, then by gain,
    highest first. All gains are positive, unless negative levels have a negative gain.
    """
    pairs, lowest = GAINS.of(measure), 0.0
    match conventions[IDEAL]:
        case Ideal.MAX_GRADE | Ideal.MAX_GRADE_RETURNED as kind:
            # The same level at every rank: as many ranks as the ranking has, or k.
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
                # Documents with gain 0 come before documents with a negative gain.
                unlisted = returned(judged, cutoff) - judged.count(topic)
                others = np.repeat(np.arange(judged.num_topics), unlisted)
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
    """Topic and gain of the judged documents, sorted by topic, then by level, highest first.

    Documents without a positive gain are left out, unless negative levels have a negative gain.
    """
    lowest = 0 if conventions[GAIN] in (Gain.POWER_OF_ALL, Gain.BINARY) else 1
    if _subtracts(conventions):
        lowest = int(judged.pool_rel.min(initial=lowest))
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


def highest_level(judged: JudgedRankings, conventions: Conventions, own: int) -> IntArray:
    """Highest relevance level of the scale, per topic, as the axis ``max_grade`` says.

    ``own``: the highest level that the measure itself assumes, used under ``max_grade=measure``.
    """
    scale = conventions[MAX_GRADE]
    if scale is MaxGrade.QUERY:
        return judged.highest_judged(0)
    if scale is MaxGrade.QRELS:
        return np.full(judged.num_topics, judged.max_rel)
    return np.full(judged.num_topics, own if scale is MaxGrade.MEASURE else scale)
