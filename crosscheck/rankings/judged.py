"""Judged rankings: the compact layout that every measure works on, for all topics at once.

:func:`judge` is the third stage of an evaluation: it selects the judged documents and those that exist.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from functools import cached_property
from typing import TypeVar

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from crosscheck.axes.judging import (
    DEPTH,
    EXACT_LEVEL,
    FIRST_RESULT,
    NEGATIVES,
    UNIVERSE,
    UNJUDGED,
    FirstResult,
    Negatives,
    Universe,
    Unjudged,
)
from crosscheck.conventions import Conventions
from crosscheck.model import BoolArray, IntArray
from crosscheck.rankings.pairing import Memo, PooledJudgements

_T = TypeVar("_T")


class JudgedRankings(Struct, frozen=True, kw_only=True, eq=False, dict=True):
    """Rankings of all measured topics, reduced to their judged documents.

    Attributes:
        num_topics: measured topics, numbered in byte order of their ids.
        num_ret: shape (num_topics,): documents retrieved, judged or not, after ``depth``.
        topic, rank, rel: one entry per retrieved judged document, by topic, then by rank (1-based). A
            negative ``rel`` marks a document that was pooled but not judged.
        pool_topic, pool_rel: one entry per judged document of the qrels, retrieved or not, by topic.
        max_rel: highest relevance level of the whole qrels.
        tied_after, tied: under the tie rules that do not order documents (``average`` and the like), one
            entry per retrieved judged document: the number of documents above its group of tied documents,
            and the size of the group. A group that crosses ``depth`` is kept whole, and ``rank`` is that of
            some order.
        judgements: the source of ``pool_topic`` and ``pool_rel``, if other runs share it.
        document: if ``judgements`` hold more than levels, the index of each retrieved judged document in
            them.
        recent: cache of large results, shared with other rankings of the run; None for a cache of their own.
    """

    num_topics: int
    num_ret: IntArray
    topic: IntArray
    rank: IntArray
    rel: IntArray
    pool_topic: IntArray
    pool_rel: IntArray
    max_rel: int
    tied_after: IntArray | None = None
    tied: IntArray | None = None
    judgements: PooledJudgements | None = None
    document: IntArray | None = None
    recent: Memo | None = None

    @cached_property
    def _kept(self) -> Memo:
        return Memo()

    @cached_property
    def _recent(self) -> Memo:
        return Memo()

    @property
    def deepest(self) -> int:
        """The number of documents of the longest ranking."""
        return self.once("deepest", lambda: int(self.num_ret.max(initial=0)))

    @property
    def largest_pool(self) -> int:
        """The highest number of judged documents of any topic."""
        return self.once_per_pool("largest pool", lambda: int(self.count(self.pool_topic).max(initial=0)))

    def once(self, what: Hashable, find: Callable[[], _T]) -> _T:
        """The result of ``find`` for these rankings, computed once for all measures; not to be changed.

        Args:
            what: name of the result, and everything else it depends on.
        """
        return self._kept.once(what, find)

    def lately(self, what: tuple[Hashable, ...], find: Callable[[], _T]) -> _T:
        """As :meth:`once`, for results with an entry per document. Of the results with the same ``what[0]``,
        over all rankings that share ``recent``, only the last one is kept."""
        recent = self._recent if self.recent is None else self.recent
        # Not these rankings, which hold ``recent``: in a circle they would be freed late.
        return recent.lately(what[0], (self._kept, what), find)

    def once_per_pool(self, what: Hashable, find: Callable[[], _T]) -> _T:
        """As :meth:`once`, for results that depend only on ``num_topics``, ``pool_topic`` and
        ``pool_rel``."""
        shared = self.judgements
        kept = self._kept if shared is None or not self.shares_judgements else shared.kept
        return kept.once(what, find)

    @property
    def shares_judgements(self) -> bool:
        """Whether ``pool_topic`` and ``pool_rel`` are still those of ``judgements``."""
        shared = self.judgements
        return shared is not None and self.pool_topic is shared.topic and self.pool_rel is shared.rel

    def only(self, kept: BoolArray | IntArray) -> JudgedRankings:
        """A selection of the retrieved judged documents; their ranks and ``num_ret`` do not change."""
        return replace(
            self,
            topic=self.topic[kept],
            rank=self.rank[kept],
            rel=self.rel[kept],
            tied_after=None if self.tied_after is None else self.tied_after[kept],
            tied=None if self.tied is None else self.tied[kept],
            document=None if self.document is None else self.document[kept],
        )

    def alone(self, topic: int) -> JudgedRankings:
        """The ranking of one topic; its judgements hold levels only."""
        here, pool = (
            slice(*np.searchsorted(column, (topic, topic + 1)).tolist())
            for column in (self.topic, self.pool_topic)
        )
        return JudgedRankings(
            num_topics=1,
            num_ret=self.num_ret[topic : topic + 1],
            topic=np.zeros(here.stop - here.start, np.int64),
            rank=self.rank[here],
            rel=self.rel[here],
            pool_topic=np.zeros(pool.stop - pool.start, np.int64),
            pool_rel=self.pool_rel[pool],
            max_rel=self.max_rel,
            tied_after=None if self.tied_after is None else self.tied_after[here],
            tied=None if self.tied is None else self.tied[here],
        )

    def count(self, topics: IntArray) -> IntArray:
        """How often each topic occurs in ``topics``; shape (num_topics,)."""
        return np.bincount(topics, minlength=self.num_topics)

    def num_rel(self, level: int) -> IntArray:
        """Relevant documents in the qrels of each topic, retrieved or not; documents with a negative level
        never count."""
        level = max(level, 0)
        return self.once_per_pool(
            ("num_rel", level), lambda: self.count(self.pool_topic[self.pool_rel >= level])
        )

    def num_nonrel(self, level: int) -> IntArray:
        """Documents of each topic judged nonrelevant (a level from 0 to below ``level``)."""
        return self.once_per_pool(
            ("num_nonrel", level),
            lambda: self.count(self.pool_topic[(self.pool_rel >= 0) & (self.pool_rel < level)]),
        )


def by_rank(topic: IntArray, rank: IntArray) -> IntArray:
    """Argsort by (topic, rank), the order of the entries of a :class:`JudgedRankings`."""
    return np.argsort((topic << 40) | rank, kind="stable")


def stacked(
    parts: Sequence[JudgedRankings],
    number: IntArray | None = None,
    judgements: PooledJudgements | None = None,
) -> JudgedRankings:
    """The topics of several rankings as one.

    Args:
        parts: rankings with the same ``max_rel``, all with groups of tied documents or all without.
        number: new number of each topic, in the order of the parts; by default they follow one another.
        judgements: the judgements of all topics, used unless a convention changed those of the parts; by
            default the judgements hold levels only.
    """
    before = np.cumsum([0, *(part.num_topics for part in parts)])
    number = np.arange(before[-1]) if number is None else number

    def column(name: str) -> IntArray:
        return np.concatenate([getattr(part, name) for part in parts])

    def topics(name: str) -> tuple[IntArray, IntArray | slice]:
        """The topic of each entry, and the order of the entries by topic."""
        shifted = [getattr(part, name) + at for part, at in zip(parts, before.tolist(), strict=False)]
        topic: IntArray = number[np.concatenate(shifted)]
        order = slice(None) if (topic[1:] >= topic[:-1]).all() else np.argsort(topic, kind="stable")
        return topic[order], order

    num_ret = np.empty_like(number)
    num_ret[number] = column("num_ret")
    topic, order = topics("topic")
    if judgements is not None and all(part.shares_judgements for part in parts):
        pool_topic, pool_rel = judgements.topic, judgements.rel
    else:
        pool_topic, pool_order = topics("pool_topic")
        pool_rel = column("pool_rel")[pool_order]
    grouped = parts[0].tied is not None
    return JudgedRankings(
        num_topics=len(number),
        num_ret=num_ret,
        topic=topic,
        rank=column("rank")[order],
        rel=column("rel")[order],
        pool_topic=pool_topic,
        pool_rel=pool_rel,
        max_rel=parts[0].max_rel,
        tied_after=column("tied_after")[order] if grouped else None,
        tied=column("tied")[order] if grouped else None,
        judgements=judgements,
    )


def every_document(judged: JudgedRankings, rel: IntArray, unjudged: int) -> JudgedRankings:
    """The rankings with an entry for every document: ``rel`` for the judged ones, ``unjudged`` for the
    others."""
    length = judged.num_ret
    if judged.tied_after is not None and judged.tied is not None:
        length = length.copy()
        np.maximum.at(length, judged.topic, judged.tied_after + judged.tied)
    before = np.cumsum(length) - length
    topic = np.repeat(np.arange(judged.num_topics), length)
    rank = np.arange(1, len(topic) + 1) - before[topic]
    whole = np.full(len(topic), unjudged, np.int64)
    whole[before[judged.topic] + judged.rank - 1] = rel
    after, tied = None, None
    if judged.tied_after is not None and judged.tied is not None:
        after, tied = rank - 1, np.ones(len(topic), np.int64)
        first, entry = np.unique(before[judged.topic] + judged.tied_after, return_index=True)
        size = judged.tied[entry]
        at = np.arange(int(size.sum())) + np.repeat(first - (np.cumsum(size) - size), size)
        after[at], tied[at] = np.repeat(judged.tied_after[entry], size), np.repeat(size, size)
    return replace(judged, topic=topic, rank=rank, rel=whole, tied_after=after, tied=tied, document=None)


def judge(judged: JudgedRankings, conventions: Conventions) -> JudgedRankings:
    """Apply the axes of this stage to ordered rankings.

    These are ``negatives``, ``exact_level``, ``first_result``, ``depth``, ``unjudged`` and ``universe``.
    ``depth`` cuts before unjudged documents are removed, as trec_eval's -M comes before -J.
    """
    c = conventions
    if not c.changed:
        return judged
    if c[NEGATIVES] is Negatives.NONRELEVANT:
        judged = replace(judged, rel=np.maximum(judged.rel, 0), pool_rel=np.maximum(judged.pool_rel, 0))
    if (exact := c[EXACT_LEVEL]) is not None:
        judged = replace(judged, rel=_only(exact, judged.rel), pool_rel=_only(exact, judged.pool_rel))
    if c[FIRST_RESULT] is FirstResult.SKIPPED:
        judged = _without_first(judged)
    if (depth := c[DEPTH]) is not None:
        judged = _cut(judged, depth)
    if c[UNJUDGED] is Unjudged.REMOVED:
        judged = without_unjudged(judged)
    elif (level := c[UNJUDGED].level) is not None:
        judged = _all_judged(judged, level)
    if c[UNIVERSE] is Universe.RETRIEVED:
        judged = replace(judged, pool_topic=judged.topic, pool_rel=judged.rel)
    return judged


def _only(level: int, rel: IntArray) -> IntArray:
    return np.where(rel == level, rel, np.minimum(rel, 0))


def _without_first(judged: JudgedRankings) -> JudgedRankings:
    """The rankings from their second document on. If there are groups of tied documents, the first group of a
    ranking loses one document."""
    judged = judged.only(judged.rank > 1)
    after, tied = judged.tied_after, judged.tied
    if after is not None and tied is not None:
        after, tied = np.maximum(after - 1, 0), tied - (after == 0)
    num_ret = np.maximum(judged.num_ret - 1, 0)
    return replace(judged, rank=judged.rank - 1, num_ret=num_ret, tied_after=after, tied=tied)


def _cut(judged: JudgedRankings, depth: int) -> JudgedRankings:
    # A group of tied documents that crosses the depth is kept; the measure decides which part of it counts.
    kept = judged.rank <= depth if judged.tied_after is None else judged.tied_after < depth
    return replace(judged.only(kept), num_ret=np.minimum(judged.num_ret, depth))


def without_unjudged(judged: JudgedRankings) -> JudgedRankings:
    """The rankings without unjudged documents, and without those with a negative level (trec_eval ``-J``)."""
    judged = judged.only(judged.rel >= 0)
    num_ret = judged.count(judged.topic)
    rank = np.arange(1, len(judged.topic) + 1) - (np.cumsum(num_ret) - num_ret)[judged.topic]
    after, tied = judged.tied_after, judged.tied
    if after is not None:
        _, first, inverse, size = np.unique(
            (judged.topic << 40) | after, return_index=True, return_inverse=True, return_counts=True
        )
        after, tied = (rank[first] - 1)[inverse], size[inverse]
    return replace(judged, num_ret=num_ret, rank=rank, tied_after=after, tied=tied)


def _all_judged(judged: JudgedRankings, level: int) -> JudgedRankings:
    """The rankings with every retrieved document judged; unjudged ones get ``level``."""
    return every_document(judged, np.where(judged.rel < 0, level, judged.rel), level)
