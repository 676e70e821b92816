"""Ids as text, for backends that take Python dicts."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np
from msgspec import Struct

from crosscheck.formats.dicts import qrels_to_dict, run_to_dict, text_encoding
from crosscheck.model import Needs, Qrels, Run, display

__all__ = [
    "Texts",
    "as_texts",
    "nested_qrels",
    "qrels_as_texts",
    "run_as_texts",
    "subtopic_rows",
    "topic_rows",
]


class Texts(Struct, frozen=True, eq=False):
    """Qrels and run as dicts of dicts, topics in byte order, documents in input order.

    Attributes:
        qrels: topic -> docno -> relevance level.
        run: topic -> docno -> score.
        topics: topic as text -> topic id, for every topic of qrels or run.
    """

    qrels: dict[str, dict[str, int]]
    run: dict[str, dict[str, float]]
    topics: dict[str, bytes]


def as_texts(qrels: Qrels, run: Run) -> Texts:
    """Qrels and run with ids as text in one encoding, under which tied documents keep their order.

    Lone surrogates, which some extensions cannot store, never occur. Topics without rows are left out.
    """
    encoding = text_encoding(qrels, run)
    topics = {topic.decode(encoding): topic for topic in sorted({*qrels.topics, *run.topics})}
    return Texts(qrels_as_texts(qrels, encoding), run_as_texts(run, encoding), topics)


def qrels_as_texts(qrels: Qrels, encoding: str) -> dict[str, dict[str, int]]:
    """The qrels of :func:`as_texts`."""
    return {topic: docs for topic, docs in qrels_to_dict(qrels, encoding).items() if docs}


def run_as_texts(run: Run, encoding: str) -> dict[str, dict[str, float]]:
    """The run of :func:`as_texts`."""
    return {topic: docs for topic, docs in run_to_dict(run, encoding).items() if docs}


def subtopic_rows(qrels: Qrels, run: Run) -> list[tuple[str, str, int, str]]:
    """Topic, docno, relevance level and subtopic of each judgement, with ids as in :func:`as_texts`.

    The rows are in the order of the subtopic numbers, so that numbering subtopics by first appearance gives
    the same numbers. For qrels without subtopics the subtopic is "0".
    """
    encoding = text_encoding(qrels, run)
    topics = qrels.topic_numbers.tolist()
    names = [topic.decode(encoding) for topic in qrels.topics]
    docnos = [docno.decode(encoding) for docno in qrels.docnos.tolist()]
    if qrels.subtopics is None:
        rows = zip(range(len(docnos)), qrels.rels.tolist(), ["0"] * len(docnos), strict=True)
    else:
        held = qrels.subtopics
        order = np.argsort(held.subtopic, kind="stable")
        called = [display(held.names[number]) for number in held.subtopic[order].tolist()]
        rows = zip(held.document[order].tolist(), held.rels[order].tolist(), called, strict=True)
    return [(names[topics[row]], docnos[row], level, subtopic) for row, level, subtopic in rows]


def nested_qrels(qrels: Qrels, run: Run, needs: Needs) -> dict[str, dict[str, Any]]:
    """Judgements as nested dicts, with ids and subtopics as in :func:`subtopic_rows`.

    ``levels``: topic -> docno -> relevance level. ``subtopics``: topic -> subtopic -> docno -> level.
    ``preferences``: topic -> group -> subgroup -> docno -> level of preference; for qrels without preferences
    the group is "" and the subgroups are the subtopics.
    """
    judged: dict[str, dict[str, Any]] = {}
    held = qrels.preferences
    if needs == "levels":
        return {**qrels_as_texts(qrels, text_encoding(qrels, run))}
    if needs == "subtopics" or held is None:
        for topic, docno, level, subtopic in subtopic_rows(qrels, run):
            judged.setdefault(topic, {}).setdefault(subtopic, {})[docno] = level
        return judged if needs == "subtopics" else {topic: {"": groups} for topic, groups in judged.items()}
    encoding = text_encoding(qrels, run)
    topics = [topic.decode(encoding) for topic in qrels.topics]
    topic_of = qrels.topic_numbers[held.document].tolist()
    columns = [column.tolist() for column in (held.document, held.group, held.subgroup, held.level)]
    for number, document, group, subgroup, level in zip(topic_of, *columns, strict=True):
        groups = judged.setdefault(topics[number], {}).setdefault(display(group), {})
        groups.setdefault(display(subgroup), {})[qrels.docnos[document].decode(encoding)] = level
    return judged


def topic_rows(records: Qrels | Run) -> Iterator[tuple[bytes, slice]]:
    """Each topic that has rows, in byte order, with the range of its rows."""
    for topic, (begin, end) in zip(records.topics, pairwise(records.offsets.tolist()), strict=True):
        if end > begin:
            yield topic, slice(begin, end)
