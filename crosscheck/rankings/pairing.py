"""The join of a run with its qrels, which finds the judged rows of the run. The join does not depend on
conventions.

:class:`Memo` caches results computed from the join, here and in later stages.
"""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from itertools import chain, islice, pairwise, repeat
from typing import Any, NamedTuple, TypeAlias, TypeVar

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from crosscheck.axes.ids import Ids
from crosscheck.errors import InputError, count, quoted, safe_text, warn
from crosscheck.formats.forms import named
from crosscheck.formats.grouping import WordArray, folded, hashed, ranges, seeds, sort_words
from crosscheck.formats.source import BOM
from crosscheck.model import BoolArray, DocumentRows, IntArray, Preferences, Qrels, Run, Subtopics, display
from crosscheck.rankings.changed_inputs import only_detail
from crosscheck.rankings.sorts import text_of


def homes_within(keys: WordArray, first: IntArray, count: IntArray) -> IntArray:
    """For each key, the position in a :class:`HashIndex` at which the search for the key starts. Keys of one
    group (a topic) start near each other.

    Args:
        keys: the hashes.
        first: for each key, the number of indexed keys before its group.
        count: for each key, the number of indexed keys in its group.
    """
    # The upper half of the hash, scaled to four places per key of the group.
    return ((keys >> 32) * (4 * count).astype(np.uint64) >> 32).view(np.int64) + 4 * first


class HashIndex:
    """A hash table with open addressing, in which many keys are looked up at once."""

    def __init__(self, keys: WordArray, homes: IntArray) -> None:
        """Build the index.

        Args:
            keys: the hashes to index.
            homes: for each key, the position at which the search for the key starts: from 0 to below four
                times the number of keys. Lookups are fastest if keys that are looked up together have near
                positions.
        """
        self.keys = keys
        # There is room for all keys after the last start position.
        self._table = np.full(5 * len(keys) + 2, -1, np.int32)
        pending = np.arange(len(keys), dtype=np.int32)
        slot = homes
        while len(pending):
            free = self._table[slot] < 0
            self._table[slot[free]] = pending[free]
            left = self._table[slot] != pending
            pending, slot = pending[left], slot[left] + 1

    def matches(self, keys: WordArray, homes: IntArray) -> tuple[IntArray, IntArray]:
        """Find all pairs of a row of ``keys`` and a row of the indexed keys with equal hashes.

        Args:
            homes: for each of ``keys``, the position at which the search starts.
        """
        rows, slot = np.arange(len(keys)), homes
        found_rows, found_entries = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
        while len(slot):
            entry = self._table.take(slot).astype(np.int64)
            occupied = np.flatnonzero(entry >= 0)
            rows, slot, entry = rows.take(occupied), slot.take(occupied), entry.take(occupied)
            equal = np.flatnonzero(self.keys.take(entry) == keys.take(rows))
            found_rows.append(rows.take(equal))
            found_entries.append(entry.take(equal))
            # Continue after a hit, because different ids may share a hash. The caller compares the ids.
            slot = slot + 1
        return np.concatenate(found_rows), np.concatenate(found_entries)


#: Normal form of ids -> the difference in spelling that it removes, in words.
_WAYS = {Ids.STRIP: "blanks around it", Ids.CASE: "letter case", Ids.INT: "leading zeros or a sign"}
#: A docno without a path before it and an extension behind it.
_STEM = re.compile(rb"(?:.*/)?(.+?)(?:\.[A-Za-z]\w{1,4})?", re.DOTALL)
#: Most documents that are checked where a check takes long. Of a larger run a sample is checked.
_WALKED = 1 << 12


class Alike(NamedTuple):
    """An id of a run and an id of the qrels that differ only in spelling."""

    retrieved: bytes
    judged: bytes


def alike(pairs: Iterable[tuple[bytes, bytes]]) -> Alike | None:
    """The first pair (id of a run, id of the qrels) whose ids differ only in spelling; None if there is
    none."""
    return next((Alike(*pair) for pair in pairs if _loose(pair[0]) == _loose(pair[1])), None)


