"""Judged rankings: the arrays from which every measure is computed, for all topics at once.

:func:`judge` is the third stage of an evaluation. It decides which documents are treated as judged, and which
documents are ignored.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from functools import cached_property
from typing import TypeVar

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from crosscheck.axes import judging
from crosscheck.conventions import Conventions
from crosscheck.model import BoolArray, IntArray
from crosscheck.rankings.pairing import Memo, PooledJudgements

_T = TypeVar("_T")


class JudgedRankings(Struct, frozen=True, kw_only=True, eq=False, dict=True):
    """Rankings of all measured topics, reduced to their judged documents.

    Attributes:
        num_topics: number of measured topics, which are numbered in byte order of their ids.
        num_ret: number of retrieved documents of each topic, judged or not, down to ``depth``.
        topic, rank, rel: one entry per retrieved judged document, sorted by topic, then by rank (from 1). A
            negative ``rel`` marks a document that was pooled but not judged.
        pool_topic, pool_rel: one entry per judged document of the qrels, retrieved or not, sorted by topic.
        max_rel: highest relevance level of the whole qrels.
        tied: None if tied documents have an order. Under tie rules without an order (such as ``average``),
            two rows with an entry per retrieved judged document: the number of documents above its group of
            tied documents, and the size of the group. A group that crosses ``depth`` is kept whole, and
            ``rank`` comes from an arbitrary order.
        judgements: the source of ``pool_topic`` and ``pool_rel``, if further runs share it.
        document: if ``judgements`` have more than levels, the index of each retrieved judged document in
            ``judgements``.
        recent: a cache for large results, shared with further rankings of the run; None if not shared.
    """

    num_topics: int
    num_ret: IntArray
    topic: IntArray
    rank: IntArray
    rel: IntArray
    pool_topic: IntArray
    pool_rel: IntArray
    max_rel: int
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
        """The length of the longest ranking."""
        return self.once("deepest", lambda: int(self.num_ret.max(initial=0)))

    def once(self, what: Hashable, find: Callable[[], _T]) -> _T:
        """The result of ``find``, computed once for these rankings and all measures. Callers must not change
        the result.

        Args:
            what: key of the cache: a name for the result, and everything else on which the result depends.
            find: computes the result.
        """
        return self._kept.once(what, find)

    def once_keep_latest(self, what: tuple[Hashable, ...], find: Callable[[], _T]) -> _T:
        """The result of ``find``, cached as in :meth:`once`, but for large results, with an entry per
        document. Of the results with the same name ``what[0]``, only the latest is kept, among all rankings
        that share ``recent``."""
        recent = self._recent if self.recent is None else self.recent
        # The key must not refer to these rankings, which refer to ``recent``: cycles are freed late.
        return recent.once_keep_latest(what[0], (self._kept, what), find)

    def once_per_pool(self, what: Hashable, find: Callable[[], _T]) -> _T:
        """The result of ``find``, computed once for all runs with these judgements. The result must depend
        only on ``num_topics``, ``pool_topic`` and ``pool_rel``. See :meth:`once`."""
        shared = self.judgements
        return (self._kept if shared is None or not self.shares_judgements else shared.kept).once(what, find)

    @property
    def shares_judgements(self) -> bool:
        """Whether ``pool_topic`` and ``pool_rel`` are the arrays of ``judgements``, not changed by
        conventions."""
        shared = self.judgements
        return shared is not None and self.pool_topic is shared.topic and self.pool_rel is shared.rel

    def only(self, kept: BoolArray | IntArray) -> JudgedRankings:
        """The rankings with only the judged documents selected by ``kept``. Ranks and ``num_ret`` do not
        change."""
        return replace(
            self,
            topic=self.topic[kept],
            rank=self.rank[kept],
            rel=self.rel[kept],
            tied=None if self.tied is None else self.tied[:, kept],
            document=None if self.document is None else self.document[kept],
        )

    def alone(self, topic: int) -> JudgedRankings:
        """The ranking of one topic, with one relevance level per document."""
        at = topic, topic + 1
        here, pool = (slice(*np.searchsorted(of, at).tolist()) for of in (self.topic, self.pool_topic))
        return JudgedRankings(
            num_topics=1,
            num_ret=self.num_ret[topic : topic + 1],
            topic=np.zeros(here.stop - here.start, np.int64),
            rank=self.rank[here],
            rel=self.rel[here],
            pool_topic=np.zeros(pool.stop - pool.start, np.int64),
            pool_rel=self.pool_rel[pool],
            max_rel=self.max_rel,
            tied=None if self.tied is None else self.tied[:, here],
        )

    def count(self, topics: IntArray) -> IntArray:
        """For each topic, the number of times that it occurs in ``topics``."""
        return np.bincount(topics, minlength=self.num_topics)

    def num_rel(self, level: int) -> IntArray:
        """For each topic, the number of relevant documents in the qrels, retrieved or not. Documents with a
        negative level are never included."""
        at = max(level, 0)
        return self.once_per_pool(("num_rel", at), lambda: self.count(self.pool_topic[self.pool_rel >= at]))

    def num_nonrel(self, level: int) -> IntArray:
        """For each topic, the number of documents that are judged with a level from 0 to below ``level``."""
        return self.num_rel(0) - self.num_rel(level)

    def every_rank(self) -> JudgedRankings:
        """The rankings with an entry for every retrieved document: level -1 if unjudged, -2 if judged
        negatively.

        trec_eval's own lists look like this. The result is as long as the run, so only measures that need
        unjudged documents use this method.
        """
        return every_document(self, np.where(self.rel >= 0, self.rel, -2), -1)

    def relevant(self, level: int, cutoff: int | None = None) -> tuple[IntArray, IntArray]:
        """Topic and rank of the retrieved documents with a level of at least ``level``, up to ``cutoff``.

        For a ``level`` below 0 unjudged documents (level -1) are included. trec_eval, too, takes them for
        relevant where it goes down the ranking, though not where it counts relevant documents
        (:meth:`relevant_retrieved`).
        """

        def found() -> tuple[IntArray, IntArray]:
            listed = self.every_rank() if level < 0 else self
            hit = listed.rel >= level
            return listed.topic[hit], listed.rank[hit]

        topic, rank = self.once_keep_latest(("relevant", level), found)
        if cutoff is None or cutoff >= self.deepest:
            return topic, rank
        above = rank <= cutoff
        return topic[above], rank[above]

    def relevant_above(self, level: int, cutoff: int | None) -> IntArray:
        """For each topic, the number of documents that :meth:`relevant` returns."""
        last = self.deepest if cutoff is None else min(cutoff, self.deepest)
        return self.once(("relevant_above", level, last), lambda: self.count(self.relevant(level, last)[0]))

    def relevant_retrieved(self, level: int) -> IntArray:
        """Number of retrieved relevant documents, per topic. Unjudged documents are never counted, even for a
        ``level`` below 0."""
        level = max(level, 0)
        return self.once(("relevant_retrieved", level), lambda: self.count(self.topic[self.rel >= level]))

    def highest_judged(self, least: int) -> IntArray:
        """The highest level of each topic's judgements, but at least ``least``."""
        highest = np.full(self.num_topics, least)
        np.maximum.at(highest, self.pool_topic, self.pool_rel)
        return highest


