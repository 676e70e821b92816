"""Ids as text, for backends that take Python dicts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from crosscheck.model import Qrels, Run

__all__ = ["Texts", "as_texts", "decoded", "topic_rows"]


@dataclass(frozen=True, slots=True, eq=False)
class Texts:
    """Qrels and run as dicts of dicts, topics in byte order, documents in input order.

    Attributes:
        qrels: topic -> docno -> relevance level.
        run: topic -> docno -> score.
        topics: topic as text -> topic id, for every topic of either.
    """

    qrels: dict[str, dict[str, int]]
    run: dict[str, dict[str, float]]
    topics: dict[str, bytes]


def decoded(*ids: list[bytes]) -> tuple[list[str], ...]:
    """Lists of ids as text: UTF-8 if every one of them is that, else Latin-1 for all.

    Either way different ids stay different and text order is byte order (UTF-8 sorts by code point,
    Latin-1 is the bytes themselves), so tied documents keep their order. All lists share one encoding,
    or a docno outside ASCII would no longer match its judgement; and a lone surrogate, which some
    extensions cannot hold, never appears.
    """
    try:
        return tuple([i.decode("utf-8") for i in some] for some in ids)
    except UnicodeDecodeError:
        return tuple([i.decode("latin-1") for i in some] for some in ids)


def as_texts(qrels: Qrels, run: Run) -> Texts:
    """Qrels and run as dicts, ids as :func:`decoded`. Topics without a row are left out."""
    topics = sorted({*qrels.topics, *run.topics})
    names, judged, retrieved = decoded(topics, qrels.docnos.tolist(), run.docnos.tolist())
    text = dict(zip(topics, names, strict=True))
    rels, scores = qrels.rels.tolist(), run.scores.tolist()
    return Texts(
        {text[topic]: dict(zip(judged[i], rels[i], strict=True)) for topic, i in topic_rows(qrels)},
        {text[topic]: dict(zip(retrieved[i], scores[i], strict=True)) for topic, i in topic_rows(run)},
        dict(zip(names, topics, strict=True)),
    )


def topic_rows(records: Qrels | Run) -> Iterator[tuple[bytes, slice]]:
    """Each topic that has rows, in byte order, with the place of its rows."""
    for topic, (begin, end) in zip(records.topics, pairwise(records.offsets.tolist()), strict=True):
        if end > begin:
            yield topic, slice(begin, end)