def compared(retrieved: Sequence[bytes], judged: Sequence[bytes]) -> Alike | None:
    """Two documents that show why none is judged: a retrieved and a judged one that are the same, so that the
    ranking was cut above it, or are alike but for leading zeros, a path or an extension; the first of each if
    there are none; None if a side is empty."""
    for form in bytes, _loose, _stem:
        forms = {form(docno): docno for docno in judged}
        if pair := next((Alike(id, forms[form(id)]) for id in retrieved if form(id) in forms), None):
            return pair
    return Alike(retrieved[0], judged[0]) if retrieved and judged else None


#: For each topic, a dict whose keys are docnos.
_Dicts: TypeAlias = Sequence[Mapping[str, object]]


def alike_in_dicts(judged: _Dicts, retrieved: _Dicts) -> Alike | None:
    """A retrieved, unjudged docno and a judged docno of the same topic that was not retrieved, which differ
    only in spelling; None if there are none.

    Args:
        judged, retrieved: the documents of each topic. Of a large run only a sample is checked.
    """
    step = 1 + sum(map(len, retrieved)) // _WALKED
    return alike(_pairs_of_dicts(judged[::step], retrieved[::step]))


def _pairs_of_dicts(judged: _Dicts, retrieved: _Dicts) -> Iterator[tuple[bytes, bytes]]:
    for judgements, documents in zip(judged, retrieved, strict=True):
        missing = [docno for docno in judgements if docno not in documents]
        some = list(islice(documents, _WALKED))
        spelt, forms = dict(zip(_folded(missing), missing, strict=True)), _folded(some)
        if not spelt.keys().isdisjoint(forms):
            pairs = zip(some, map(spelt.get, forms), strict=True)
            yield from ((_bytes(a), _bytes(b)) for a, b in pairs if b is not None and a not in judgements)


def _folded(docnos: Sequence[str]) -> list[str]:
    """The ids in lower case, with composed letters, and without blanks around them. All ids are converted in
    one text, for speed."""
    text = unicodedata.normalize("NFC", "\0".join(docnos).lower())
    ids = text.split("\0") if docnos else []
    return ids if text.split(maxsplit=1) in ([], [text]) else [id.strip() for id in ids]


def _beyond_ascii(ids: Any) -> BoolArray:
    """Mask of the ids, an array of bytes, that have bytes beyond ASCII."""
    if ids.dtype.kind == "S" and np.ascontiguousarray(ids).view(np.uint8).max(initial=0) < 128:
        return np.zeros(len(ids), np.bool_)
    return ~np.fromiter(map(bytes.isascii, ids.tolist()), np.bool_, len(ids))


def _bytes(docno: str) -> bytes:
    return docno.encode("utf-8", "surrogatepass")


def is_padded(table: DocumentRows) -> bool:
    """Whether a docno begins with a blank. Of a large table only the first document of each topic is checked.

    Docnos with blanks cannot come from lines of text. They come from a dict or a frame, where usually all
    docnos have blanks.
    """
    docnos = table.docnos if len(table.docnos) <= _WALKED else table.docnos[table.offsets[:-1]]
    return bool((docnos.astype("S1") <= b" ").any())


def spelling_notes(
    run: tuple[str, Sequence[bytes]], qrels: tuple[str, Sequence[bytes]], docnos: Alike | None, shared: int
) -> tuple[str, ...]:
    """Sentences about topics that begin with a byte order mark, about ids that look alike, about topics of
    each side that the other lacks, where they are of another form, and about a run without judged documents.

    Args:
        run, qrels: name and topic ids of the run and of the qrels.
        docnos: a document of the run that looks like a judged document; any two (see :func:`compared`) if no
            document is judged, which are the same if the run has judged documents that were cut; or None.
        shared: the number of judged documents in the run.
    """
    (of_run, run_topics), (of_qrels, qrels_topics) = ((_name(name), topics) for name, topics in (run, qrels))
    judged_topics, retrieved_topics = set(qrels_topics), set(run_topics)
    beside = [topic for topic in run_topics if topic not in judged_topics]
    lacking = [topic for topic in qrels_topics if topic not in retrieved_topics] if beside else []
    missing = {_loose(topic): topic for topic in lacking}
    beside = beside if lacking else []
    topics = alike((topic, missing.get(_loose(topic), b"")) for topic in beside if not _marked(topic))
    notes = [
        f"{name}: topic {quoted(topic)} begins with a byte order mark, which is read as part of the id"
        for name, each in ((of_qrels, qrels_topics), (of_run, run_topics))
        for topic in each
        if _marked(topic)
    ]
    if docnos is not None and docnos.retrieved == docnos.judged:
        docnos, shared = None, 1
    common = bool(judged_topics & retrieved_topics)
    known = set(map(_characters, qrels_topics)) if beside and common and not topics and not notes else set()
    if known and (odd := next((topic for topic in beside if _characters(topic) not in known), None)):
        judged, others = count(len(judged_topics), "judged query"), count(len(beside), "query")
        notes.append(
            f"{of_run} has no results for {len(lacking)} of {judged}, such as {quoted(lacking[0])}, and "
            f"results for {others} without judgements, such as {quoted(odd)}"
        )
    for one, noun in (topics, "topics"), (docnos, "documents"):
        if one is not None and not _marked(one.judged) and (way := _way(one)):
            notes.append(
                f"{noun} of {of_run} and {of_qrels} differ only in spelling, such as {quoted(one.retrieved)},"
                f" which differs from {quoted(one.judged)} in {way}"
            )
    if notes or shared or not judged_topics or not retrieved_topics:
        return tuple(notes)
    if common:
        examples = "; judged are such as ".join([] if docnos is None else map(quoted, docnos))
        said = f"no document of {of_run} is judged in {of_qrels} for its topic"
        return (f"{said}, such as {examples}" if examples else said,)
    first = f"their first topics are {quoted(run_topics[0])} and {quoted(qrels_topics[0])}"
    return (f"no topic of {of_run} is judged in {of_qrels}: {first}",)


