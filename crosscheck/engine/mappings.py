"""A run that is a dict of dicts, joined with judgements without turning it into columns.

Only judged documents are looked up; the rank of each is one more than the number of scores above its own,
and only documents that are tied with a judged one are looked at by name.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from itertools import chain, repeat
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from crosscheck.conventions import Conventions, Order, ScorePrecision, Ties
from crosscheck.formats.dicts import run_from_dict
from crosscheck.model import BoolArray, FloatArray, IntArray, Run
from crosscheck.rankings.inputs import reads_all
from crosscheck.rankings.judged import Rankings
from crosscheck.rankings.pairing import JudgedPool

__all__ = ["DictRankings", "judge_dict"]

#: Types whose values need no further look; anything else is left to the careful reader.
_NUMBERS = {float, int, np.float64, np.float32, np.int64}
#: Up to so many judged documents of a topic, comparing all scores with each is faster than sorting.
_FEW = 8

_Scores: TypeAlias = npt.NDArray[np.floating[Any]]


class _OddError(Exception):
    """Something that the careful reader must look at."""


def judge_dict(run: Mapping[Any, Mapping[Any, Any]], pool: JudgedPool) -> Rankings:
    """The rankings of ``{topic: {docno: score}}``.

    The same as of :func:`~crosscheck.formats.dicts.run_from_dict`, except that what is wrong with the ids of
    documents that nobody judged goes unnoticed.

    Raises:
        InputError: as :func:`~crosscheck.formats.dicts.run_from_dict`.
    """
    try:
        return DictRankings(run, pool)
    except (_OddError, OverflowError, UnicodeError):
        return Rankings(run_from_dict(run), pool)


class DictRankings(Rankings):
    """Rankings of a run that stays a dict of dicts; ``pairing`` knows no rows but judged ones."""

    def __init__(self, run: Mapping[Any, Mapping[Any, Any]], pool: JudgedPool) -> None:
        if not all(type(d) is dict and type(t) is str and "\0" not in t for t, d in run.items()):
            raise _OddError
        named = {topic.encode("utf-8", "surrogateescape"): topic for topic in run if run[topic]}
        ids = tuple(sorted(named))
        super().__init__(_outline(ids, np.array([len(run[named[id]]) for id in ids], np.int64)), pool)
        self._mapping = run
        self._documents = [run[named[id]] for id in self.pairing.topics]
        self._scores = _checked_scores(self._documents)
        _checked_scores([run[named[id]] for id in ids if id not in pool.number])
        own = self._own_scores()
        # A score that is NaN has been refused; here it says that the document was not retrieved.
        self._found = np.flatnonzero(~np.isnan(own))
        self._own = own[self._found]
        judgements = self._judgements
        self.pairing = replace(
            self.pairing, topic=judgements.topic[self._found], rels=judgements.rel[self._found]
        )

    def _own_scores(self) -> FloatArray:
        """Score of each judged document of the measured topics, NaN where it was not retrieved."""
        texts, offsets = self._texts, self.pairing.qrels.offsets
        bounds = [offsets[number : number + 2].tolist() for number in self.pairing.qrels_topic.tolist()]
        looked_up = (
            map(documents.get, texts[start:end], repeat(math.nan))
            for documents, (start, end) in zip(self._documents, bounds, strict=True)
        )
        return np.fromiter(chain.from_iterable(looked_up), np.float64, len(self._judgements.topic))

    @property
    def _texts(self) -> list[str]:
        return self.pairing.pool.docno_texts

    @cached_property
    def _whole(self) -> Rankings:
        return Rankings(run_from_dict(self._mapping), self.pairing.pool)

    def under(self, conventions: Conventions) -> Rankings:
        """As :meth:`Rankings.under`, also for conventions that need all documents by name."""
        simple = conventions.order is Order.SCORE and conventions.ties is Ties.DOCID_DESC
        if simple and reads_all(self.pairing.run, conventions):
            return self
        return self._whole.under(conventions)

    def ranks(self, conventions: Conventions) -> IntArray:
        """Rank of each judged document, by topic, in the order of the judgements."""
        scores: _Scores = self._scores
        own: _Scores = self._own
        if conventions.score_precision is ScorePrecision.FLOAT32:
            with np.errstate(over="ignore"):
                scores, own = scores.astype(np.float32), own.astype(np.float32)
        ranks = np.empty(len(own), np.int64)
        row, hit = 0, 0
        hits = np.bincount(self.pairing.topic, minlength=len(self._documents)).tolist()
        for topic, documents in enumerate(self._documents):
            rows, found = slice(row, row + len(documents)), slice(hit, hit + hits[topic])
            row, hit = rows.stop, found.stop
            if hits[topic]:
                above, tied = _above(scores[rows], own[found])
                ranks[found] = above + 1
                if tied.any():
                    names = self._names(topic, found)
                    ranks[found] += _tied_above(list(documents), names, scores[rows], own[found], tied)
        return ranks

    def _names(self, topic: int, found: slice) -> list[str]:
        """Docnos of the judged documents of a topic that were retrieved."""
        first = int(self.pairing.qrels.offsets[self.pairing.qrels_topic[topic]])
        before = int(np.searchsorted(self._judgements.topic, topic))
        return [self._texts[first + i - before] for i in self._found[found].tolist()]


def _outline(topics: tuple[bytes, ...], sizes: IntArray) -> Run:
    if not topics:
        raise _OddError
    return Run(
        topics=topics,
        offsets=np.append(0, np.cumsum(sizes)),
        docnos=np.zeros(0, "S8"),
        scores=np.zeros(0),
        ranks=None,
        lines=np.zeros(0, np.int64),
        tag=b"",
        source="run",
    )


def _checked_scores(tables: list[Mapping[str, Any]]) -> FloatArray:
    """All scores of these topics, one after the other."""
    if not _NUMBERS.issuperset(map(type, chain.from_iterable(table.values() for table in tables))):
        raise _OddError
    values = chain.from_iterable(table.values() for table in tables)
    scores = np.fromiter(values, np.float64, sum(map(len, tables)))
    if np.isnan(scores).any():
        raise _OddError
    return scores


def _above(scores: _Scores, own: _Scores) -> tuple[IntArray, BoolArray]:
    """How many scores are above each of ``own``, which are among them, and whether it is tied with any."""
    if len(own) <= _FEW:
        above = np.array([np.count_nonzero(scores > score) for score in own])
        equal = np.array([np.count_nonzero(scores == score) for score in own])
        return above, equal > 1
    ascending = np.sort(scores)
    up_to = np.searchsorted(ascending, own, "right")
    return len(scores) - up_to, (up_to > 1) & (ascending[up_to - 2] == own)


def _tied_above(
    names: list[str], judged: list[str], scores: _Scores, own: _Scores, tied: BoolArray
) -> IntArray:
    """How many documents have the score of a judged one and a higher docno."""
    result = np.zeros(len(own), np.int64)
    for score in set(own[tied].tolist()):
        group = [_bytes(names[i]) for i in np.flatnonzero(scores == score).tolist()]
        place = {name: i for i, name in enumerate(sorted(group, reverse=True))}
        for i in np.flatnonzero(own == score).tolist():
            result[i] = place[_bytes(judged[i])]
    return result


def _bytes(docno: str) -> bytes:
    return docno.encode("utf-8", "surrogateescape")
