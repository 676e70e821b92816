"""Judged rankings: the compact layout that every measure works on, for all topics at once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from crosscheck.conventions import Conventions, Negatives, Unjudged
from crosscheck.model import IntArray, Qrels, Run
from crosscheck.rankings.ordering import hit_ranks
from crosscheck.rankings.pairing import JudgedPool, Pairing

__all__ = ["Judged", "Rankings"]


@dataclass(frozen=True, slots=True, eq=False)
class Judged:
    """Rankings of all measured topics, reduced to their judged documents.

    Attributes:
        num_topics: measured topics, numbered in byte order of their ids.
        num_ret: shape (num_topics,): documents retrieved, judged or not, after ``depth``.
        topic, rank, rel: one entry per retrieved judged document, by topic, then by rank (1-based).
            A negative ``rel`` is a document that was pooled but not judged.
        pool_topic, pool_rel: one entry per judged document of the qrels, retrieved or not, by topic.
        max_rel: highest relevance level of the whole qrels.
    """

    num_topics: int
    num_ret: IntArray
    topic: IntArray
    rank: IntArray
    rel: IntArray
    pool_topic: IntArray
    pool_rel: IntArray
    max_rel: int

    def count(self, topics: IntArray) -> IntArray:
        """How often each topic occurs in ``topics``; shape (num_topics,)."""
        return np.bincount(topics, minlength=self.num_topics)

    def num_rel(self, level: int) -> IntArray:
        """Relevant documents in the qrels of each topic, retrieved or not; a negative judgement never is."""
        return self.count(self.pool_topic[self.pool_rel >= max(level, 0)])

    def num_nonrel(self, level: int) -> IntArray:
        """Documents of each topic judged nonrelevant (a level from 0 to below ``level``)."""
        return self.count(self.pool_topic[(self.pool_rel >= 0) & (self.pool_rel < level)])


class Rankings:
    """A run against its qrels, ready to be judged under any conventions; orderings are kept."""

    def __init__(self, run: Run, qrels: Qrels | JudgedPool) -> None:
        self.pairing = Pairing.of(run, qrels)
        pairing, offsets = self.pairing, self.pairing.qrels.offsets
        starts, ends = offsets[pairing.qrels_topic], offsets[pairing.qrels_topic + 1]
        sizes = ends - starts
        self._pool_topic: IntArray = np.repeat(np.arange(len(sizes)), sizes)
        first = np.repeat(starts - (np.cumsum(sizes) - sizes), sizes)
        self._pool_rel: IntArray = pairing.qrels.rels[first + np.arange(len(first))]
        self._num_ret: IntArray = np.diff(pairing.run.offsets)[pairing.run_topic]
        self._ranks: dict[object, IntArray] = {}
        self._judged: dict[object, Judged] = {}

    def ranks(self, conventions: Conventions) -> IntArray:
        """Rank of each row of ``pairing.rows``; see :func:`hit_ranks`."""
        key = (conventions.order, conventions.ties, conventions.score_precision)
        if key not in self._ranks:
            self._ranks[key] = hit_ranks(self.pairing, conventions)
        return self._ranks[key]

    def judged(self, conventions: Conventions) -> Judged:
        """The judged rankings under ``order``, ``ties``, ``score_precision``, ``depth``, ``unjudged``
        and ``negatives``.

        ``depth`` cuts before unjudged documents are removed, as trec_eval's -M comes before -J.
        """
        c = conventions
        key = (c.order, c.ties, c.score_precision, c.depth, c.unjudged, c.negatives)
        if key not in self._judged:
            self._judged[key] = self._judge(conventions)
        return self._judged[key]

    def _judge(self, conventions: Conventions) -> Judged:
        pairing, num_topics = self.pairing, len(self.pairing.topics)
        rank, num_ret = self.ranks(conventions), self._num_ret
        topic, rel, pool_rel = pairing.topic, pairing.rels, self._pool_rel
        in_order = np.argsort((topic << 40) | rank, kind="stable")
        topic, rank, rel = topic[in_order], rank[in_order], rel[in_order]
        if conventions.negatives is Negatives.NONRELEVANT:
            rel, pool_rel = np.maximum(rel, 0), np.maximum(pool_rel, 0)
        if conventions.depth is not None:
            kept = rank <= conventions.depth
            topic, rank, rel = topic[kept], rank[kept], rel[kept]
            num_ret = np.minimum(num_ret, conventions.depth)
        if conventions.unjudged is Unjudged.REMOVED:
            kept = rel >= 0
            topic, rel = topic[kept], rel[kept]
            num_ret = np.bincount(topic, minlength=num_topics)
            rank = np.arange(1, len(topic) + 1) - (np.cumsum(num_ret) - num_ret)[topic]
        return Judged(
            num_topics=num_topics,
            num_ret=num_ret,
            topic=topic,
            rank=rank,
            rel=rel,
            pool_topic=self._pool_topic,
            pool_rel=pool_rel,
            max_rel=pairing.max_rel,
        )
