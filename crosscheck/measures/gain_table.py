"""Custom gains per relevance level, as trec_eval takes them: ``ndcg.1=3,2=9``."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from crosscheck.measures.base import every_rank
from crosscheck.model import FloatArray, IntArray
from crosscheck.rankings.judged import JudgedRankings
from crosscheck.rankings.sorts import merge_sorted

__all__ = ["GainTable", "custom_gains", "custom_ideal", "gain_tables"]

#: Longer tables leave out levels that no document has (trec_eval needs hours for them).
_LONGEST = 10_000


class GainTable(Struct, frozen=True, eq=False):
    """Gain of each relevance level, in trec_eval's order.

    Attributes:
        levels, gains: sorted by trec_eval's comparison, which does not always give increasing gains.
        counted: for each entry, whether the documents of its level are counted at this entry.
    """

    levels: tuple[int, ...]
    gains: tuple[float, ...]
    counted: tuple[bool, ...]

    @classmethod
    def of(cls, pairs: Sequence[tuple[int, float]], judged_levels: Sequence[int]) -> GainTable:
        """The table of a topic: the given (level, gain) pairs, and its other levels with the level as gain.

        trec_eval compares two gains by their difference cut to an integer, so gains less than 1 apart count
        as equal and keep their order. With gains like 0.5 and 0.9 the table stays unsorted, and the ideal
        list, which starts at its end, is wrong or empty. trec_eval prints values from that table, so it is
        reproduced here.
        """
        given = [level for level, _ in pairs]
        entries = [
            (level, gain, level not in given[:i] and level >= 0) for i, (level, gain) in enumerate(pairs)
        ]
        entries += [(level, float(level), True) for level in judged_levels if level not in given]
        ordered = merge_sorted(entries, lambda one, other: 0 if one[1] - other[1] < 1 else 1)
        levels, gains, counted = zip(*ordered, strict=True) if ordered else ((), (), ())
        return cls(levels, gains, counted)

    def gain(self, level: int) -> float:
        """Gain of a retrieved document of this level: that of the first entry with the level, else 0.0."""
        return self.gains[self.levels.index(level)] if level in self.levels else 0.0

    def top(self) -> float:
        """Gain of the last entry."""
        return self.gains[-1] if self.gains else 0.0

    def ideal(self) -> list[tuple[int, float]]:
        """Level and gain of the entries for the ideal list, from the last entry of the table to the first.

        Empty if the gain of the last entry is not positive. The caller repeats each entry once per document,
        and ends the list before the first entry that has documents and no positive gain.
        """
        if self.top() <= 0:
            return []
        entries = zip(self.levels, self.gains, self.counted, strict=True)
        return [(level, gain) for level, gain, counted in reversed(list(entries)) if counted]


def gain_tables(
    judged: JudgedRankings, pairs: Sequence[tuple[int, float]]
) -> list[tuple[IntArray, GainTable]]:
    """The gain tables, each with the topics that it is for: those with the same highest level."""
    highest = np.full(judged.num_topics, -1, np.int64)
    np.maximum.at(highest, judged.pool_topic, judged.pool_rel)
    found: list[tuple[IntArray, GainTable]] = []
    for level in np.unique(highest).tolist():
        topics: IntArray = np.flatnonzero(highest == level)
        if level < _LONGEST:
            levels: Sequence[int] = range(level + 1)
        else:
            of_these = np.isin(judged.pool_topic, topics) & (judged.pool_rel >= 0)
            levels = np.unique(judged.pool_rel[of_these]).tolist()
        found.append((topics, GainTable.of(pairs, levels)))
    return found


def custom_gains(
    judged: JudgedRankings,
    pairs: Sequence[tuple[int, float]],
    adjusted: Callable[[GainTable], GainTable] = lambda table: table,
) -> tuple[JudgedRankings, FloatArray]:
    """The retrieved documents and their gains. All documents are included if unjudged ones can have a gain.

    trec_eval gives level -1 to an unjudged document and -2 to one with a negative level. ``adjusted`` may
    change the gains of a table before they are used.
    """
    if any(level == -1 for level, _ in pairs):
        judged = every_rank(judged)
    else:
        judged = replace(judged, rel=np.where(judged.rel >= 0, judged.rel, -2))
    gain = np.zeros(len(judged.rel))
    for topics, table in gain_tables(judged, pairs):
        table = adjusted(table)
        here = np.flatnonzero(np.isin(judged.topic, topics))
        levels, inverse = np.unique(judged.rel[here], return_inverse=True)
        gain[here] = np.array([table.gain(level) for level in levels.tolist()], np.float64)[inverse]
    return judged, gain


def custom_ideal(judged: JudgedRankings, pairs: Sequence[tuple[int, float]]) -> tuple[IntArray, FloatArray]:
    """Topic and gain of each document of the ideal lists, by topic, then in the order of the list."""
    all_topics: list[IntArray] = []
    all_gains: list[FloatArray] = []
    for topics, table in gain_tables(judged, pairs):
        going_on = np.ones(len(topics), np.bool_)
        counts: list[IntArray] = []
        gains: list[float] = []
        for level, gain in table.ideal():
            count = judged.count(judged.pool_topic[judged.pool_rel == level])[topics]
            if gain <= 0:
                going_on &= count == 0
            else:
                counts.append(np.where(going_on, count, 0))
                gains.append(gain)
        if gains:
            repeats = np.stack(counts, axis=1)
            all_topics.append(np.repeat(topics, repeats.sum(axis=1)))
            all_gains.append(np.repeat(np.tile(gains, len(topics)), repeats.ravel()))
    if not all_topics:
        return np.zeros(0, np.int64), np.zeros(0)
    topic, gain_of = np.concatenate(all_topics), np.concatenate(all_gains)
    in_order = np.argsort(topic, kind="stable")
    return topic[in_order], gain_of[in_order]
