"""Ids as machine words, so that whole columns are hashed and compared at once."""

from __future__ import annotations

from typing import cast

import numpy as np
import numpy.typing as npt

from crosscheck.model import IdArray, IntArray

__all__ = ["HashIndex", "WordArray", "folded", "hashed", "homes_within", "seeds", "sort_words"]

WordArray = npt.NDArray[np.uint64]

_MIX = np.uint64(0xD6E8FEB86659FD93)
_TOPIC = np.uint64(0x9E3779B97F4A7C15)
_SHIFT = np.uint64(32)
#: All bits but the one that letters of two cases, and a blank and the padding, differ in.
_CASELESS = np.uint64(0xDFDFDFDFDFDFDFDF)
#: Longer ids are hashed one by one; they are rare.
_WIDTH = 64
#: One odd factor per word of an id. The first is 1, so that short ids need no multiplication.
_FACTORS = [1, *(pow(0x9FB21C651E98DF25, power, 1 << 64) for power in range(1, _WIDTH // 8))]


def _native_words(ids: IdArray) -> WordArray:
    """Fixed-width ids as words in memory order, padded with zeros; a view if the width allows it."""
    words = max(1, -(-ids.dtype.itemsize // 8))
    padded = np.ascontiguousarray(ids, f"S{8 * words}")
    return padded.view(np.uint64).reshape(len(ids), words)


def sort_words(ids: IdArray) -> WordArray:
    """Ids as unsigned words whose numeric order, column by column, is the byte order of the ids.

    Args:
        ids: shape (n,), dtype ``S`` or ``O``; no id ends in a NUL byte (the readers reject NUL).

    Returns:
        shape (n, words); one column of dense ranks if the ids are Python objects.
    """
    if ids.dtype.kind == "O":
        _, dense = np.unique(ids, return_inverse=True)
        return cast(WordArray, dense.astype(np.uint64).reshape(-1, 1))
    return _native_words(ids).view(">u8").astype(np.uint64)


def folded(ids: IdArray) -> WordArray:
    """A 64-bit fold of each id, without the bit that letter case and blanks at the end make.

    Ids that differ in these alone give equal words, whatever the column's dtype, so that whoever looks for
    equal ids also meets those that only look alike, without a second search. Other ids rarely do.

    The words are the same in every process, because prepared judgements are sent to other processes.
    """
    if ids.dtype.kind != "S" or ids.dtype.itemsize > _WIDTH:
        from hashlib import blake2b

        short = [o if len(o) <= _WIDTH else blake2b(o.upper(), digest_size=8).digest() for o in ids.tolist()]
        ids = np.array(short, f"S{_WIDTH}")
    words = _native_words(ids)
    result = words[:, 0] & _CASELESS
    # A sum of products: the zero words of wider columns add nothing, so columns of any width give the same.
    for column in range(1, words.shape[1]):
        result += (words[:, column] & _CASELESS) * np.uint64(_FACTORS[column])
    return result


def seeds(topics: IntArray) -> WordArray:
    """For each topic, a word that makes the hashes of its ids."""
    return topics.astype(np.uint64) * _TOPIC


def hashed(ids: IdArray, seeds: WordArray) -> WordArray:
    """A 64-bit hash of each id with its seed; ids that look alike hash equally: see :func:`folded`."""
    result = folded(ids)
    result ^= seeds
    result *= _MIX
    result ^= result >> _SHIFT
    result *= _MIX
    return result


def homes_within(keys: WordArray, first: IntArray, count: IntArray) -> IntArray:
    """Start position of the search for each key; keys of one group have positions near each other.

    Args:
        first: number of indexed keys before the group of each key; count: number of indexed keys in the
            group.
    """
    # The upper half of the hash, scaled to four places per key of the group.
    place = (keys >> _SHIFT) * (4 * count).astype(np.uint64) >> _SHIFT
    homes: IntArray = place.view(np.int64) + 4 * first
    return homes


class HashIndex:
    """Positions of hashed keys, found for many keys at once (open addressing, vectorised)."""

    def __init__(self, keys: WordArray, homes: IntArray | None = None) -> None:
        """Build the index.

        Args:
            keys: the hashes to index.
            homes: start position of the search for each key, from 0 to below four times their number. It is
                fastest if keys that are looked up together have close homes. By default derived from the key
                alone.
        """
        self.keys = keys
        # Room after the last home for all keys.
        self._table = np.full(5 * len(keys) + 2, -1, np.int32)
        pending = np.arange(len(keys), dtype=np.int32)
        slot = self._anywhere(keys) if homes is None else homes
        while len(pending):
            free = self._table[slot] < 0
            self._table[slot[free]] = pending[free]
            left = self._table[slot] != pending
            pending, slot = pending[left], slot[left] + 1

    def _anywhere(self, keys: WordArray) -> IntArray:
        return homes_within(keys, np.zeros(1, np.int64), np.array([len(self.keys)]))

    def matches(self, keys: WordArray, homes: IntArray | None = None) -> tuple[IntArray, IntArray]:
        """All pairs (row of ``keys``, row of the indexed keys) whose hashes are equal.

        Args:
            homes: as given for the indexed keys.
        """
        rows: IntArray | None = None
        slot = self._anywhere(keys) if homes is None else homes
        found_rows: list[IntArray] = []
        found_entries: list[IntArray] = []
        while len(slot):
            entry = self._table.take(slot).astype(np.int64)
            occupied = np.flatnonzero(entry >= 0)
            rows = occupied if rows is None else rows.take(occupied)
            slot, entry = slot.take(occupied), entry.take(occupied)
            equal = np.flatnonzero(self.keys.take(entry) == keys.take(rows))
            found_rows.append(rows.take(equal))
            found_entries.append(entry.take(equal))
            # Continue after a hit: two different ids may share a hash, and the caller checks.
            slot = slot + 1
        if not found_rows:
            return np.zeros(0, np.int64), np.zeros(0, np.int64)
        return np.concatenate(found_rows), np.concatenate(found_entries)
