"""A run met with its qrels: which retrieved documents are judged. Done once, whatever the conventions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from crosscheck.model import BoolArray, IntArray, Qrels, Run, Subtopics
from crosscheck.rankings.ids import HashIndex, WordArray, folded, hashed, homes_within, sort_words
from crosscheck.rankings.memo import Memo
from crosscheck.rankings.subset import only_subtopics

__all__ = ["Coverage", "JudgedPool", "Pairing", "PooledJudgements", "PooledSubtopics"]

#: Up to so many judgements per topic, comparing all of them with a whole run beats looking its rows up.
_FEW = 8


class PooledJudgements(NamedTuple):
    """The judgements of the measured topics, and what has been worked out from them alone.

    Attributes:
        topic, rel: one entry per judgement, by topic; topics are numbered as the measured ones.
        kept: anything that follows from these two arrays and from ``subtopics``.
        subtopics: the judgements per subtopic, None where there are none.
    """

    topic: IntArray
    rel: IntArray
    kept: Memo
    subtopics: PooledSubtopics | None = None


class PooledSubtopics(NamedTuple):
    """The judgements per subtopic of the measured topics.

    Attributes:
        rows: row of the qrels of each pooled document, ascending.
        by_docno: place of each pooled document among those of all topics, ordered by topic, then by docno.
        judged: the judgements, with the pooled documents numbered from 0.
    """

    rows: IntArray
    by_docno: IntArray
    judged: Subtopics

    @classmethod
    def of(cls, qrels: Qrels, rows: IntArray, topic: IntArray) -> PooledSubtopics | None:
        """Those of some rows of the qrels, of which the topics are given too."""
        if qrels.subtopics is None:
            return None
        order = np.lexsort((*sort_words(qrels.docnos[rows]).T[::-1], topic))
        by_docno = np.empty(len(order), np.int64)
        by_docno[order] = np.arange(len(order))
        return cls(rows, by_docno, only_subtopics(qrels.subtopics, rows))


class JudgedPool:
    """The qrels side, prepared once and used for any number of runs.

    Attributes:
        qrels: the judgements.
        number: topic id -> index in ``qrels.topics``.
        topic: topic index of each judgement row.
        max_rel: highest relevance level in the whole qrels, at least 0.
    """

    def __init__(self, qrels: Qrels) -> None:
        self.qrels = qrels
        self.number = {topic: i for i, topic in enumerate(qrels.topics)}
        self.sizes: IntArray = np.diff(qrels.offsets)
        self.topic: IntArray = np.repeat(np.arange(len(qrels.topics)), self.sizes)
        self.max_rel = int(qrels.rels.max(initial=0))
        self._words = folded(qrels.docnos)
        self._judgements: tuple[IntArray, PooledJudgements] | None = None

    @cached_property
    def tables(self) -> list[dict[str, int]]:
        """For each topic of the qrels, the judgement row of each docno, as text."""
        texts = [docno.decode("utf-8", "surrogateescape") for docno in self.qrels.docnos.tolist()]
        bounds = pairwise(self.qrels.offsets.tolist())
        return [dict(zip(texts[start:end], range(start, end), strict=True)) for start, end in bounds]

    @cached_property
    def _index(self) -> HashIndex:
        keys = hashed(self.qrels.docnos, self.topic)
        return HashIndex(keys, self._homes(keys, self.topic))

    def _homes(self, keys: WordArray, topic: IntArray) -> IntArray:
        """Judgements of a topic stand together in the index, so that its rows find them in the cache."""
        return homes_within(keys, self.qrels.offsets[topic], self.sizes[topic])

    def judgements(self, qrels_topic: IntArray) -> PooledJudgements:
        """The judgements of some topics, given by their indices in the qrels.

        Runs with the same topics, as runs of one task mostly have, share one record.
        """
        last, which = self._judgements, qrels_topic
        if last is not None and np.array_equal(last[0], which):
            return last[1]
        topic, rows = self._rows(which)
        made = PooledJudgements(
            topic, self.qrels.rels[rows], Memo(), PooledSubtopics.of(self.qrels, rows, topic)
        )
        # The smaller ones belong to parts of runs.
        if last is None or len(topic) >= len(last[1].topic):
            self._judgements = which, made
        return made

    def _rows(self, which: IntArray) -> tuple[IntArray, IntArray]:
        """Topic, counted from 0 on, and row of each judgement of some topics."""
        if len(which) and (np.diff(which) == 1).all():
            # As in a part of most runs: one range of rows.
            start, end = self.qrels.offsets[[which[0], which[-1] + 1]].tolist()
            return self.topic[start:end] - which[0], np.arange(start, end)
        sizes = self.sizes[which]
        topic = np.repeat(np.arange(len(sizes)), sizes)
        first = np.repeat(self.qrels.offsets[which] - (np.cumsum(sizes) - sizes), sizes)
        return topic, first + np.arange(len(first))

    def find(self, run: Run, in_qrels: IntArray) -> tuple[IntArray, IntArray]:
        """Rows of ``run`` that are judged, ascending, and the judgement row of each.

        Args:
            in_qrels: for each topic of the run its index in the qrels, -1 where it has no judgements.
        """
        # Empty is also the outline of a run that is streamed.
        if not len(run.docnos) or not len(self.qrels.docnos):
            return np.zeros(0, np.int64), np.zeros(0, np.int64)
        judged = np.where(in_qrels >= 0, self.sizes[in_qrels], 0)
        few = int(judged.max(initial=0)) <= _FEW
        rows, entries = (self._compared if few else self._looked_up)(run, in_qrels)
        same = self.qrels.docnos[entries] == run.docnos[rows]
        rows, entries = rows[same], entries[same]
        by_row = np.argsort(rows, kind="stable")
        return rows[by_row], entries[by_row]

    def _compared(self, run: Run, in_qrels: IntArray) -> tuple[IntArray, IntArray]:
        """Candidates by comparing every row with each judgement of its topic: best for a few judgements."""
        words, lengths = folded(run.docnos), np.diff(run.offsets)
        judged = np.where(in_qrels >= 0, self.sizes[in_qrels], 0)
        found_rows, found_entries = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
        for place in range(int(judged.max(initial=0))):
            has = judged > place
            entry = np.where(has, self.qrels.offsets[in_qrels] + place, 0)
            rows = np.flatnonzero(words == np.repeat(self._words[entry], lengths))
            topic = np.searchsorted(run.offsets, rows, "right") - 1
            found_rows.append(rows[has[topic]])
            found_entries.append(entry[topic[has[topic]]])
        return np.concatenate(found_rows), np.concatenate(found_entries)

    def _looked_up(self, run: Run, in_qrels: IntArray) -> tuple[IntArray, IntArray]:
        """Candidates by looking up every row of a judged topic in an index of all judgements."""
        lengths = np.diff(run.offsets)
        row_topic, docnos, kept = np.repeat(in_qrels, lengths), run.docnos, None
        if (in_qrels < 0).any():
            kept = np.flatnonzero(row_topic >= 0)
            row_topic, docnos = row_topic[kept], docnos[kept]
        keys = hashed(docnos, row_topic)
        rows, entries = self._index.matches(keys, self._homes(keys, row_topic))
        same = self.topic[entries] == row_topic[rows]
        rows, entries = rows[same], entries[same]
        return rows if kept is None else kept[rows], entries


class Coverage(NamedTuple):
    """Which topics a run and its qrels have.

    Attributes:
        all_topics: ids of all topics of either side, in byte order.
        measured, missing, unjudged: shape (all_topics,): on both sides; judged but without results; with
            results but not judged.
        run_topics: number of topics of the run.
    """

    all_topics: tuple[bytes, ...]
    measured: BoolArray
    missing: BoolArray
    unjudged: BoolArray
    run_topics: int

    @classmethod
    def of(cls, run_topics: Sequence[bytes], pool: JudgedPool) -> Coverage:
        """The coverage of a run whose topics are these, each once."""
        retrieved_ids = set(run_topics)
        # Both sides stand in order, and sorting two ordered lists only merges them.
        all_topics = tuple(dict.fromkeys(sorted([*sorted(run_topics), *pool.qrels.topics])))
        judged = np.fromiter((t in pool.number for t in all_topics), np.bool_, len(all_topics))
        retrieved = np.fromiter((t in retrieved_ids for t in all_topics), np.bool_, len(all_topics))
        return cls(
            all_topics=all_topics,
            measured=judged & retrieved,
            missing=judged & ~retrieved,
            unjudged=retrieved & ~judged,
            run_topics=len(run_topics),
        )


@dataclass(frozen=True, eq=False)
class Pairing:
    """A run and its qrels with the judged rows of the run found.

    "Measured" topics are those that both sides have; they are numbered 0.. in byte order.

    Attributes:
        topics: ids of the measured topics, in byte order.
        run_topic: index of each measured topic in ``run.topics``; qrels_topic: in ``qrels.topics``.
        rows: rows of the run that are judged, in run order (so grouped by topic).
        rels: relevance level of each of ``rows``; topic: measured topic of each of ``rows``.
        judgements: row of the qrels of each of ``rows``, where there are judgements per subtopic.
        max_rel: highest relevance level in the whole qrels.
    """

    pool: JudgedPool
    run: Run
    topics: tuple[bytes, ...]
    run_topic: IntArray
    qrels_topic: IntArray
    rows: IntArray
    rels: IntArray
    topic: IntArray
    max_rel: int
    judgements: IntArray | None = None

    @property
    def qrels(self) -> Qrels:
        return self.pool.qrels

    @cached_property
    def coverage(self) -> Coverage:
        """Which topics the two sides have; only worked out when it is asked for."""
        return Coverage.of(self.run.topics, self.pool)

    @property
    def all_topics(self) -> tuple[bytes, ...]:
        """Ids of all topics of either side; see :class:`Coverage`, also for the masks over it."""
        return self.coverage.all_topics

    @property
    def measured(self) -> BoolArray:
        return self.coverage.measured

    @property
    def missing(self) -> BoolArray:
        return self.coverage.missing

    @property
    def unjudged(self) -> BoolArray:
        return self.coverage.unjudged

    @classmethod
    def of(cls, run: Run, qrels: Qrels | JudgedPool) -> Pairing:
        """Join a run with its qrels; prepared judgements are reused when they are given."""
        pool = qrels if isinstance(qrels, JudgedPool) else JudgedPool(qrels)
        in_qrels = np.fromiter((pool.number.get(t, -1) for t in run.topics), np.int64, len(run.topics))
        rows, entries = pool.find(run, in_qrels)
        run_topic = np.flatnonzero(in_qrels >= 0)
        measured_number = np.full(len(run.topics), -1, np.int64)
        measured_number[run_topic] = np.arange(len(run_topic))
        return cls(
            pool=pool,
            run=run,
            topics=tuple(run.topics[i] for i in run_topic.tolist()),
            run_topic=run_topic,
            qrels_topic=in_qrels[run_topic],
            rows=rows,
            rels=pool.qrels.rels[entries],
            topic=measured_number[np.searchsorted(run.offsets, rows, "right") - 1],
            max_rel=pool.max_rel,
            judgements=None if pool.qrels.subtopics is None else entries,
        )