def by_rank(topic: IntArray, rank: IntArray) -> IntArray:
    """Indices that sort entries by topic, then by rank, as in :class:`JudgedRankings`."""
    return np.argsort((topic << 40) | rank, kind="stable")


def stacked(
    parts: Sequence[JudgedRankings], place: IntArray | None = None, judgements: PooledJudgements | None = None
) -> JudgedRankings:
    """Join rankings of different topics in one.

    Args:
        parts: rankings with the same ``max_rel``; either all have groups of tied documents or none has.
        place: the new number of each topic, in the order of the parts; by default topics keep this order.
        judgements: the judgements of all topics, used unless a convention changed the judgements of a part.
    """
    before = np.cumsum([0, *(part.num_topics for part in parts)])
    place = np.arange(before[-1]) if place is None else place

    def column(name: str) -> IntArray:
        return np.concatenate([getattr(part, name) for part in parts], axis=-1)

    def topics(name: str) -> tuple[IntArray, IntArray | slice]:
        """The topic of each entry, and the order of the entries by topic."""
        shifted = [getattr(part, name) + at for part, at in zip(parts, before.tolist(), strict=False)]
        topic: IntArray = place[np.concatenate(shifted)]
        order = slice(None) if (topic[1:] >= topic[:-1]).all() else np.argsort(topic, kind="stable")
        return topic[order], order

    num_ret = np.empty_like(place)
    num_ret[place] = column("num_ret")
    topic, order = topics("topic")
    if judgements is not None and all(part.shares_judgements for part in parts):
        pool_topic, pool_rel = judgements.topic, judgements.rel
    else:
        pool_topic, pool_order = topics("pool_topic")
        pool_rel = column("pool_rel")[pool_order]
    return JudgedRankings(
        num_topics=len(place),
        num_ret=num_ret,
        topic=topic,
        rank=column("rank")[order],
        rel=column("rel")[order],
        pool_topic=pool_topic,
        pool_rel=pool_rel,
        max_rel=parts[0].max_rel,
        tied=None if parts[0].tied is None else column("tied")[:, order],
        judgements=judgements,
    )


