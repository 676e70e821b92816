"""Runs that are dicts of scores, judged without looking at more document ids than needed.

Only judged documents matter, and a document's rank is the number of scores above its own. So ids serve to
find the judged documents, and to order documents whose scores are tied.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, repeat
from operator import index
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from crosscheck.model import IntArray
from crosscheck.rankings.judged import Judged
from crosscheck.rankings.pairing import PooledJudgements

__all__ = ["ScoredPool", "without_unjudged"]

#: With so many retrieved documents per judged one, the judged ones are looked up in the run.
_SPARSE = 8
_NONE = -(2**63)
#: Topic, rank and relevance level of each retrieved judged document.
_Hits: TypeAlias = tuple[IntArray, IntArray, IntArray]


class ScoredPool:
    """Judgements ``{query: {docno: level}}``, prepared once for any number of runs.

    Queries without any judgement are left out.

    Raises:
        TypeError: an id that is not text, or a level that is not a whole number.
        ValueError: a level that does not fit into 64 bits.
    """

    def __init__(self, qrels: Mapping[str, Mapping[str, int]]) -> None:
        self._levels: dict[str, dict[str, int]] = {}
        for query, levels in qrels.items():
            if levels:
                _check_ids(chain((query,), levels))
                numbers = _whole_numbers(query, levels).tolist()
                self._levels[query] = dict(zip(levels, numbers, strict=True))
        self._max_rel = max(chain([0], *(levels.values() for levels in self._levels.values())))
        self._last: tuple[list[str], PooledJudgements] = ([], _pooled([]))

    def judged(self, run: Mapping[str, Mapping[str, float]]) -> tuple[list[str], Judged]:
        """The judged rankings of the queries that run and judgements have, in the order of the run.

        Scores are compared as float32 and ties broken by descending docno, as trec_eval 9 does. A query
        may have no document at all.

        Raises:
            TypeError: an id that is not text, or a score that is not a number.
            ValueError: a score that is NaN, which has no place in any order, or too large for a float.
        """
        queries = [query for query in run if query in self._levels]
        pool = self._judgements(queries)
        retrieved = _Retrieved.of(queries, [run[query] for query in queries])
        if _SPARSE * len(pool.topic) < len(retrieved.scores):
            topic, rank, rel = self._among_judged(queries, retrieved, pool)
        else:
            topic, rank, rel = self._among_retrieved(queries, retrieved)
        in_order = np.argsort((topic << 40) | rank, kind="stable")
        return queries, Judged(
            num_topics=len(queries),
            num_ret=retrieved.sizes,
            topic=topic[in_order],
            rank=rank[in_order],
            rel=rel[in_order],
            pool_topic=pool.topic,
            pool_rel=pool.rel,
            max_rel=self._max_rel,
            judgements=pool,
        )

    def _judgements(self, queries: list[str]) -> PooledJudgements:
        if self._last[0] != queries:
            self._last = (queries, _pooled([self._levels[query] for query in queries]))
        return self._last[1]

    def _among_judged(self, queries: list[str], retrieved: _Retrieved, pool: PooledJudgements) -> _Hits:
        """Look every judged document up in the run, and count the scores above its own."""
        ranks: list[int] = []
        for query, start, found in zip(queries, retrieved.starts.tolist(), retrieved.documents, strict=True):
            scores = retrieved.scores[start : start + len(found)]
            for docno in self._levels[query]:
                own = found.get(docno)
                ranks.append(0 if own is None else _rank(docno, own, found, scores))
        rank = np.array(ranks, np.int64)
        hits = np.flatnonzero(rank)
        return pool.topic[hits], rank[hits], pool.rel[hits]

    def _among_retrieved(self, queries: list[str], retrieved: _Retrieved) -> _Hits:
        """Look every retrieved document up in the judgements, and sort all scores."""
        looked_up = (
            map(self._levels[query].get, found, repeat(_NONE))
            for query, found in zip(queries, retrieved.documents, strict=True)
        )
        rel = np.fromiter(chain.from_iterable(looked_up), np.int64, len(retrieved.scores))
        hits = np.flatnonzero(rel != _NONE)
        topic = np.repeat(np.arange(len(queries)), retrieved.sizes)
        position = _positions(retrieved, topic, hits)
        return topic[hits], position - retrieved.starts[topic[hits]] + 1, rel[hits]


@dataclass(frozen=True, slots=True, eq=False)
class _Retrieved:
    """The documents of some queries.

    Attributes:
        documents: ``{docno: score}`` of each query; sizes: their numbers.
        starts: where the scores of each query start.
        scores: as float32, one after the other.
    """

    documents: list[Mapping[str, float]]
    sizes: IntArray
    starts: IntArray
    scores: npt.NDArray[np.float32]

    @classmethod
    def of(cls, queries: Sequence[str], documents: list[Mapping[str, float]]) -> _Retrieved:
        for query, found in zip(queries, documents, strict=True):
            _check_documents(query, found)
        sizes = np.fromiter(map(len, documents), np.int64, len(documents))
        values = chain.from_iterable(found.values() for found in documents)
        try:
            scores = np.fromiter(values, np.float64, int(sizes.sum()))
        except OverflowError:
            raise ValueError("a score is too large for a float") from None
        if np.isnan(scores).any():
            raise ValueError("a score is NaN, which has no place in any order")
        with np.errstate(over="ignore"):
            return cls(documents, sizes, np.cumsum(sizes) - sizes, scores.astype(np.float32))


def without_unjudged(judged: Judged) -> Judged:
    """The rankings without unjudged documents, and without those with a negative level (trec_eval ``-J``)."""
    kept = judged.rel >= 0
    topic = judged.topic[kept]
    num_ret = judged.count(topic)
    rank = np.arange(1, len(topic) + 1) - (np.cumsum(num_ret) - num_ret)[topic]
    return replace(judged, num_ret=num_ret, topic=topic, rank=rank, rel=judged.rel[kept])


def _rank(docno: str, own: float, found: Mapping[str, float], scores: npt.NDArray[np.float32]) -> int:
    with np.errstate(over="ignore"):
        score = np.float32(own)
    tied = np.flatnonzero(scores == score)
    rank = 1 + int(np.count_nonzero(scores > score))
    if len(tied) > 1:
        names = list(found)
        by_docno = _descending([names[row] for row in tied.tolist()])
        rank += next(place for place, i in enumerate(by_docno) if names[tied[i]] == docno)
    return rank


def _positions(retrieved: _Retrieved, topic: IntArray, hits: IntArray) -> IntArray:
    """Where each of ``hits`` stands when all documents are ordered by topic, score and docno."""
    falling = -retrieved.scores
    same = topic[1:] == topic[:-1]
    order = np.arange(len(topic))
    if np.any((falling[1:] < falling[:-1]) & same):
        order = np.lexsort((falling, topic))
        falling = falling[order]
    position = np.empty_like(order)
    position[order] = np.arange(len(order))
    starts = np.flatnonzero(np.concatenate([[True], (falling[1:] != falling[:-1]) | ~same])[: len(order)])
    ends = np.append(starts[1:], len(order))[: len(starts)]
    with_hit = np.zeros(len(starts), np.bool_)
    with_hit[np.searchsorted(starts, position[hits], "right") - 1] = True
    groups = np.flatnonzero(with_hit & (ends - starts > 1))
    names: list[str] = []
    last = -1
    for start, end in zip(starts[groups].tolist(), ends[groups].tolist(), strict=True):
        query = int(topic[start])
        if query != last:
            names, last = list(retrieved.documents[query]), query
        rows = order[start:end] - retrieved.starts[query]
        by_docno = _descending([names[row] for row in rows.tolist()])
        position[order[start:end][by_docno]] = np.arange(start, end)
    return position[hits]


def _descending(docnos: list[str]) -> list[int]:
    """Indices of the ids in descending order of their bytes."""
    if "".join(docnos).isascii():
        return sorted(range(len(docnos)), key=docnos.__getitem__, reverse=True)
    keys = [_bytes(docno) for docno in docnos]
    return sorted(range(len(keys)), key=keys.__getitem__, reverse=True)


def _bytes(docno: str) -> bytes:
    try:
        return docno.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return docno.encode("utf-8", "surrogatepass")


def _check_documents(query: str, found: object) -> None:
    if not isinstance(found, Mapping):
        raise TypeError(f"query {query!r}: {{docno: score}} is needed, not {type(found).__name__}")
    # Only the first: looking at each would take as long as all the rest. Of the others numpy must make
    # floats, and an id that is not text is not judged.
    for docno, score in found.items():
        _check_ids((docno,))
        if score is None or isinstance(score, str | bytes):
            raise TypeError(f"query {query!r}: a score must be a number, not {score!r}")
        break


def _check_ids(ids: Iterable[object]) -> None:
    for id in ids:
        if not isinstance(id, str):
            raise TypeError(f"ids must be text, not {type(id).__name__}: {id!r}")


def _whole_numbers(query: str, levels: Mapping[str, int]) -> IntArray:
    try:
        return np.fromiter(map(index, levels.values()), np.int64, len(levels))
    except TypeError:
        wrong = next(level for level in levels.values() if not hasattr(level, "__index__"))
        raise TypeError(f"query {query!r}: relevance levels must be integers, not {wrong!r}") from None
    except OverflowError:
        raise ValueError(f"query {query!r}: a relevance level does not fit into 64 bits") from None


def _pooled(levels: Sequence[Mapping[str, int]]) -> PooledJudgements:
    sizes = np.fromiter(map(len, levels), np.int64, len(levels))
    flat = chain.from_iterable(of.values() for of in levels)
    return PooledJudgements(
        np.repeat(np.arange(len(levels)), sizes), np.fromiter(flat, np.int64, int(sizes.sum())), {}
    )
