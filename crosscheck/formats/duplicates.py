"""Finding a document that occurs twice under one topic."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from crosscheck.model import IdArray, IntArray

__all__ = ["find_duplicate"]

#: Rows per block, so that their hashes stay in the processor's cache while they are sorted.
_ROWS = 1 << 14
_MIX = np.uint64(0xD6E8FEB86659FD93)
_TOPIC = np.uint64(0x9E3779B97F4A7C15)


def find_duplicate(docnos: IdArray, offsets: IntArray) -> tuple[int, int] | None:
    """The first row whose docno occurs earlier under its topic, and that earlier row.

    Args:
        docnos: shape (rows,), grouped by topic.
        offsets: shape (topics + 1,); the rows of topic ``i`` are ``offsets[i]:offsets[i + 1]``.

    Returns:
        ``(earlier row, later row)``, or None if no docno repeats within a topic. Of several duplicates, the
            one whose later row comes first.
    """
    for topic, end in _groups_of_topics(offsets):
        bounds = offsets[topic : end + 1]
        if docnos.dtype.kind == "O" or _hashes_repeat(docnos[bounds[0] : bounds[-1]], np.diff(bounds)):
            for start, stop in zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True):
                if pair := _first_repeated(docnos[start:stop].tolist()):
                    return start + pair[0], start + pair[1]
    return None


def _groups_of_topics(offsets: IntArray) -> Iterator[tuple[int, int]]:
    """Ranges of topics with about ``_ROWS`` rows each, at least one topic."""
    topic = 0
    while topic < len(offsets) - 1:
        end = int(np.searchsorted(offsets, offsets[topic] + _ROWS, "right")) - 1
        end = max(end, topic + 1)
        yield topic, end
        topic = end


def _hashes_repeat(docnos: IdArray, rows: IntArray) -> bool:
    """Whether two rows may hold the same (topic, docno); only False is certain."""
    topic = np.arange(len(rows), dtype=np.uint64) * _TOPIC
    hashes: npt.NDArray[np.uint64] = np.repeat(topic, rows)
    words = -(-docnos.dtype.itemsize // 8)
    columns = np.ascontiguousarray(docnos, f"S{8 * words}").view(np.uint64).reshape(-1, words)
    for word in range(words):
        hashes ^= columns[:, word]
        hashes *= _MIX
        hashes ^= hashes >> np.uint64(32)
    hashes.sort()
    return bool((hashes[1:] == hashes[:-1]).any())


def _first_repeated(docnos: list[bytes]) -> tuple[int, int] | None:
    seen: dict[bytes, int] = {}
    for row, docno in enumerate(docnos):
        if seen.setdefault(docno, row) != row:
            return seen[docno], row
    return None