def every_document(judged: JudgedRankings, rel: IntArray, unjudged: int) -> JudgedRankings:
    """The rankings with an entry for every retrieved document. Judged documents get the levels ``rel``,
    unjudged documents the level ``unjudged``."""
    length = judged.num_ret
    if judged.tied is not None:
        length = length.copy()
        np.maximum.at(length, judged.topic, judged.tied.sum(axis=0))
    before = np.cumsum(length) - length
    topic = np.repeat(np.arange(judged.num_topics), length)
    rank = np.arange(1, len(topic) + 1) - before[topic]
    whole = np.full(len(topic), unjudged, np.int64)
    whole[before[judged.topic] + judged.rank - 1] = rel
    tied = None
    if judged.tied is not None:
        tied = np.stack((rank - 1, np.ones_like(rank)))
        first, entry = np.unique(before[judged.topic] + judged.tied[0], return_index=True)
        groups = judged.tied[:, entry]
        size = groups[1]
        at = np.arange(int(size.sum())) + np.repeat(first - (np.cumsum(size) - size), size)
        tied[:, at] = np.repeat(groups, size, axis=1)
    return replace(judged, topic=topic, rank=rank, rel=whole, tied=tied, document=None)


def judge(judged: JudgedRankings, conventions: Conventions) -> JudgedRankings:
    """Apply the axes ``negatives``, ``exact_level``, ``first_result``, ``depth``, ``unjudged`` and
    ``universe`` to rankings that are in order.

    Rankings are cut at ``depth`` before unjudged documents are removed, as trec_eval applies -M before -J.
    """
    c = conventions
    if not c.changed:
        return judged
    if c[judging.NEGATIVES] is judging.Negatives.NONRELEVANT:
        judged = replace(judged, rel=np.maximum(judged.rel, 0), pool_rel=np.maximum(judged.pool_rel, 0))
    if (exact := c[judging.EXACT_LEVEL]) is not None:
        judged = replace(judged, rel=_only(exact, judged.rel), pool_rel=_only(exact, judged.pool_rel))
    if c[judging.FIRST_RESULT] is judging.FirstResult.SKIPPED:
        judged = _without_first(judged)
    if (depth := c[judging.DEPTH]) is not None:
        # A group of tied documents that crosses the depth is kept; the measure handles the part above it.
        kept = judged.rank <= depth if judged.tied is None else judged.tied[0] < depth
        judged = replace(judged.only(kept), num_ret=np.minimum(judged.num_ret, depth))
    if c[judging.UNJUDGED] is judging.Unjudged.REMOVED:
        judged = without_unjudged(judged)
    elif (level := c[judging.UNJUDGED].level) is not None:
        judged = every_document(judged, np.where(judged.rel < 0, level, judged.rel), level)
    if c[judging.UNIVERSE] is judging.Universe.RETRIEVED:
        judged = replace(judged, pool_topic=judged.topic, pool_rel=judged.rel)
    return judged


def _only(level: int, rel: IntArray) -> IntArray:
    return np.where(rel == level, rel, np.minimum(rel, 0))


def _without_first(judged: JudgedRankings) -> JudgedRankings:
    """The rankings without their first document. If there are groups of tied documents, the first group of
    each ranking loses one document."""
    judged = judged.only(judged.rank > 1)
    tied = judged.tied
    if tied is not None:
        tied = np.stack((np.maximum(tied[0] - 1, 0), tied[1] - (tied[0] == 0)))
    return replace(judged, rank=judged.rank - 1, num_ret=np.maximum(judged.num_ret - 1, 0), tied=tied)


def without_unjudged(judged: JudgedRankings) -> JudgedRankings:
    """The rankings without unjudged documents and without documents of a negative level (trec_eval
    ``-J``)."""
    judged = judged.only(judged.rel >= 0)
    num_ret = judged.count(judged.topic)
    rank = np.arange(1, len(judged.topic) + 1) - (np.cumsum(num_ret) - num_ret)[judged.topic]
    tied = judged.tied
    if tied is not None:
        _, first, inverse, size = np.unique_all((judged.topic << 40) | tied[0])
        tied = np.stack((rank[first] - 1, size))[:, inverse]
    return replace(judged, num_ret=num_ret, rank=rank, tied=tied)
