"""Judged parts of one run, and their combination into the run."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain
from operator import eq

import numpy as np
from msgspec import Struct

from crosscheck.model import IntArray
from crosscheck.rankings.judged import JudgedRankings
from crosscheck.rankings.pairing import JudgedPool, PooledJudgements
from crosscheck.rankings.spelling import Alike

__all__ = ["NotStreamable", "Part", "merged"]


class NotStreamable(Exception):
    """The run must be read as a whole."""


class Part(Struct, frozen=True, kw_only=True, eq=False):
    """Several whole topics of a run, judged.

    Attributes:
        topics: ids of the retrieved topics, judged or not; sizes: number of documents of each.
        judged: the judged rankings of those topics that are in the qrels, in the order of ``topics``.
        tag: run id on the last line.
        alike: a retrieved document that only looks like a judged one.
    """

    topics: tuple[bytes, ...]
    sizes: IntArray
    judged: JudgedRankings
    tag: bytes
    alike: Alike | None = None


def merged(parts: Iterable[Part], pool: JudgedPool) -> Part:
    """Parts of one run as one, topics in byte order.

    Raises:
        NotStreamable: a topic occurs in two parts, or there are no parts.
    """
    parts = list(parts)
    ids = list(chain.from_iterable(part.topics for part in parts))
    order = np.array(sorted(range(len(ids)), key=ids.__getitem__), np.int64)
    topics = tuple(map(ids.__getitem__, order.tolist()))
    if not parts or any(map(eq, topics, topics[1:])):
        raise NotStreamable
    in_qrels = pool.places(topics)
    number = np.empty(len(ids), np.int64)  # of each measured topic, in the order of the parts
    number[order] = np.where(in_qrels >= 0, np.cumsum(in_qrels >= 0) - 1, -1)
    number = number[number >= 0]
    return Part(
        topics=topics,
        sizes=np.concatenate([part.sizes for part in parts])[order],
        judged=_renumbered([part.judged for part in parts], number, pool.judgements(in_qrels[in_qrels >= 0])),
        tag=parts[-1].tag,
        alike=next((part.alike for part in parts if part.alike is not None), None),
    )


def _renumbered(
    parts: list[JudgedRankings], number: IntArray, judgements: PooledJudgements
) -> JudgedRankings:
    """The parts as one, with new numbers for the topics.

    Args:
        number: new number of each topic, in the order of the parts.
        judgements: judgements of all topics, used unless a convention changed the judgements of the parts.
    """
    before = np.cumsum([0, *(part.num_topics for part in parts)]).tolist()

    def column(name: str) -> IntArray:
        return np.concatenate([getattr(part, name) for part in parts])

    def topics(name: str) -> IntArray:
        shifted = [getattr(part, name) + base for part, base in zip(parts, before, strict=False)]
        renumbered: IntArray = number[np.concatenate(shifted)]
        return renumbered

    num_ret = np.empty_like(number)
    num_ret[number] = column("num_ret")
    topic = topics("topic")
    order = _stable_order(topic)
    pool_topic, pool_rel = judgements.topic, judgements.rel
    if not all(part.shares_judgements for part in parts):
        pool_topic = topics("pool_topic")
        pool_order = _stable_order(pool_topic)
        pool_topic, pool_rel = pool_topic[pool_order], column("pool_rel")[pool_order]
    in_groups = parts[0].tied is not None
    return JudgedRankings(
        num_topics=len(number),
        num_ret=num_ret,
        topic=topic[order],
        rank=column("rank")[order],
        rel=column("rel")[order],
        pool_topic=pool_topic,
        pool_rel=pool_rel,
        max_rel=parts[0].max_rel,
        tied_after=column("tied_after")[order] if in_groups else None,
        tied=column("tied")[order] if in_groups else None,
        judgements=judgements,
    )


def _stable_order(topic: IntArray) -> IntArray | slice:
    """Stable argsort by topic; slice(None) if already sorted."""
    if (topic[1:] >= topic[:-1]).all():
        return slice(None)
    return np.argsort(topic, kind="stable")