def _loose(id: bytes) -> bytes:
    """The normal form of an id. Ids that differ only in spelling have the same normal form."""
    id = _composed(id)
    for ids in _WAYS:
        id = ids.normalised(id)
    return id


def _composed(id: bytes) -> bytes:
    """An id in UTF-8 with composed letters (NFC); what is no UTF-8 is read as Latin-1."""
    if id.isascii():
        return id
    with suppress(UnicodeDecodeError):
        return unicodedata.normalize("NFC", id.decode()).encode()
    return id.decode("latin-1").encode()


def _characters(id: bytes) -> frozenset[int]:
    """The form of an id: the characters in it, where all letters are one, and all digits."""
    return frozenset(re.sub(rb"[0-9]", b"0", re.sub(rb"[A-Za-z\x80-\xff]", b"a", id)))


def _stem(docno: bytes) -> bytes:
    whole = _STEM.fullmatch(docno)
    return whole[1] if whole else docno


def _way(one: Alike) -> str:
    """The difference in spelling of two ids, in words; empty if they differ in more than spelling."""
    for ids, words in _WAYS.items():
        if ids.normalised(one.retrieved) == ids.normalised(one.judged):
            return words
    if _composed(one.retrieved) == _composed(one.judged):
        return "the encoding of letters (Latin-1, or composed and decomposed Unicode)"
    if _loose(one.retrieved) == _loose(one.judged):
        return "letter case and blanks"
    return "a path or an extension" if _stem(one.retrieved) == _stem(one.judged) else ""


def _marked(topic: bytes) -> bool:
    return topic.startswith(BOM)


def _name(source: str) -> str:
    return safe_text(source, 4096)


_T = TypeVar("_T")

#: Marks the absence of a result, because None may be a result.
_NOTHING: Any = object()


class Memo:
    """A cache of results. Each result is computed once and then shared, so callers must not change it.

    The key of a result must include everything on which the result depends. Of the conventions, these are the
    axes of all stages up to the stage of the result, such as ``conventions.of(Stage.READ, Stage.ORDER)``.

    Args:
        most: number of results that are kept (those used last); None to keep all. A search uses thousands of
            sets of conventions, whose rankings together are many times as large as the input.
    """

    __slots__ = ("_kept", "_most")

    def __init__(self, most: int | None = None) -> None:
        self._kept: dict[Hashable, Any] = {}
        self._most = most

    def once(self, key: Hashable, find: Callable[[], _T]) -> _T:
        """The result with this key. At the first request ``find`` computes it."""
        result: _T = self._kept.get(key, _NOTHING)
        if result is _NOTHING:
            result = _locked(find())
            self.keep(key, result)
        elif self._most is not None:
            self._kept[key] = self._kept.pop(key)
        return result

    def once_keep_latest(self, name: Hashable, key: Hashable, find: Callable[[], _T]) -> _T:
        """The result with this key. Of the results with the same ``name``, only the latest is kept, because
        they are large."""
        held = self._kept.get(name)
        if held is None or held[0] != key:
            held = self._kept[name] = key, _locked(find())
        return held[1]

    def keep(self, key: Hashable, result: object) -> None:
        """Store a result that was computed together with others."""
        self._kept[key] = _locked(result)
        if self._most is not None and len(self._kept) > self._most:
            del self._kept[next(iter(self._kept))]

    def holds(self, key: Hashable) -> bool:
        """Whether a result with this key is kept."""
        return key in self._kept

    def clear(self) -> None:
        """Forget all results."""
        self._kept.clear()

    def results(self) -> list[Any]:
        """All results that are kept."""
        return list(self._kept.values())


