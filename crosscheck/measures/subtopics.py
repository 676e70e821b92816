"""Shared parts of measures over subtopics: (document, subtopic) relevance, and the new gain at each rank.

These are ndeval's measures (TREC Web tracks, version 4.5, https://github.com/trec-web/trec-web-2014).
Relevance per subtopic is binary, and only subtopics with a relevant document in the qrels count. In qrels
without subtopics each topic is its only subtopic. A query without relevant documents has 0.0, except for
nNRBP, which is NaN, because ndeval divides 0 by 0 there.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable
from functools import reduce
from itertools import chain
from operator import add
from typing import TypeAlias

import numpy as np
from msgspec import Struct

from crosscheck.measures.base import number
from crosscheck.measures.sums import sum_by_topic
from crosscheck.measures.tied import Groups, product_of_first
from crosscheck.model import FloatArray, IntArray, Measure
from crosscheck.rankings.judged import JudgedRankings

__all__ = [
    "Discounted",
    "Gains",
    "RelevantPairs",
    "best_possible",
    "expected_gains",
    "groups_by_subtopic",
    "ideal_gains",
    "judgements",
    "num_relevant",
    "num_subtopics",
    "powers",
    "relevant_pairs",
    "retrieved_gains",
    "share",
    "up_to",
]


#: From gains and their ranks to discounted gains.
Discounted: TypeAlias = Callable[[FloatArray, IntArray], FloatArray]


class RelevantPairs(Struct, frozen=True, eq=False):
    """Pairs (document, subtopic) where the document is relevant to the subtopic.

    Sorted by topic, then document or rank, then subtopic; one entry per pair in each array.
    """

    topic: IntArray
    document: IntArray
    subtopic: IntArray

    @property
    def seen(self) -> IntArray:
        """Number of pairs of the same topic and subtopic before each pair."""
        order = np.lexsort((self.subtopic, self.topic))
        topic, subtopic = self.topic[order], self.subtopic[order]
        starts = np.flatnonzero((np.diff(topic, prepend=-1) != 0) | (np.diff(subtopic, prepend=-1) != 0))
        size = np.diff(np.append(starts, len(order)))
        seen = np.empty(len(order), np.int64)
        seen[order] = np.arange(len(order)) - np.repeat(starts, size)
        return seen


class Gains(Struct, frozen=True, eq=False):
    """Gain of each document relevant to any subtopic, by topic, then by rank."""

    topic: IntArray
    rank: IntArray
    gain: FloatArray


def share(measure: Measure, name: str) -> float:
    """A parameter from 0 to 1; 0.5 by default."""
    return number(measure, name, 0.5)


def relevant_pairs(judged: JudgedRankings, level: int) -> RelevantPairs:
    """Relevant pairs of the retrieved documents; ``document`` is the rank of the document."""
    return judged.once(("relevant pairs", level), lambda: _retrieved(judged, level))


def _retrieved(judged: JudgedRankings, level: int) -> RelevantPairs:
    of_pool = _subtopics(judged)
    if judged.document is None or of_pool is None:
        hit = judged.rel >= level
        return RelevantPairs(judged.topic[hit], judged.rank[hit], np.zeros(int(hit.sum()), np.int64))
    document, subtopic, rels = of_pool
    first = np.searchsorted(document, judged.document, "left")
    sizes = np.searchsorted(document, judged.document, "right") - first
    hit = np.repeat(np.arange(len(sizes)), sizes)
    at = np.repeat(first - (np.cumsum(sizes) - sizes), sizes) + np.arange(len(hit))
    kept = rels[at] >= level
    hit, at = hit[kept], at[kept]
    return RelevantPairs(judged.topic[hit], judged.rank[hit], subtopic[at])


def _pooled(judged: JudgedRankings, level: int) -> RelevantPairs:
    """The pairs of a judged document and a subtopic that it is relevant to, retrieved or not. ``document`` is
    the position of the document among all judgements."""
    return judged.once_per_pool(("pooled pairs", level), lambda: _pooled_pairs(judged, level))


def _pooled_pairs(judged: JudgedRankings, level: int) -> RelevantPairs:
    of_pool = _subtopics(judged)
    if of_pool is None:
        hit = np.flatnonzero(judged.pool_rel >= level)
        return RelevantPairs(judged.pool_topic[hit], hit, np.zeros(len(hit), np.int64))
    document, subtopic, rels = of_pool
    kept = rels >= level
    topic, _ = judgements(judged)
    return RelevantPairs(topic[kept], document[kept], subtopic[kept])


def judgements(judged: JudgedRankings) -> tuple[IntArray, IntArray]:
    """Topic and relevance level of every judgement. A document has one per subtopic."""
    of_pool = _subtopics(judged)
    if of_pool is None:
        return judged.pool_topic, judged.pool_rel
    document, _, rels = of_pool
    assert judged.judgements is not None
    return judged.judgements.topic[document], rels


def _subtopics(judged: JudgedRankings) -> tuple[IntArray, IntArray, IntArray] | None:
    if judged.judgements is None or judged.judgements.subtopics is None:
        return None
    found = judged.judgements.subtopics.judged
    return found.document, found.subtopic, found.rels


def num_relevant(judged: JudgedRankings, level: int) -> tuple[IntArray, IntArray, IntArray]:
    """Topic, subtopic and number of relevant documents, for each subtopic that has any, in this order."""
    return judged.once_per_pool(("relevant by subtopic", level), lambda: _num_relevant(judged, level))


def _num_relevant(judged: JudgedRankings, level: int) -> tuple[IntArray, IntArray, IntArray]:
    pairs = _pooled(judged, level)
    width = int(pairs.subtopic.max(initial=0)) + 1
    found, number_of = np.unique(pairs.topic * width + pairs.subtopic, return_counts=True)
    return found // width, found % width, number_of


def num_subtopics(judged: JudgedRankings, level: int) -> IntArray:
    """Number of subtopics with a relevant document, per topic."""
    return judged.count(num_relevant(judged, level)[0])


def powers(keep: float, length: int) -> FloatArray:
    """Powers of ``keep`` from 0 on, by repeated multiplication."""
    factors = np.full(max(length, 1), keep)
    factors[0] = 1.0
    return np.multiply.accumulate(factors)


def retrieved_gains(judged: JudgedRankings, level: int, alpha: float) -> Gains:
    """Gains of retrieved documents.

    Each subtopic of a document adds 1, times (1 - alpha) for every document above that is relevant to it.
    """
    pairs = relevant_pairs(judged, level)
    seen = pairs.seen
    worth = powers(1.0 - alpha, int(seen.max(initial=0)) + 1)[seen]
    starts = (np.diff(pairs.topic, prepend=-1) != 0) | (np.diff(pairs.document, prepend=-1) != 0)
    # Added in the order of the subtopics.
    gain = np.bincount(np.cumsum(starts) - 1, weights=worth).astype(np.float64, copy=False)
    return Gains(pairs.topic[starts], pairs.document[starts], gain)


def groups_by_subtopic(judged: JudgedRankings, level: int) -> Groups:
    """Groups of tied documents that hold a relevant one, for each subtopic with relevant documents in the
    qrels.

    Their ``topic`` is the number of the subtopic in :func:`num_relevant`.
    """
    assert judged.tied_after is not None
    assert judged.tied is not None
    pairs, (topic, subtopic, _) = relevant_pairs(judged, level), num_relevant(judged, level)
    width = int(subtopic.max(initial=0)) + 1
    one = np.searchsorted(topic * width + subtopic, pairs.topic * width + pairs.subtopic)
    at = np.searchsorted((judged.topic << 40) | judged.rank, (pairs.topic << 40) | pairs.document)
    return Groups(one, judged.tied_after[at], judged.tied[at])


def expected_gains(judged: JudgedRankings, level: int, alpha: float, limit: int) -> Gains:
    """Expected gain at each rank down to a limit: the mean of :func:`retrieved_gains` over all orders."""
    groups, keep = groups_by_subtopic(judged, level), 1.0 - alpha
    topic = num_relevant(judged, level)[0][groups.topic]
    within = groups.inside(limit)
    gains = [
        keep ** groups.before[i]
        * product_of_first(np.full(int(groups.found[i]) - 1, keep), int(groups.size[i]) - 1)[: within[i]]
        * (groups.found[i] / groups.size[i])
        for i in range(len(within))
    ]
    group = np.repeat(np.arange(len(within)), within)
    rank = np.arange(1, len(group) + 1) - (np.cumsum(within) - within - groups.start)[group]
    gain = np.concatenate([np.zeros(0), *gains])
    in_order = np.lexsort((rank, topic[group]))
    return Gains(topic[group][in_order], rank[in_order], gain[in_order])


def ideal_gains(judged: JudgedRankings, level: int, alpha: float) -> Gains:
    """Gains of the ideal list: at each rank the document that adds most, of equal ones the last by docno.

    Finding the best list is NP-complete; implementations use this greedy list.
    """
    return judged.once_per_pool(("ideal gains", level, alpha), lambda: _ideal(judged, level, alpha))


def _ideal(judged: JudgedRankings, level: int, alpha: float) -> Gains:
    pairs = _pooled(judged, level)
    by_docno = np.arange(len(judged.pool_topic))
    if judged.judgements is not None and judged.judgements.subtopics is not None:
        by_docno = judged.judgements.subtopics.by_docno
    wanted: dict[int, dict[int, list[int]]] = {}
    columns = (pairs.topic.tolist(), by_docno[pairs.document].tolist(), pairs.subtopic.tolist())
    for topic, document, subtopic in zip(*columns, strict=True):
        wanted.setdefault(topic, {}).setdefault(document, []).append(subtopic)
    lists = [(topic, _greedy(documents, 1.0 - alpha)) for topic, documents in wanted.items()]
    sizes = np.array([len(gains) for _, gains in lists], np.int64)
    topic = np.repeat(np.array([topic for topic, _ in lists], np.int64), sizes)
    rank = np.arange(1, len(topic) + 1) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    gain = np.fromiter(chain.from_iterable(gains for _, gains in lists), np.float64, len(topic))
    return Gains(topic, rank, gain)


def _greedy(documents: dict[int, list[int]], keep: float) -> list[float]:
    """Gains of the greedy list, from the first rank on.

    Args:
        documents: the subtopics of each document; of equal gains the highest key comes first.
        keep: factor for a subtopic after each document relevant to it.
    """
    alike: dict[tuple[int, ...], list[int]] = {}
    for document in sorted(documents):
        alike.setdefault(tuple(documents[document]), []).append(document)
    worth = dict.fromkeys(chain.from_iterable(alike), 1.0)
    # Gains only fall, so that a first entry that is still right is the highest.
    heap = [(-float(len(subtopics)), -held[-1], subtopics) for subtopics, held in alike.items()]
    heapq.heapify(heap)
    gains: list[float] = []
    while heap:
        stale, document, subtopics = heap[0]
        gain = _sum(worth[subtopic] for subtopic in subtopics)
        if -gain != stale:
            heapq.heapreplace(heap, (-gain, document, subtopics))
            continue
        gains.append(gain)
        for subtopic in subtopics:
            worth[subtopic] *= keep
        alike[subtopics].pop()
        if alike[subtopics]:
            heapq.heapreplace(heap, (stale, -alike[subtopics][-1], subtopics))
        else:
            heapq.heappop(heap)
    return gains


def up_to(judged: JudgedRankings, gains: Gains, cutoff: int, discounted: Discounted) -> FloatArray:
    """Sum of the discounted gains of the first ranks, per topic."""
    above = gains.rank <= cutoff
    topic, gain, rank = gains.topic[above], gains.gain[above], gains.rank[above]
    return sum_by_topic(judged, topic, discounted(gain, rank))


def best_possible(subtopics: IntArray, alpha: float, cutoff: int, discounted: Discounted) -> FloatArray:
    """Value of :func:`up_to` if each of the first documents is relevant to all subtopics.

    1.0 for a cutoff of 1: ndeval divides only from rank 2 on (it prints cutoffs of 5 and more).

    Args:
        subtopics: number of subtopics of each topic.
    """
    if cutoff == 1:
        return np.ones(len(subtopics))
    different, topic = np.unique(subtopics, return_inverse=True)
    gain, total = different.astype(np.float64), np.zeros(len(different))
    for rank in range(1, cutoff + 1):
        if not gain.any():
            break
        total += discounted(gain, np.array([rank]))
        gain *= 1.0 - alpha
    return total[topic]


def _sum(values: Iterable[float]) -> float:
    """Sum from left to right; the builtin ``sum`` compensates rounding errors from Python 3.12 on."""
    return reduce(add, values, 0.0)
