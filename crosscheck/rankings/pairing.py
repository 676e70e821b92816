"""A run met with its qrels: which retrieved documents are judged. Done once, whatever the conventions."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from crosscheck.model import BoolArray, IntArray, Qrels, Run
from crosscheck.rankings.ids import HashIndex, hashed

__all__ = ["JudgedPool", "Pairing"]


class JudgedPool:
    """The qrels side, prepared once and used for any number of runs.

    Attributes:
        qrels: the judgements.
        number: topic id -> index in ``qrels.topics``.
        topic: topic index of each judgement row.
    """

    def __init__(self, qrels: Qrels) -> None:
        self.qrels = qrels
        self.number = {topic: i for i, topic in enumerate(qrels.topics)}
        self.topic: IntArray = np.repeat(np.arange(len(qrels.topics)), np.diff(qrels.offsets))
        self._index = HashIndex(hashed(qrels.docnos, self.topic))

    def find(self, run: Run, row_topic: IntArray) -> tuple[IntArray, IntArray]:
        """Rows of ``run`` that are judged, ascending, and the judgement row of each.

        Args:
            row_topic: for each row of the run the index of its topic in the qrels, -1 where unknown.
        """
        rows, entries = self._index.matches(hashed(run.docnos, row_topic))
        same = (self.topic[entries] == row_topic[rows]) & (self.qrels.docnos[entries] == run.docnos[rows])
        rows, entries = rows[same], entries[same]
        by_row = np.argsort(rows, kind="stable")
        return rows[by_row], entries[by_row]


@dataclass(frozen=True, slots=True, eq=False)
class Pairing:
    """A run and its qrels with the judged rows of the run found.

    "Measured" topics are those that both sides have; they are numbered 0.. in byte order.

    Attributes:
        topics: ids of the measured topics, in byte order.
        run_topic: index of each measured topic in ``run.topics``; qrels_topic: in ``qrels.topics``.
        rows: rows of the run that are judged, in run order (so grouped by topic).
        rels: relevance level of each of ``rows``; topic: measured topic of each of ``rows``.
        universe: ids of all topics of either side, in byte order.
        measured, missing, unjudged: shape (universe,): on both sides; judged but without results; with
            results but not judged.
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
    universe: tuple[bytes, ...]
    measured: BoolArray
    missing: BoolArray
    unjudged: BoolArray
    max_rel: int

    @property
    def qrels(self) -> Qrels:
        return self.pool.qrels

    @classmethod
    def of(cls, run: Run, qrels: Qrels | JudgedPool) -> Pairing:
        """Join a run with its qrels; prepared judgements are reused when they are given."""
        pool = qrels if isinstance(qrels, JudgedPool) else JudgedPool(qrels)
        qrels = pool.qrels
        in_qrels = np.fromiter((pool.number.get(t, -1) for t in run.topics), np.int64, len(run.topics))
        row_topic = np.repeat(in_qrels, np.diff(run.offsets))
        rows, entries = pool.find(run, row_topic)
        run_topic = np.flatnonzero(in_qrels >= 0)
        measured_number = np.full(len(qrels.topics), -1, np.int64)
        measured_number[in_qrels[run_topic]] = np.arange(len(run_topic))
        topics = tuple(run.topics[i] for i in run_topic.tolist())
        run_set = set(run.topics)
        universe = tuple(sorted(run_set | set(qrels.topics)))
        judged = np.fromiter((t in pool.number for t in universe), np.bool_, len(universe))
        retrieved = np.fromiter((t in run_set for t in universe), np.bool_, len(universe))
        return cls(
            pool=pool,
            run=run,
            topics=topics,
            run_topic=run_topic,
            qrels_topic=in_qrels[run_topic],
            rows=rows,
            rels=qrels.rels[entries],
            topic=measured_number[pool.topic[entries]],
            universe=universe,
            measured=judged & retrieved,
            missing=judged & ~retrieved,
            unjudged=retrieved & ~judged,
            max_rel=int(qrels.rels.max(initial=0)),
        )