def _locked(result: _T) -> _T:
    """The result, with its arrays made read-only because several callers share them."""
    for array in result if isinstance(result, tuple) else (result,):
        if isinstance(array, np.ndarray):
            array.flags.writeable = False
    return result


#: With at most this many judgements per topic, comparing each judgement with the whole run is faster than
#: looking up every row of the run.
_FEW = 8


class PooledJudgements(Struct, frozen=True, kw_only=True, eq=False):
    """The judgements of the measured topics, with a cache of results that depend only on the judgements.

    Attributes:
        topic, rel: one entry per judgement, sorted by topic. Topics have the numbers of measured topics.
        kept: the cache. Results may depend on ``topic``, ``rel`` and ``subtopics``.
        rows: row of each entry in the qrels, if the qrels have more than levels.
        subtopics, preferences: the judgements per subtopic and the preferences, with the pooled documents
            numbered from 0; None if there are none.
        by_docno: position of each pooled document if all are sorted by topic, then docno; None without
            subtopics.
        qrels: the source, for messages.
    """

    topic: IntArray
    rel: IntArray
    kept: Memo
    rows: IntArray | None = None
    subtopics: Subtopics | None = None
    preferences: Preferences | None = None
    by_docno: IntArray | None = None
    qrels: Qrels | None = None


