"""The join of a run with its qrels: the judged rows of the run. It does not depend on conventions.

:class:`Memo` keeps what is computed from it, here and in later stages.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from functools import cached_property
from itertools import chain, pairwise, repeat
from typing import Any, NamedTuple, TypeVar

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from crosscheck.errors import InputError, warn
from crosscheck.model import BoolArray, IntArray, Preferences, Qrels, Run, Subtopics, display
from crosscheck.rankings.changed_inputs import detail_of
from crosscheck.rankings.ids import (
    Alike,
    HashIndex,
    alike,
    alike_in_dicts,
    folded,
    hashed,
    homes_within,
    is_padded,
    seeds,
    sort_words,
    spelling_notes,
)

_T = TypeVar("_T")

#: Marks the absence of a result, because None may be a result.
_NOTHING: Any = object()


class Memo:
    """Results, each computed once and then shared. Callers must not change them.

    The key of a result holds everything that the result depends on. Of conventions, these are the axes up to
    the stage of the result:
    ``conventions.of(Stage.READ, Stage.ORDER)``.

    Args:
        most: number of results that are kept, those asked for last; None for all. A search asks for thousands
            of sets of conventions, whose rankings are together many times as large as the input.
    """

    __slots__ = ("_kept", "_most")

    def __init__(self, most: int | None = None) -> None:
        self._kept: dict[Hashable, Any] = {}
        self._most = most

    def once(self, key: Hashable, find: Callable[[], _T]) -> _T:
        """The result under this key, computed by ``find`` on the first request."""
        found: _T = self._kept.get(key, _NOTHING)
        if found is _NOTHING:
            found = _locked(find())
            self.keep(key, found)
        elif self._most is not None:
            self._kept[key] = self._kept.pop(key)
        return found

    def lately(self, name: Hashable, key: Hashable, find: Callable[[], _T]) -> _T:
        """As :meth:`once`, for large results: of those under one name only the last is kept."""
        held = self._kept.get(name)
        if held is None or held[0] != key:
            held = self._kept[name] = key, _locked(find())
        found: _T = held[1]
        return found

    def keep(self, key: Hashable, found: object) -> None:
        """Store a result that was computed together with others."""
        self._kept[key] = _locked(found)
        if self._most is not None and len(self._kept) > self._most:
            del self._kept[next(iter(self._kept))]

    def holds(self, key: Hashable) -> bool:
        """Whether there is a result under this key."""
        return key in self._kept

    def found(self) -> list[Any]:
        """All results that are kept."""
        return list(self._kept.values())


def _locked(found: _T) -> _T:
    """Arrays made read-only, because several callers share them."""
    for array in found if isinstance(found, tuple) else (found,):
        if isinstance(array, np.ndarray):
            array.flags.writeable = False
    return found


#: Up to this many judgements per topic, comparing all of them with a whole run is faster than a lookup of its
#: rows.
_FEW = 8


class PooledJudgements(Struct, frozen=True, kw_only=True, eq=False):
    """The judgements of the measured topics, and results computed from them alone.

    Attributes:
        topic, rel: one entry per judgement, by topic; topics are numbered like the measured ones.
        kept: cached results that depend only on these two arrays and on ``subtopics``.
        rows: row of the qrels of each entry, if the qrels hold more than levels.
        subtopics: the judgements per subtopic, None if there are none.
        preferences: the preferences, with the pooled documents numbered from 0; None if there are none.
        qrels: the source, for messages.
    """

    topic: IntArray
    rel: IntArray
    kept: Memo
    rows: IntArray | None = None
    subtopics: PooledSubtopics | None = None
    preferences: Preferences | None = None
    qrels: Qrels | None = None


class PooledSubtopics(Struct, frozen=True, eq=False):
    """The judgements per subtopic of the measured topics.

    Attributes:
        by_docno: index of each pooled document in the order of topic, then docno.
        judged: the judgements, with the pooled documents numbered from 0.
    """

    by_docno: IntArray
    judged: Subtopics

    @classmethod
    def of(cls, subtopics: Subtopics, qrels: Qrels, rows: IntArray, topic: IntArray) -> PooledSubtopics:
        """The judgements per subtopic of the given rows of the qrels and their topics."""
        order = np.lexsort((*sort_words(qrels.docnos[rows]).T[::-1], topic))
        by_docno = np.empty(len(order), np.int64)
        by_docno[order] = np.arange(len(order))
        return cls(by_docno, subtopics)


class JudgedRows(NamedTuple):
    """The judged rows of a run.

    Attributes:
        rows: the rows, ascending; entries: the judgement row of each.
        alike: a document that only looks like a judged one of its topic, which was not retrieved.
    """

    rows: IntArray
    entries: IntArray
    alike: Alike | None


class JudgedPool:
    """The qrels, prepared once for any number of runs.

    Attributes:
        qrels: the judgements.
        number: topic id -> index in ``qrels.topics``.
        topic: topic index of each judgement row.
        max_rel: highest relevance level in the whole qrels, at least 0.
    """

    def __init__(self, qrels: Qrels) -> None:
        self.qrels = qrels
        self.number = {topic: i for i, topic in enumerate(qrels.topics)}
        self.sizes: IntArray = np.diff(qrels.offsets)
        self.topic = qrels.topic_numbers
        self.max_rel = int(qrels.rels.max(initial=0))
        self._words = folded(qrels.docnos)
        self._judgements: tuple[IntArray, PooledJudgements] | None = None

    @cached_property
    def tables(self) -> list[dict[str, int]]:
        """For each topic of the qrels, the judgement row of each docno, with ids as text."""
        texts = list(map(_text, self.qrels.docnos.tolist()))
        bounds = pairwise(self.qrels.offsets.tolist())
        return [dict(zip(texts[start:end], range(start, end), strict=True)) for start, end in bounds]

    @cached_property
    def _index(self) -> HashIndex:
        """The rows by their hashes. Those of a topic are close together, so that the lookups of its documents
        find them in the processor's cache."""
        keys = hashed(self.qrels.docnos, seeds(self.topic))
        first, sizes = self.qrels.offsets[self.topic], self.sizes[self.topic]
        return HashIndex(keys, homes_within(keys, first, sizes))

    def places(self, topics: Sequence[bytes]) -> IntArray:
        """The index of each of these topics in the qrels, -1 for those that have no judgements."""
        return np.fromiter(map(self.number.get, topics, repeat(-1)), np.int64, len(topics))

    def judgements(self, qrels_topic: IntArray) -> PooledJudgements:
        """The judgements of the topics with these indices in the qrels.

        Runs with the same topics, as is usual within one task, share one record.
        """
        last, which = self._judgements, qrels_topic
        if last is not None and np.array_equal(last[0], which):
            return last[1]
        topic, rows = self.rows(which)
        made = PooledJudgements(topic=topic, rel=self.qrels.rels[rows], kept=Memo())
        if self.qrels.detailed:
            detail = detail_of(self.qrels, rows)
            made = replace(made, rows=rows, preferences=detail["preferences"], qrels=self.qrels)
            if (subtopics := detail["subtopics"]) is not None:
                made = replace(made, subtopics=PooledSubtopics.of(subtopics, self.qrels, rows, topic))
        # The smaller ones belong to parts of runs.
        if last is None or len(topic) >= len(last[1].topic):
            self._judgements = which, made
        return made

    def rows(self, which: IntArray) -> tuple[IntArray, IntArray]:
        """Topic, numbered from 0, and row of each judgement of the given topics."""
        if len(which) and (np.diff(which) == 1).all():
            # One range of rows, as in a part of most runs.
            start, end = self.qrels.offsets[[which[0], which[-1] + 1]].tolist()
            return self.topic[start:end] - which[0], np.arange(start, end)
        sizes = self.sizes[which]
        topic = np.repeat(np.arange(len(sizes)), sizes)
        first = np.repeat(self.qrels.offsets[which] - (np.cumsum(sizes) - sizes), sizes)
        return topic, first + np.arange(len(first))

    def find(self, run: Run, in_qrels: IntArray) -> JudgedRows:
        """The judged rows of a run.

        Args:
            in_qrels: for each topic of the run its index in the qrels, -1 if it has no judgements.
        """
        # The outline of a streamed run is also empty.
        if not len(run.docnos) or not len(self.qrels.docnos):
            return JudgedRows(np.zeros(0, np.int64), np.zeros(0, np.int64), None)
        judged = np.where(in_qrels >= 0, self.sizes[in_qrels], 0)
        few = int(judged.max(initial=0)) <= _FEW
        rows, entries = (self._compared if few else self._looked_up)(run, in_qrels)
        same = self.qrels.docnos[entries] == run.docnos[rows]
        other = None
        if not same.all():
            left = ~same & ~np.isin(entries, entries[same]) & ~np.isin(rows, rows[same])
            other = alike(zip(run.docnos[rows[left]], self.qrels.docnos[entries[left]], strict=True))
        rows, entries = rows[same], entries[same]
        by_row = np.argsort(rows, kind="stable")
        return JudgedRows(rows[by_row], entries[by_row], other)

    def _compared(self, run: Run, in_qrels: IntArray) -> tuple[IntArray, IntArray]:
        """Candidates, found by comparing every row with each judgement of its topic; fastest for few
        judgements."""
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
        """Candidates, found by looking up every row of a judged topic in an index of all judgements."""
        lengths, docnos, kept = np.diff(run.offsets), run.docnos, None
        if (in_qrels < 0).any():
            kept = np.flatnonzero(np.repeat(in_qrels >= 0, lengths))
            docnos, lengths, in_qrels = docnos[kept], lengths[in_qrels >= 0], in_qrels[in_qrels >= 0]
        # By topic first, and then by row: there are far fewer topics.
        keys = hashed(docnos, np.repeat(seeds(in_qrels), lengths))
        first, sizes = (np.repeat(column[in_qrels], lengths) for column in (self.qrels.offsets, self.sizes))
        rows, entries = self._index.matches(keys, homes_within(keys, first, sizes))
        topic = np.searchsorted(np.cumsum(lengths), rows, "right")
        same = self.topic[entries] == in_qrels[topic]
        rows, entries = rows[same], entries[same]
        return rows if kept is None else kept[rows], entries


