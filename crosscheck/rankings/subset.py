"""Runs and qrels restricted to some of their topics."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

import numpy as np

from crosscheck.model import IntArray, Qrels, Run, Subtopics

__all__ = ["only_qrels", "only_run", "only_subtopics"]


def only_qrels(qrels: Qrels, topics: Collection[bytes]) -> Qrels:
    """The judgements of these topics."""
    kept, offsets, rows = _selection(qrels.topics, qrels.offsets, topics)
    return replace(
        qrels,
        topics=kept,
        offsets=offsets,
        docnos=qrels.docnos[rows],
        rels=qrels.rels[rows],
        subtopics=None if qrels.subtopics is None else only_subtopics(qrels.subtopics, rows),
    )


def only_subtopics(subtopics: Subtopics, rows: IntArray) -> Subtopics:
    """The judgements per subtopic of the given rows of the qrels, renumbered 0, 1, ..."""
    first = np.searchsorted(subtopics.document, rows, "left")
    sizes = np.searchsorted(subtopics.document, rows, "right") - first
    document = np.repeat(np.arange(len(rows)), sizes)
    at = np.repeat(first - (np.cumsum(sizes) - sizes), sizes) + np.arange(len(document))
    return Subtopics(document, subtopics.subtopic[at], subtopics.rels[at], subtopics.names)


def only_run(run: Run, topics: Collection[bytes]) -> Run:
    """The results of these topics; input positions still count over the whole input."""
    kept, offsets, rows = _selection(run.topics, run.offsets, topics)
    return replace(
        run,
        topics=kept,
        offsets=offsets,
        docnos=run.docnos[rows],
        scores=run.scores[rows],
        ranks=None if run.ranks is None else run.ranks[rows],
        lines=run.lines[rows],
    )


def _selection(
    topics: tuple[bytes, ...], offsets: IntArray, wanted: Collection[bytes]
) -> tuple[tuple[bytes, ...], IntArray, IntArray]:
    kept = [i for i, topic in enumerate(topics) if topic in wanted]
    ranges = [np.arange(offsets[i], offsets[i + 1]) for i in kept]
    rows = np.concatenate(ranges) if ranges else np.zeros(0, np.int64)
    new_offsets = np.concatenate(([0], np.cumsum([len(r) for r in ranges], dtype=np.int64)))
    return tuple(topics[i] for i in kept), new_offsets, rows