class JudgedPool:
    """The qrels, prepared once for any number of runs.

    Attributes:
        qrels: the judgements.
        number: topic id -> index in ``qrels.topics``.
        topic: topic index of each judgement row.
        max_rel: highest relevance level, at least 0; or the given one, if the qrels are a part of others.
    """

    def __init__(self, qrels: Qrels, max_rel: int | None = None) -> None:
        self.qrels = qrels
        self.number = {topic: i for i, topic in enumerate(qrels.topics)}
        self.sizes: IntArray = np.diff(qrels.offsets)
        self.topic = qrels.topic_numbers
        self.max_rel = int(qrels.rels.max(initial=0)) if max_rel is None else max_rel
        self._judgements: tuple[IntArray, PooledJudgements] | None = None

    @cached_property
    def _words(self) -> WordArray:
        return folded(self.qrels.docnos)

    @cached_property
    def _beyond_ascii(self) -> BoolArray:
        return _beyond_ascii(self.qrels.docnos)

    @cached_property
    def tables(self) -> list[dict[str, int]]:
        """For each topic of the qrels, the judgement row of each docno, with ids as text."""
        texts = list(map(text_of, self.qrels.docnos.tolist()))
        bounds = pairwise(self.qrels.offsets.tolist())
        return [dict(zip(texts[start:end], range(start, end), strict=True)) for start, end in bounds]

    @cached_property
    def _index(self) -> HashIndex:
        """The hash table of all judgements. The judgements of a topic are near each other in the table, so
        that looking them up stays in the processor's cache."""
        keys = hashed(self.qrels.docnos, seeds(self.topic))
        first, sizes = self.qrels.offsets[self.topic], self.sizes[self.topic]
        return HashIndex(keys, homes_within(keys, first, sizes))

    def places(self, topics: Sequence[bytes]) -> IntArray:
        """The index of each topic in the qrels, -1 for a topic without judgements."""
        return np.fromiter(map(self.number.get, topics, repeat(-1)), np.int64, len(topics))

    def judgements(self, qrels_topic: IntArray) -> PooledJudgements:
        """The judgements of the topics with these indices in the qrels.

        Runs with the same topics, which is usual within one task, share the result.
        """
        last, which = self._judgements, qrels_topic
        if last is not None and np.array_equal(last[0], which):
            return last[1]
        topic, rows = self.rows(which)
        made = PooledJudgements(topic=topic, rel=self.qrels.rels[rows], kept=Memo())
        if self.qrels.detailed:
            subtopics = only_detail(self.qrels.subtopics, rows)
            preferences = only_detail(self.qrels.preferences, rows)
            made = replace(made, rows=rows, subtopics=subtopics, preferences=preferences, qrels=self.qrels)
        if made.subtopics is not None:
            order = np.lexsort((*sort_words(self.qrels.docnos[rows]).T[::-1], topic))
            made = replace(made, by_docno=np.argsort(order))
        # Records with fewer judgements belong to parts of runs and are not kept.
        if last is None or len(topic) >= len(last[1].topic):
            self._judgements = which, made
        return made

    def rows(self, which: IntArray) -> tuple[IntArray, IntArray]:
        """The topic (numbered from 0) and the row of each judgement of the given topics."""
        sizes = self.sizes[which]
        return np.repeat(np.arange(len(sizes)), sizes), ranges(self.qrels.offsets[which], sizes)

    def find(self, run: Run, in_qrels: IntArray) -> tuple[IntArray, IntArray, Alike | None]:
        """The judged rows of a run.

        Args:
            in_qrels: for each topic of the run, its index in the qrels, or -1 if the topic has no judgements.

        Returns:
            The indices of the rows, ascending; for each of them, the row of the same document in the qrels;
            and a retrieved document whose id differs only in spelling from a judged document that was not
            retrieved, None if there is none.
        """
        # No rows: an empty run, or a streamed run, whose rows are not in memory.
        if not len(run.docnos) or not len(self.qrels.docnos):
            return np.zeros(0, np.int64), np.zeros(0, np.int64), None
        few = int(np.where(in_qrels >= 0, self.sizes[in_qrels], 0).max(initial=0)) <= _FEW
        rows, entries = (self._compared if few else self._looked_up)(run, in_qrels)
        same = self.qrels.docnos[entries] == run.docnos[rows]
        other = None
        if not same.all():
            left = ~same & ~np.isin(entries, entries[same]) & ~np.isin(rows, rows[same])
            other = alike(zip(run.docnos[rows[left]], self.qrels.docnos[entries[left]], strict=True))
        rows, entries = rows[same], entries[same]
        if other is None and self._beyond_ascii.any() and not self._beyond_ascii[entries].any():
            other = self._encoded_otherwise(run, in_qrels)
        by_row = np.argsort(rows, kind="stable")
        return rows[by_row], entries[by_row], other

    def _encoded_otherwise(self, run: Run, in_qrels: IntArray) -> Alike | None:
        """A retrieved and a judged document whose letters beyond ASCII are encoded in different ways; None if
        there are none among the first documents with such letters."""
        rows = np.flatnonzero(_beyond_ascii(run.docnos))[:_WALKED]
        topics = in_qrels[np.searchsorted(run.offsets, rows, "right") - 1]
        entries = np.flatnonzero(self._beyond_ascii & np.isin(self.topic, topics))
        docnos = self.qrels.docnos[entries].tolist()
        forms = {(t, _loose(id)): id for t, id in zip(self.topic[entries].tolist(), docnos, strict=True)}
        retrieved = zip(topics.tolist(), run.docnos[rows].tolist(), strict=True)
        return alike((docno, forms.get((t, _loose(docno)), b"")) for t, docno in retrieved)

    def _compared(self, run: Run, in_qrels: IntArray) -> tuple[IntArray, IntArray]:
        """Pairs of a row and a judgement that may be the same document, found by comparing every row with
        each judgement of its topic. Fast if topics have few judgements."""
        words, lengths = folded(run.docnos), np.diff(run.offsets)
        judged = np.where(in_qrels >= 0, self.sizes[in_qrels], 0)
        found_rows, found_entries = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
        for place in range(int(judged.max(initial=0))):
            has = judged > place
            entry = np.where(has, self.qrels.offsets[in_qrels] + place, 0)
            rows = np.flatnonzero(words == np.repeat(self._words[entry], lengths))
            topic = np.searchsorted(run.offsets, rows, "right") - 1
            found_rows.append(rows[has[topic]])
            found_entries.append(entry[topic[has[topic]]])
        return np.concatenate(found_rows), np.concatenate(found_entries)

    def _looked_up(self, run: Run, in_qrels: IntArray) -> tuple[IntArray, IntArray]:
        """Pairs of a row and a judgement that may be the same document, found by looking up every row of a
        judged topic in the hash table."""
        lengths, docnos, kept = np.diff(run.offsets), run.docnos, None
        if (in_qrels < 0).any():
            kept = np.flatnonzero(np.repeat(in_qrels >= 0, lengths))
            docnos, lengths, in_qrels = docnos[kept], lengths[in_qrels >= 0], in_qrels[in_qrels >= 0]
        # Computed per topic and then repeated per row, because there are far fewer topics.
        keys = hashed(docnos, np.repeat(seeds(in_qrels), lengths))
        first, sizes = (np.repeat(column[in_qrels], lengths) for column in (self.qrels.offsets, self.sizes))
        rows, entries = self._index.matches(keys, homes_within(keys, first, sizes))
        same = self.topic[entries] == in_qrels[np.searchsorted(np.cumsum(lengths), rows, "right")]
        rows, entries = rows[same], entries[same]
        return rows if kept is None else kept[rows], entries


