"""A run that is a dict of dicts, joined with judgements without turning it into columns.

Only judged documents are looked up; the rank of each is one more than the number of scores above its own,
and only documents that are tied with a judged one are looked at by name.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from crosscheck.conventions import Conventions, Order, ScorePrecision, Ties
from crosscheck.formats.dicts import run_from_dict
from crosscheck.model import FloatArray, IntArray, Run
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


@dataclass(frozen=True, slots=True, eq=False)
class _Topic:
    """A judged topic: its documents, their scores, and which of them are judged."""

    documents: Mapping[str, Any]
    scores: FloatArray
    judged: list[str]
    rels: IntArray


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
        if not ids:
            raise _OddError
        sizes = [len(run[named[id]]) for id in ids]
        super().__init__(_outline(ids, np.array(sizes)), pool)
        self._mapping = run
        self._topics = [
            _topic(run[named[id]], pool, number)
            for id, number in zip(self.pairing.topics, self.pairing.qrels_topic.tolist(), strict=True)
        ]
        for id in set(named) - set(self.pairing.topics):
            _scores(run[named[id]])  # for its errors
        found = [len(topic.judged) for topic in self._topics]
        rels = [topic.rels for topic in self._topics]
        self.pairing = replace(
            self.pairing,
            topic=np.repeat(np.arange(len(found)), found),
            rels=np.concatenate([np.zeros(0, np.int64), *rels]),
        )

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
        single = conventions.score_precision is ScorePrecision.FLOAT32
        ranks = [_ranks(topic, np.float32 if single else np.float64) for topic in self._topics]
        return np.concatenate([np.zeros(0, np.int64), *ranks])


def _outline(topics: tuple[bytes, ...], sizes: IntArray) -> Run:
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


def _topic(documents: Mapping[str, Any], pool: JudgedPool, number: int) -> _Topic:
    start, end = pool.qrels.offsets[number : number + 2].tolist()
    texts = pool.docno_texts[start:end]
    here = [i for i, text in enumerate(texts) if text in documents]
    return _Topic(documents, _scores(documents), [texts[i] for i in here], pool.qrels.rels[start:end][here])


def _scores(documents: Mapping[str, Any]) -> FloatArray:
    values = documents.values()
    if not _NUMBERS.issuperset(map(type, values)):
        raise _OddError
    scores = np.fromiter(values, np.float64, len(documents))
    if np.isnan(scores).any():
        raise _OddError
    return scores


def _ranks(topic: _Topic, precision: type[np.floating[Any]]) -> IntArray:
    """Rank of each judged document by score, ties by docno, both descending."""
    if not topic.judged:
        return np.zeros(0, np.int64)
    with np.errstate(over="ignore"):
        scores: _Scores = topic.scores.astype(precision)
        judged = np.array([topic.documents[name] for name in topic.judged], np.float64)
        own: _Scores = judged.astype(precision)
    if len(own) <= _FEW:
        above: IntArray = np.count_nonzero(scores > own[:, None], axis=1)
        equal: IntArray = np.count_nonzero(scores == own[:, None], axis=1)
    else:
        ascending = np.sort(scores)
        below = np.searchsorted(ascending, own, "left")
        up_to = np.searchsorted(ascending, own, "right")
        above, equal = len(scores) - up_to, up_to - below
    if (equal > 1).any():
        above = above + _tied_above(topic, scores, own, equal)
    return above + 1


def _tied_above(topic: _Topic, scores: _Scores, own: _Scores, equal: IntArray) -> IntArray:
    """Documents with the score of a judged one and a higher docno."""
    tied = np.flatnonzero(equal > 1)
    names = list(topic.documents)
    result = np.zeros(len(own), np.int64)
    for score in set(own[tied].tolist()):
        group = [_bytes(names[i]) for i in np.flatnonzero(scores == score).tolist()]
        place = {name: i for i, name in enumerate(sorted(group, reverse=True))}
        for i in tied[own[tied] == score].tolist():
            result[i] = place[_bytes(topic.judged[i])]
    return result


def _bytes(docno: str) -> bytes:
    return docno.encode("utf-8", "surrogateescape")