def _text(docno: bytes) -> str:
    return docno.decode("utf-8", "surrogateescape")


class Pairing(Struct, frozen=True, kw_only=True, eq=False, dict=True):
    """A run and its qrels, with the judged rows of the run.

    "Measured" topics are those that both sides have. They are numbered from 0 in byte order.

    Attributes:
        topics: ids of the measured topics, in byte order.
        run_topic: index of each measured topic in ``run.topics``; qrels_topic: in ``qrels.topics``.
        rows: the judged rows of the run, in run order (so grouped by topic).
        rels: relevance level of each of ``rows``; topic: measured topic of each of ``rows``.
        max_rel: highest relevance level in the whole qrels.
        kept: cached results that depend only on the run and on ``rows``.
        judgements: row of the qrels of each of ``rows``, if the qrels hold more than levels.
        alike: a retrieved document that only looks like a judged one.
    """

    pool: JudgedPool
    run: Run
    topics: tuple[bytes, ...]
    run_topic: IntArray
    qrels_topic: IntArray
    rows: IntArray
    rels: IntArray
    topic: IntArray
    max_rel: int
    kept: Memo
    judgements: IntArray | None = None
    alike: Alike | None = None

    @property
    def qrels(self) -> Qrels:
        return self.pool.qrels

    @cached_property
    def all_topics(self) -> tuple[bytes, ...]:
        """Ids of all topics of either side, in byte order; the masks below are over them."""
        # Both sides are sorted, and sorting two sorted lists only merges them.
        return tuple(dict.fromkeys(sorted([*sorted(self.run.topics), *self.qrels.topics])))

    @cached_property
    def _sides(self) -> tuple[BoolArray, BoolArray]:
        """Masks of the topics that are judged, and of those that have results."""
        retrieved, every = set(self.run.topics), self.all_topics
        judged = np.fromiter(map(self.pool.number.__contains__, every), np.bool_, len(every))
        return judged, np.fromiter(map(retrieved.__contains__, every), np.bool_, len(every))

    @cached_property
    def measured(self) -> BoolArray:
        """Mask of the topics on both sides."""
        judged, retrieved = self._sides
        return judged & retrieved

    @cached_property
    def missing(self) -> BoolArray:
        """Mask of the judged topics without results."""
        judged, retrieved = self._sides
        return judged & ~retrieved

    @cached_property
    def unjudged(self) -> BoolArray:
        """Mask of the topics with results but without judgements."""
        judged, retrieved = self._sides
        return retrieved & ~judged

    @cached_property
    def spelling(self) -> tuple[str, ...]:
        """Sentences about ids that are probably not what was meant: see :func:`spelling_notes`."""
        run, qrels, docnos = self.run, self.qrels, self.alike
        if is_padded(run) or is_padded(qrels):
            rows = zip(*(run.offsets[self.run_topic + end].tolist() for end in (0, 1)), strict=True)
            retrieved = (map(_text, run.docnos[start:end].tolist()) for start, end in rows)
            tables = [self.pool.tables[number] for number in self.qrels_topic.tolist()]
            docnos = alike_in_dicts(tables, list(map(dict.fromkeys, retrieved))) or docnos
        return spelling_notes(run.source, run.topics, qrels.source, qrels.topics, docnos)

    @classmethod
    def of(cls, run: Run, qrels: Qrels | JudgedPool) -> Pairing:
        """Join a run with its qrels; prepared judgements are reused if given."""
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
            max_rel=pool.max_rel,
            kept=Memo(),
            judgements=entries if pool.qrels.detailed else None,
            alike=other,
        )


def notes_of(*pairings: Pairing) -> list[str]:
    """The notes about the qrels and runs that a user gave, each once.

    Those about the spelling of ids are given as warnings as well, because a number may depend on it that is
    shown without any notes.
    """
    for note in dict.fromkeys(chain.from_iterable(pairing.spelling for pairing in pairings)):
        warn(note)
    notes = ((*pairing.qrels.notes, *pairing.run.notes, *pairing.spelling) for pairing in pairings)
    return list(dict.fromkeys(chain.from_iterable(notes)))


def nothing_judged(run: Run, qrels: Qrels, *, selected: bool = False) -> InputError:
    """The error of a run without results for a judged query, or for a judged one of those that were asked
    for."""
    return InputError(
        "the run has results for none of the judged queries" + (" that were asked for" if selected else ""),
        path=run.source,
        found=run.topics[0],
        expected=f"query ids as in {qrels.source}, such as {display(qrels.topics[0])!r}",
        hint="check that run and qrels belong together and spell query ids alike (1 and 001 differ)",
    )