class Pairing(Struct, frozen=True, kw_only=True, eq=False, dict=True):
    """A run joined with its qrels: the judged rows of the run.

    "Measured" topics are topics with both results and judgements, numbered from 0 in byte order of their ids.

    Attributes:
        topics: ids of the measured topics, in byte order.
        run_topic: index of each measured topic in ``run.topics``.
        qrels_topic: index of each measured topic in ``qrels.topics``.
        rows: indices of the judged rows of the run, ascending (so grouped by topic).
        rels: relevance level of each of ``rows``.
        topic: measured topic of each of ``rows``.
        kept: cache of results that depend only on the run and on ``rows``.
        judgements: for each of ``rows``, the row of the document in the qrels, if the qrels have more than
            levels.
        shared: number of retrieved documents that are judged, known even if ``rows`` are not in memory.
        alike: a retrieved, unjudged document whose id differs only in spelling from a judged document, or
            None.
    """

    pool: JudgedPool
    run: Run
    topics: tuple[bytes, ...]
    run_topic: IntArray
    qrels_topic: IntArray
    rows: IntArray
    rels: IntArray
    topic: IntArray
    kept: Memo
    shared: int
    judgements: IntArray | None = None
    alike: Alike | None = None

    @property
    def qrels(self) -> Qrels:
        return self.pool.qrels

    @cached_property
    def all_topics(self) -> tuple[bytes, ...]:
        """Ids of all topics of the run or the qrels, in byte order. The masks below have an entry for
        each."""
        # Both sides are sorted, and sorting two sorted lists only merges them.
        return tuple(dict.fromkeys(sorted([*sorted(self.run.topics), *self.qrels.topics])))

    @cached_property
    def _sides(self) -> tuple[BoolArray, BoolArray]:
        """Two masks: of the topics with judgements, and of the topics with results."""
        retrieved, every = set(self.run.topics), self.all_topics
        judged = np.fromiter(map(self.pool.number.__contains__, every), np.bool_, len(every))
        return judged, np.fromiter(map(retrieved.__contains__, every), np.bool_, len(every))

    @cached_property
    def measured(self) -> BoolArray:
        """Mask of the topics with both results and judgements."""
        return self._sides[0] & self._sides[1]

    @cached_property
    def missing(self) -> BoolArray:
        """Mask of the judged topics without results."""
        return self._sides[0] & ~self._sides[1]

    @cached_property
    def unjudged(self) -> BoolArray:
        """Mask of the topics with results but without judgements."""
        return ~self._sides[0] & self._sides[1]

    @cached_property
    def spelling(self) -> tuple[str, ...]:
        """Sentences about ids that are probably misspelt (see :func:`spelling_notes`).

        Raises:
            InputError: run and qrels are one file.
        """
        run, qrels, docnos = self.run, self.qrels, self.alike
        files = [named(source)[1] for source in (run.source, qrels.source)]
        made = qrels.docnos is run.docnos  # qrels that are made of a run judge all its documents
        if not made and all(map(os.path.isfile, files)) and os.path.samefile(*files):
            raise judges_itself(run.source)
        if is_padded(run) or is_padded(qrels):
            rows = zip(*(run.offsets[self.run_topic + end].tolist() for end in (0, 1)), strict=True)
            retrieved = (map(text_of, run.docnos[start:end].tolist()) for start, end in rows)
            tables = [self.pool.tables[number] for number in self.qrels_topic.tolist()]
            docnos = alike_in_dicts(tables, list(map(dict.fromkeys, retrieved))) or docnos
        if docnos is None and not self.shared:
            docnos = self.first_compared()
        return spelling_notes((run.source, run.topics), (qrels.source, qrels.topics), docnos, self.shared)

    @cached_property
    def facts(self) -> tuple[str, ...]:
        """Sentences on how qrels and run were read, and on judgements of which few count or none."""
        run, qrels, facts = _name(self.run.source), self.qrels, list[str]()
        lacking = len(qrels.topics) - len(self.topics)
        if 2 * lacking > len(qrels.topics) and not self.spelling:
            facts.append(f"{run} has no results for {lacking} of {count(len(qrels.topics), 'judged query')}")
        if not self.pool.max_rel and not qrels.detailed:
            facts.append(f"no document is relevant in {_name(qrels.source)}")
        return (*qrels.notes, *self.run.notes, *facts)

    def first_compared(self) -> Alike | None:
        """Two documents of the first measured topic (see :func:`compared`); None if the run has no rows."""
        if not self.topics or not len(self.run.docnos):
            return None
        sides = ((self.run, self.run_topic[0]), (self.qrels, self.qrels_topic[0]))
        return compared(*(side.docnos[slice(*side.offsets[at : at + 2])].tolist() for side, at in sides))

    @classmethod
    def of(cls, run: Run, qrels: Qrels | JudgedPool) -> Pairing:
        """Join a run with its qrels. A :class:`JudgedPool` saves preparing the same qrels again."""
        pool = qrels if isinstance(qrels, JudgedPool) else JudgedPool(qrels)
        in_qrels = pool.places(run.topics)
        rows, entries, other = pool.find(run, in_qrels)
        run_topic = np.flatnonzero(in_qrels >= 0)
        measured_number = np.full(len(run.topics), -1, np.int64)
        measured_number[run_topic] = np.arange(len(run_topic))
        return cls(
            pool=pool,
            run=run,
            topics=tuple(map(run.topics.__getitem__, run_topic.tolist())),
            run_topic=run_topic,
            qrels_topic=in_qrels[run_topic],
            rows=rows,
            rels=pool.qrels.rels[entries],
            topic=measured_number[np.searchsorted(run.offsets, rows, "right") - 1],
            kept=Memo(),
            shared=len(rows),
            judgements=entries if pool.qrels.detailed else None,
            alike=other,
        )


