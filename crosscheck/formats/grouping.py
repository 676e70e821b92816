"""Columns of parsed lines, and their grouping into a run or qrels: by topic, topics in byte order."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain
from typing import TypeVar

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from crosscheck.model import FloatArray, IdArray, IntArray

__all__ = ["Grouping", "QrelsBlock", "RunBlock", "group", "group_blocks", "identifiers", "joined"]

_Scalar = TypeVar("_Scalar", bound=np.generic)

#: Longer ids are kept as Python objects, so that a single one does not widen the whole column.
LONGEST_FIXED_ID = 64


class RunBlock(Struct, frozen=True, kw_only=True, eq=False):
    """Consecutive lines of a run as columns.

    Attributes:
        starts: rows at which another topic begins; the first is 0.
        topics: topic id at each of ``starts``; a topic may occur again later.
        docnos, scores: one element per row.
        ranks: the rank column, or None if some rank is not an integer.
        odd_rank: line number and text of the first rank that is not an integer, or None.
        tag: run id on the last line.
        lines: line number of each row in the file, counted from 1.
        tags: the run ids of all lines, each once, if they were requested.
    """

    starts: IntArray
    topics: Sequence[bytes]
    docnos: IdArray
    scores: FloatArray
    ranks: IntArray | None
    odd_rank: tuple[int, bytes] | None
    tag: bytes
    lines: Sequence[int]
    tags: tuple[bytes, ...] = ()


class QrelsBlock(Struct, frozen=True, kw_only=True, eq=False):
    """Consecutive lines of qrels as columns, as in :class:`RunBlock`, with relevance levels.

    Attributes:
        subtopics: the second column, None if it was not requested.
    """

    starts: IntArray
    topics: Sequence[bytes]
    docnos: IdArray
    rels: IntArray
    lines: Sequence[int]
    subtopics: IdArray | None = None


class Grouping(Struct, frozen=True, kw_only=True, eq=False):
    """The permutation of rows from input order to rows grouped by topic.

    Attributes:
        topics: topic ids in byte order, each once.
        offsets: the rows of topic ``i`` are ``offsets[i]:offsets[i + 1]`` after grouping.
        order: input position of each grouped row; input order inside a topic.
        grouped: whether the input was already in this order.
    """

    topics: tuple[bytes, ...]
    offsets: IntArray
    order: IntArray
    grouped: bool

    def apply(self, column: npt.NDArray[_Scalar]) -> npt.NDArray[_Scalar]:
        """A column in input order, brought into grouped order."""
        if self.grouped:
            return column
        if column.dtype.kind == "S" and column.dtype.itemsize % 8 == 0:
            # Moving whole words is several times faster than moving byte strings.
            words = column.view(np.uint64).reshape(len(column), -1)
            return words.take(self.order, axis=0).view(column.dtype).ravel()
        return column.take(self.order)


def group(starts: IntArray, topics: Iterable[bytes], rows: int) -> Grouping:
    """Group rows by topic, from the rows at which the topic changes.

    Args:
        starts: rows at which another topic may begin, ascending, the first 0.
        topics: topic id at each of ``starts``; ids may repeat.
        rows: number of rows, at least 1.
    """
    given = list(topics)
    in_byte_order = sorted(set(given))
    number = {topic: i for i, topic in enumerate(in_byte_order)}
    topic = np.fromiter(map(number.__getitem__, given), np.int64, len(starts))
    length = np.diff(starts, append=rows)
    sizes = np.zeros(len(number), np.int64)
    np.add.at(sizes, topic, length)
    offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes)])
    if (topic[1:] >= topic[:-1]).all():
        return Grouping(topics=tuple(in_byte_order), offsets=offsets, order=np.arange(rows), grouped=True)
    by_topic = np.argsort(topic, kind="stable")
    order = _ranges(starts[by_topic], length[by_topic])
    return Grouping(topics=tuple(in_byte_order), offsets=offsets, order=order, grouped=False)


def _ranges(starts: IntArray, lengths: IntArray) -> IntArray:
    """The integers ``start, start + 1, ...`` of each range, one range after the other."""
    before = np.cumsum(lengths) - lengths
    result: IntArray = np.repeat(starts - before, lengths)
    result += np.arange(len(result))
    return result


def group_blocks(blocks: Sequence[RunBlock | QrelsBlock]) -> Grouping:
    """Group the rows of blocks that follow each other in a file."""
    before = np.cumsum([0, *(len(block.docnos) for block in blocks)])
    starts = [b.starts + base for b, base in zip(blocks, before.tolist(), strict=False)]
    topics = chain.from_iterable(block.topics for block in blocks)
    return group(np.concatenate(starts), topics, int(before[-1]))


def joined(columns: Sequence[npt.NDArray[_Scalar]]) -> npt.NDArray[_Scalar]:
    """Columns one after the other; ids take the widest width."""
    return columns[0] if len(columns) == 1 else np.concatenate(columns)


def identifiers(ids: Sequence[bytes]) -> IdArray:
    """Ids as an array: fixed width, a multiple of 8 bytes, or objects if one is longer than 64 bytes."""
    longest = max(map(len, ids), default=0)
    if longest > LONGEST_FIXED_ID:
        return np.array(ids, object)
    return np.array(ids, f"S{max(8, -(-longest // 8) * 8)}")
