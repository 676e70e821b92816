"""Ids as machine words, so that whole columns are hashed and compared at once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import NamedTuple, cast

import numpy as np
import numpy.typing as npt

from crosscheck.axes.ids import Ids
from crosscheck.errors import quoted
from crosscheck.formats.source import BOM
from crosscheck.model import DocumentRows, IdArray, IntArray

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


#: How ids differ that look alike.
_WAYS = {Ids.STRIP: "blanks around it", Ids.CASE: "letter case", Ids.INT: "leading zeros or a sign"}
#: Documents that are looked at where each costs time: of a larger run these are not all.
_WALKED = 1 << 12


class Alike(NamedTuple):
    """An id of a run, and the id of the qrels that it looks like."""

    retrieved: bytes
    judged: bytes


def alike(pairs: Iterable[tuple[bytes, bytes]]) -> Alike | None:
    """The first of some pairs (id of a run, id of the qrels) that look alike; None if there is none."""
    return next((Alike(*pair) for pair in pairs if _loose(pair[0]) == _loose(pair[1])), None)


def alike_in_dicts(
    judged: Sequence[Mapping[str, object]], retrieved: Sequence[Mapping[str, object]]
) -> Alike | None:
    """A retrieved document that looks like a judged one of its topic that was not retrieved.

    Args:
        judged, retrieved: documents of each topic; of a large run only some are looked at.
    """
    step = 1 + sum(map(len, retrieved)) // _WALKED
    return alike(_pairs_of_dicts(judged[::step], retrieved[::step]))


def _pairs_of_dicts(
    judged: Sequence[Mapping[str, object]], retrieved: Sequence[Mapping[str, object]]
) -> Iterator[tuple[bytes, bytes]]:
    for known, found in zip(judged, retrieved, strict=True):
        missing, some = [docno for docno in known if docno not in found], list(islice(found, _WALKED))
        spelt, forms = dict(zip(_folded(missing), missing, strict=True)), _folded(some)
        if not spelt.keys().isdisjoint(forms):
            pairs = zip(some, map(spelt.get, forms), strict=True)
            yield from ((_bytes(a), _bytes(b)) for a, b in pairs if b is not None and a not in known)


def _folded(docnos: Sequence[str]) -> list[str]:
    """Ids in lower case and without blanks around them, made of one text because this is fastest."""
    text = "\0".join(docnos).lower()
    ids = text.split("\0") if docnos else []
    return ids if text.split(maxsplit=1) in ([], [text]) else [id.strip() for id in ids]


def _bytes(docno: str) -> bytes:
    return docno.encode("utf-8", "surrogatepass")


def is_padded(table: DocumentRows) -> bool:
    """Whether docnos begin with a blank; in a large table, that of the first document of a topic.

    No such docno can stand in a file of lines, so it is one of a dict or a frame, where most are like it.
    """
    docnos = table.docnos if len(table.docnos) <= _WALKED else table.docnos[table.offsets[:-1]]
    return bool((docnos.astype("S1") <= b" ").any())


def spelling_notes(
    run: str, run_topics: Sequence[bytes], qrels: str, qrels_topics: Sequence[bytes], docnos: Alike | None
) -> tuple[str, ...]:
    """Sentences about topics that begin with a byte order mark, and about ids that look alike.

    Args:
        run, qrels: their names.
        docnos: a document of the run that looks like a judged one.
    """
    known, found = set(qrels_topics), set(run_topics)
    missing = {_loose(topic): topic for topic in qrels_topics if topic not in found}
    beside = [topic for topic in run_topics if topic not in known] if missing else []
    topics = alike((topic, missing.get(_loose(topic), b"")) for topic in beside if not _marked(topic))
    notes = [
        f"{_name(name)}: topic {quoted(topic)} begins with a byte order mark, which is a part of the id"
        for name, each in ((qrels, qrels_topics), (run, run_topics))
        for topic in each
        if _marked(topic)
    ]
    for one, noun in (topics, "topics"), (docnos, "documents"):
        if one is not None and not _marked(one.judged):
            way = next((words for ids, words in _WAYS.items() if _same(ids, one)), "letter case and blanks")
            notes.append(
                f"{noun} of {_name(run)} are not found in {_name(qrels)} for the spelling alone, such as "
                f"{quoted(one.retrieved)}, which differs from {quoted(one.judged)} in {way}"
            )
    return tuple(notes)


def _loose(id: bytes) -> bytes:
    """The form that ids have in common if they look alike."""
    for ids in _WAYS:
        id = ids.normalised(id)
    return id


def _same(ids: Ids, one: Alike) -> bool:
    return ids.normalised(one.retrieved) == ids.normalised(one.judged)


def _marked(topic: bytes) -> bool:
    return topic.startswith(BOM)


def _name(source: str) -> str:
    return quoted(source, 4096)[1:-1]
