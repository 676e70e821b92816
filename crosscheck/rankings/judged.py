"""Judged rankings: the compact layout that every measure works on, for all topics at once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar, cast

import numpy as np

from crosscheck.axes.base import Stage
from crosscheck.axes.depth import DEPTH
from crosscheck.axes.exact_level import EXACT_LEVEL
from crosscheck.axes.ids import IDS, Ids
from crosscheck.axes.negatives import NEGATIVES, Negatives
from crosscheck.axes.ties import TIES, WITHOUT_ORDER
from crosscheck.axes.universe import UNIVERSE, Universe
from crosscheck.axes.unjudged import UNJUDGED, Unjudged
from crosscheck.conventions import Conventions
from crosscheck.model import BoolArray, IntArray, Qrels, Run
from crosscheck.rankings.inputs import as_read_by, reads_all
from crosscheck.rankings.ordering import hit_ranks, tie_groups
from crosscheck.rankings.pairing import JudgedPool, Pairing, PooledJudgements

__all__ = ["Judged", "Rankings", "by_rank", "every_document", "reread", "without_unjudged"]

_T = TypeVar("_T")


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
        tied_after, tied: under the tie rules that make no order (``average`` and the like), one entry per
            retrieved judged document: documents that stand above its group of tied documents, and the size of
            the group. A group that reaches over ``depth`` is kept whole, and ``rank`` is that of some order.
        judgements: where ``pool_topic`` and ``pool_rel`` come from, if other runs share them.
        document: with judgements per subtopic, the place of each retrieved judged document among those of
            ``judgements``.
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
    _kept: dict[object, Any] = field(init=False, repr=False, default_factory=dict)

    @property
    def deepest(self) -> int:
        """The number of documents of the longest ranking."""
        return self.once("deepest", lambda: int(self.num_ret.max(initial=0)))

    @property
    def largest_pool(self) -> int:
        """The highest number of judged documents of any topic."""
        return self.once_per_pool("largest pool", lambda: int(self.count(self.pool_topic).max(initial=0)))

    def once(self, what: object, find: Callable[[], _T]) -> _T:
        """Something that several measures need of these rankings, worked out once; not to be changed.

        Args:
            what: its name, with everything else that it depends on.
        """
        return _once(self._kept, what, find)

    def once_per_pool(self, what: object, find: Callable[[], _T]) -> _T:
        """As :meth:`once`, for what follows from ``num_topics``, ``pool_topic`` and ``pool_rel`` alone."""
        shared = self.judgements
        if shared is None or not self.shares_judgements:
            return _once(self._kept, what, find)
        return _once(shared.kept, what, find)

    @property
    def shares_judgements(self) -> bool:
        """Whether ``pool_topic`` and ``pool_rel`` are still those of ``judgements``."""
        shared = self.judgements
        return shared is not None and self.pool_topic is shared.topic and self.pool_rel is shared.rel

    def only(self, kept: BoolArray | IntArray) -> Judged:
        """Some of the retrieved judged documents; ranks and numbers retrieved stay."""
        return replace(
            self,
            topic=self.topic[kept],
            rank=self.rank[kept],
            rel=self.rel[kept],
            tied_after=None if self.tied_after is None else self.tied_after[kept],
            tied=None if self.tied is None else self.tied[kept],
            document=None if self.document is None else self.document[kept],
        )

    def count(self, topics: IntArray) -> IntArray:
        """How often each topic occurs in ``topics``; shape (num_topics,)."""
        return np.bincount(topics, minlength=self.num_topics)

    def num_rel(self, level: int) -> IntArray:
        """Relevant documents in the qrels of each topic, retrieved or not; a negative judgement never is."""
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


def _once(kept: dict[object, Any], what: object, find: Callable[[], _T]) -> _T:
    found: _T
    try:
        found = kept[what]
    except KeyError:
        found = kept[what] = _locked(find())
    return found


def _locked(found: _T) -> _T:
    """Arrays that several measures use, made read-only."""
    for array in found if isinstance(found, tuple) else (found,):
        if isinstance(array, np.ndarray):
            array.flags.writeable = False
    return found


def by_rank(topic: IntArray, rank: IntArray) -> IntArray:
    """What brings entries into the order of a :class:`Judged`: by topic, then by rank."""
    return np.argsort((topic << 40) | rank, kind="stable")


class Rankings:
    """A run against its qrels, ready to be judged under any conventions; orderings are kept.

    Attributes:
        spread: for each topic of the universe of the rankings that this was made from by :meth:`under`, its
            index in this universe, or -1 where another spelling of the id has the value; None where the two
            universes are the same.
    """

    def __init__(self, run: Run, qrels: Qrels | JudgedPool) -> None:
        self.pairing = Pairing.of(run, qrels)
        pairing = self.pairing
        self._judgements = pairing.pool.judgements(pairing.qrels_topic)
        self._num_ret: IntArray = np.diff(pairing.run.offsets)[pairing.run_topic]
        self.spread: IntArray | None = None
        self._ranks: dict[Conventions, IntArray] = {}
        self._judged: dict[Conventions, Judged] = {}
        self._readings: dict[Conventions, Rankings] = {}
        self._remembered: dict[str, object] = {}

    def remembered(self, question: str, find: Callable[[], _T]) -> _T:
        """An answer about this run and its qrels that takes time to find, found once."""
        if question not in self._remembered:
            self._remembered[question] = find()
        return cast(_T, self._remembered[question])

    def under(self, conventions: Conventions) -> Rankings:
        """The rankings of the input as these conventions read it; mostly the very same.

        Raises:
            InputError: a document stands twice under a query, and the conventions refuse that.
        """
        c, pairing = conventions, self.pairing
        if reads_all(pairing.run, c):
            return self
        key = c.of(Stage.READ)
        if key not in self._readings:
            made = Rankings(*as_read_by(pairing.run, pairing.qrels, c))
            made.pairing = replace(made.pairing, max_rel=pairing.max_rel)
            if c[IDS] is not Ids.EXACT:
                made.spread = _spread(pairing, made.pairing, c[IDS])
            self._readings[key] = made
        return self._readings[key]

    def ranks(self, conventions: Conventions) -> IntArray:
        """Rank of each row of ``pairing.rows``; see :func:`hit_ranks`."""
        key = conventions.of(Stage.ORDER)
        if key not in self._ranks:
            self._ranks[key] = hit_ranks(self.pairing, conventions)
        return self._ranks[key]

    def judged(self, conventions: Conventions) -> Judged:
        """The judged rankings under the axes of the stages ``order`` and ``judge``; :meth:`under` comes
        before this.
        """
        key = conventions.of(Stage.ORDER, Stage.JUDGE)
        if key not in self._judged:
            self._judged[key] = self._judge(conventions)
        return self._judged[key]

    def _judge(self, conventions: Conventions) -> Judged:
        pairing, c = self.pairing, conventions
        rank = self.ranks(c)
        in_order = by_rank(pairing.topic, rank)
        after, tied = None, None
        if c[TIES] in WITHOUT_ORDER:
            after, tied = (column[in_order] for column in tie_groups(pairing, c))
        judged = Judged(
            num_topics=len(pairing.topics),
            num_ret=self._num_ret,
            topic=pairing.topic[in_order],
            rank=rank[in_order],
            rel=pairing.rels[in_order],
            pool_topic=self._judgements.topic,
            pool_rel=self._judgements.rel,
            judgements=self._judgements,
            max_rel=pairing.max_rel,
            tied_after=after,
            tied=tied,
            document=self._places_in_pool(in_order),
        )
        return reread(judged, c)

    def _places_in_pool(self, in_order: IntArray) -> IntArray | None:
        subtopics, rows = self._judgements.subtopics, self.pairing.judgements
        if subtopics is None or rows is None:
            return None
        return np.searchsorted(subtopics.rows, rows[in_order])


def reread(judged: Judged, conventions: Conventions) -> Judged:
    """Rankings in their final order under ``negatives``, ``exact_level``, ``depth``, ``unjudged`` and
    ``universe``.

    ``depth`` cuts before unjudged documents are removed, as trec_eval's -M comes before -J.
    """
    c = conventions
    if c[NEGATIVES] is Negatives.NONRELEVANT:
        judged = replace(judged, rel=np.maximum(judged.rel, 0), pool_rel=np.maximum(judged.pool_rel, 0))
    if (exact := c[EXACT_LEVEL]) is not None:
        judged = replace(judged, rel=_only(exact, judged.rel), pool_rel=_only(exact, judged.pool_rel))
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


def _cut(judged: Judged, depth: int) -> Judged:
    # A group of tied documents that reaches over the depth stays; which part of it counts, the measure says.
    kept = judged.rank <= depth if judged.tied_after is None else judged.tied_after < depth
    return replace(judged.only(kept), num_ret=np.minimum(judged.num_ret, depth))


def without_unjudged(judged: Judged) -> Judged:
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


def _all_judged(judged: Judged, level: int) -> Judged:
    """Every retrieved document as judged: those without a judgement at ``level``."""
    return every_document(judged, np.where(judged.rel < 0, level, judged.rel), level)


def every_document(judged: Judged, rel: IntArray, unjudged: int) -> Judged:
    """The rankings with an entry for every document: ``rel`` for those that have one, else ``unjudged``."""
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


def _spread(whole: Pairing, read: Pairing, ids: Ids) -> IntArray:
    """Where each topic of one universe has its value in another: under its normal form, or where no topic
    is spelt so, under the spelling of the qrels."""
    number = {topic: i for i, topic in enumerate(read.universe)}
    spelt = set(whole.universe)
    judged = set(whole.qrels.topics)
    normal = [ids.normalised(topic) for topic in whole.universe]
    holders: dict[bytes, bytes] = {}
    for topic, form in zip(whole.universe, normal, strict=True):
        if form in spelt:
            holders[form] = form
        elif form not in holders or (topic in judged and holders[form] not in judged):
            holders[form] = topic
    owns = [holders[form] == topic for topic, form in zip(whole.universe, normal, strict=True)]
    return np.array([number[form] if own else -1 for form, own in zip(normal, owns, strict=True)], np.int64)