def notes_of(*pairings: Pairing) -> list[str]:
    """The notes about the user's qrels and runs, without repeats.

    Notes about the spelling of ids are also issued as warnings, because they explain values that may be shown
    without the notes."""
    for note in dict.fromkeys(chain.from_iterable(pairing.spelling for pairing in pairings)):
        warn(note)
    notes = ((*pairing.facts, *pairing.spelling) for pairing in pairings)
    return list(dict.fromkeys(chain.from_iterable(notes)))


def judges_itself(source: str) -> InputError:
    """The error for qrels that were given again as the run, in which every document is judged."""
    expected = "a run: the ranking that the qrels judge"
    return InputError("the run is the qrels themselves", path=source, expected=expected)


def nothing_judged(run: Run, qrels: Qrels, *, selected: bool = False) -> InputError:
    """The error for a run without results for any judged query (with ``selected``: for any judged query that
    the user selected)."""
    problem = "the run has results for none of the judged queries" + " that were selected" * selected
    expected = f"query ids as in {qrels.source}, such as {display(qrels.topics[0])!r}"
    hint = "check that run and qrels belong together and have the same query ids (1 and 001 differ)"
    return InputError(problem, path=run.source, found=run.topics[0], expected=expected, hint=hint)


def check_judged(pairings: Iterable[Pairing]) -> None:
    """Check that each run with judged queries has a judged document; else its values are 0 beside any run.

    Raises:
        InputError: a run has none.
    """
    for pairing in pairings:
        if pairing.topics and not pairing.shared:
            why = "; ".join(pairing.spelling) or "no document of the run is judged"
            hint = "check that run and qrels belong together"
            raise InputError(f"nothing can be compared: {why}", path=pairing.run.source, hint=hint)
