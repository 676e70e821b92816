"""Ids as machine words, so that whole columns are hashed and compared at once."""

from __future__ import annotations

from typing import cast

import numpy as np
import numpy.typing as npt

from crosscheck.model import IdArray, IntArray

__all__ = ["HashIndex", "WordArray", "hashed", "sort_words"]

WordArray = npt.NDArray[np.uint64]

_MIX = np.uint64(0xD6E8FEB86659FD93)
_TOPIC = np.uint64(0x9E3779B97F4A7C15)
_SHIFT = np.uint64(32)
#: Longer ids are hashed one by one; they are rare.
_WIDTH = 64


def sort_words(ids: IdArray) -> WordArray:
    """Ids as unsigned words whose numeric order, column by column, is the byte order of the ids.

    Args:
        ids: shape (n,), dtype ``S`` or ``O``; no id ends in a NUL byte (the readers reject NUL).

    Returns:
        shape (n, words); one column of dense ranks where the ids are Python objects.
    """
    if ids.dtype.kind == "O":
        _, dense = np.unique(ids, return_inverse=True)
        return cast(WordArray, dense.astype(np.uint64).reshape(-1, 1))
    words = max(1, -(-ids.dtype.itemsize // 8))
    padded = np.ascontiguousarray(ids.astype(f"S{8 * words}"))
    return padded.view(">u8").reshape(len(ids), words).astype(np.uint64)


def hashed(ids: IdArray, topics: IntArray) -> WordArray:
    """A 64-bit hash of each (topic, id) pair; equal pairs hash equally whatever the column's dtype."""
    if ids.dtype.kind == "S" and ids.dtype.itemsize <= _WIDTH:
        return _hashed_words(ids, topics)
    objects = ids.tolist()
    result = _hashed_words(np.array([o if len(o) <= _WIDTH else b"" for o in objects], f"S{_WIDTH}"), topics)
    for row in [row for row, o in enumerate(objects) if len(o) > _WIDTH]:
        result[row] ^= np.uint64(hash(objects[row]) & 0xFFFFFFFFFFFFFFFF)
    return result


def _hashed_words(ids: IdArray, topics: IntArray) -> WordArray:
    result = topics.astype(np.uint64)
    result += np.uint64(1)
    result *= _TOPIC
    # Padding words are zero and must not count, or columns of different width would never meet.
    words = sort_words(ids)
    for column in range(words.shape[1]):
        word = words[:, column]
        mixed = (result ^ word) * _MIX
        mixed ^= mixed >> _SHIFT
        result = mixed if column == 0 else np.where(word == 0, result, mixed)
    return result * _MIX


class HashIndex:
    """Positions of hashed keys, found for many keys at once (open addressing, vectorised)."""

    def __init__(self, keys: WordArray) -> None:
        self.keys = keys
        self._bits = max(4, int(2 * len(keys)).bit_length())
        self._mask = (1 << self._bits) - 1
        self._table = np.full(1 << self._bits, -1, np.int32)
        pending = np.arange(len(keys), dtype=np.int32)
        slot = self._home(keys)
        while len(pending):
            free = self._table[slot] < 0
            self._table[slot[free]] = pending[free]
            left = self._table[slot] != pending
            pending, slot = pending[left], (slot[left] + 1) & self._mask

    def _home(self, keys: WordArray) -> IntArray:
        return (keys >> np.uint64(64 - self._bits)).astype(np.int64)

    def matches(self, keys: WordArray) -> tuple[IntArray, IntArray]:
        """All pairs (row of ``keys``, row of the indexed keys) whose hashes are equal."""
        rows = np.arange(len(keys), dtype=np.int64)
        slot = self._home(keys)
        found_rows: list[IntArray] = []
        found_entries: list[IntArray] = []
        while len(rows):
            entry = self._table[slot]
            occupied = np.flatnonzero(entry >= 0)
            rows, slot, entry = rows[occupied], slot[occupied], entry[occupied]
            equal = np.flatnonzero(self.keys[entry] == keys[rows])
            found_rows.append(rows[equal])
            found_entries.append(entry[equal].astype(np.int64))
            # Go on behind a hit as well: two different ids may share a hash, and the caller checks.
            slot = (slot + 1) & self._mask
        if not found_rows:
            return np.zeros(0, np.int64), np.zeros(0, np.int64)
        return np.concatenate(found_rows), np.concatenate(found_entries)
