"""Runs and qrels restricted to some of their topics."""

from __future__ import annotations

from collections.abc import Collection
from typing import TypedDict

import numpy as np
from msgspec.structs import replace

from crosscheck.model import IntArray, Preferences, Qrels, Run, Subtopics

__all__ = ["by_group", "detail_of", "only_qrels", "only_run", "only_subtopics"]


def only_qrels(qrels: Qrels, topics: Collection[bytes]) -> Qrels:
    """The judgements of these topics."""
    kept, offsets, rows = _selection(qrels.topics, qrels.offsets, topics)
    return replace(
        qrels,
        topics=kept,
        offsets=offsets,
        docnos=qrels.docnos[rows],
        rels=qrels.rels[rows],
        **detail_of(qrels, rows),
    )


class Detail(TypedDict):
    """Judgements beyond one level per document."""

    subtopics: Subtopics | None
    preferences: Preferences | None


def detail_of(qrels: Qrels, rows: IntArray) -> Detail:
    """The judgements per subtopic and the preferences of some rows, which become the rows 0, 1, ..."""
    subtopics, preferences = qrels.subtopics, qrels.preferences
    return {
        "subtopics": None if subtopics is None else only_subtopics(subtopics, rows),
        "preferences": None if preferences is None else only_preferences(preferences, rows),
    }


def only_subtopics(subtopics: Subtopics, rows: IntArray) -> Subtopics:
    """The judgements per subtopic of the given rows of the qrels, renumbered 0, 1, ..."""
    document, at = _entries(subtopics.document, rows)
    return Subtopics(
        document=document, subtopic=subtopics.subtopic[at], rels=subtopics.rels[at], names=subtopics.names
    )


def only_preferences(preferences: Preferences, rows: IntArray) -> Preferences:
    """The preferences between some rows of the qrels, which become the rows 0, 1, ..."""
    document, at = _entries(preferences.document, rows)
    return Preferences(
        document=document,
        group=preferences.group[at],
        subgroup=preferences.subgroup[at],
        level=preferences.level[at],
    )


def _entries(document: IntArray, rows: IntArray) -> tuple[IntArray, IntArray]:
    """The entries of some documents: for each entry, the new number of its document, and its index."""
    first = np.searchsorted(document, rows, "left")
    sizes = np.searchsorted(document, rows, "right") - first
    number = np.repeat(np.arange(len(rows)), sizes)
    return number, np.repeat(first - (np.cumsum(sizes) - sizes), sizes) + np.arange(len(number))


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


def by_group(qrels: Qrels) -> list[Qrels]:
    """The judgements of the first group of each topic (in byte order of the names of its groups), then those
    of the second group of the topics that have two, and so on; empty if the qrels hold no groups."""
    held = qrels.subtopics
    if held is None:
        return []
    topic = np.searchsorted(qrels.offsets, held.document, "right") - 1
    by_name = np.argsort(np.argsort(np.array(held.names, object)))[held.subtopic]
    _, first, of_entry = np.unique(topic * len(held.names) + by_name, return_index=True, return_inverse=True)
    of_topic = topic[first]
    nth = (np.arange(len(first)) - np.searchsorted(of_topic, of_topic))[of_entry]
    return [_part(qrels, held, topic, np.flatnonzero(nth == n)) for n in range(int(nth.max()) + 1)]


def _part(qrels: Qrels, held: Subtopics, topic: IntArray, entries: IntArray) -> Qrels:
    """Some judgements per subtopic as qrels with one level per document."""
    numbers, sizes = np.unique(topic[entries], return_counts=True)
    return Qrels(
        topics=tuple(qrels.topics[i] for i in numbers.tolist()),
        offsets=np.append(0, np.cumsum(sizes)),
        docnos=qrels.docnos[held.document[entries]],
        rels=held.rels[entries],
        source=qrels.source,
    )


def _selection(
    topics: tuple[bytes, ...], offsets: IntArray, wanted: Collection[bytes]
) -> tuple[tuple[bytes, ...], IntArray, IntArray]:
    kept = [i for i, topic in enumerate(topics) if topic in wanted]
    ranges = [np.arange(offsets[i], offsets[i + 1]) for i in kept]
    rows = np.concatenate(ranges) if ranges else np.zeros(0, np.int64)
    new_offsets = np.concatenate(([0], np.cumsum([len(r) for r in ranges], dtype=np.int64)))
    return tuple(topics[i] for i in kept), new_offsets, rows
