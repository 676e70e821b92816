"""Judged rankings made directly from dicts of judgements and scores, such as those of pytrec_eval.

This is faster than conversion to a run and qrels. Only judged documents are needed, and the rank of a
document is one more than the number of higher scores, so ids are compared only to find the judged documents
and to order tied documents.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, count, repeat
from operator import index
from typing import Any, TypeAlias, cast

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from crosscheck.axes.ties import ScorePrecision
from crosscheck.errors import warn
from crosscheck.model import FloatArray, IntArray
from crosscheck.rankings.judged import JudgedRankings, by_rank
from crosscheck.rankings.pairing import Memo, PooledJudgements, alike_in_dicts, compared, spelling_notes
from crosscheck.rankings.sorts import single, sorted_by


class DictPool:
    """Judgements ``{query: {docno: level}}``, prepared once for any number of runs. Queries without
    judgements are left out.

    Raises:
        TypeError: an id is not text, or a level is not a whole number.
        ValueError: a level does not fit into 64 bits.
    """

    def __init__(self, qrels: Mapping[str, Mapping[str, int]]) -> None:
        numbers = count()
        self._tables: dict[str, dict[str, int]] = {}
        levels = [np.zeros(0, np.int64)]
        for query, judged in qrels.items():
            if judged:
                _check_ids(chain((query,), judged))
                self._tables[query] = dict(zip(judged, numbers, strict=False))
                levels.append(_whole_numbers(query, judged))
        self._marked = "\ufeff" in "".join(self._tables)
        self._levels = np.concatenate(levels)
        self._max_rel = int(self._levels.max(initial=0))
        self._last: tuple[list[str], PooledJudgements] | None = None

    def judged(self, run: Mapping[str, Mapping[str, float]]) -> tuple[list[str], JudgedRankings]:
        """The judged rankings of the queries that have both results and judgements, in the order of the run.

        Scores are compared as float32 and ties ordered by descending docno, as in trec_eval 9. A query may
        have no documents. Warns about ids of the run that differ from an id of the judgements only in
        spelling.

        Raises:
            TypeError: an id is not text, or a score is not a number.
            ValueError: a score is NaN, which has no rank, or too large for a float.
        """
        queries = [query for query in run if query in self._tables]
        if len(queries) < len(run):
            _check_ids(run)
        tables = [self._tables[query] for query in queries]
        retrieved = _retrieved(queries, run)
        last, pool = self._last, self._judgements(queries)
        judged = judged_dicts(tables, retrieved, ScorePrecision.FLOAT32, self._levels, pool, self._max_rel)
        # Checked on the first run only, so that further runs, as in training, are fast.
        if last is None or pool is not last[1] or not len(judged.topic):
            docnos = alike_in_dicts(tables, retrieved.documents)
            if docnos is None and not len(judged.topic) and queries:
                docnos = compared(*(list(map(_bytes, side[0])) for side in (retrieved.documents, tables)))
            shared, alike_queries = len(judged.topic), self._marked or len(queries) < len(run)
            # No id can be suspicious if a judged document was retrieved, no docno looks like another, every
            # query of the run is judged, and no query begins with a byte order mark.
            if not shared or docnos is not None or alike_queries:
                topics = [[_bytes(query) for query in side] for side in (run, self._tables)]
                for note in spelling_notes(("run", topics[0]), ("qrels", topics[1]), docnos, shared):
                    warn(note)
        return queries, judged

    def _judgements(self, queries: list[str]) -> PooledJudgements:
        if self._last is None or self._last[0] != queries:
            tables = [self._tables[query] for query in queries]
            entries = np.fromiter(chain.from_iterable(table.values() for table in tables), np.int64)
            topic = np.repeat(np.arange(len(queries)), np.fromiter(map(len, tables), np.int64, len(tables)))
            self._last = (queries, PooledJudgements(topic=topic, rel=self._levels[entries], kept=Memo()))
        return self._last[1]


def _retrieved(queries: list[str], run: Mapping[str, Mapping[str, float]]) -> Retrieved:
    for query in queries:
        _check_documents(query, run[query])
    try:
        retrieved = Retrieved.of([run[query] for query in queries])
    except OverflowError:
        raise ValueError("a score is too large for a float") from None
    if np.isnan(retrieved.scores).any():
        raise ValueError("a score is NaN, which has no rank")
    return retrieved


def _check_documents(query: str, scores: object) -> None:
    if type(scores) is not dict and not isinstance(scores, Mapping):
        raise TypeError(f"query {query!r}: results must be {{docno: score}}, not {type(scores).__name__}")
    if not hold_text(scores):
        _check_ids(scores)
    # Only the first score is checked here. numpy raises an error for scores that are not numbers.
    score = next(iter(scores.values()), 0.0)
    if score is None or isinstance(score, str | bytes):
        raise TypeError(f"query {query!r}: a score must be a number, not {score!r}")


def hold_text(ids: Iterable[object]) -> bool:
    """Whether all ids are text."""
    try:
        "".join(cast(Iterable[str], ids))  # the fastest check
    except TypeError:
        return False
    return True


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


#: With more retrieved documents per judged document than this, judged documents are looked up in the run;
#: else retrieved documents are looked up in the judgements.
_SPARSE = 8
_Scores: TypeAlias = npt.NDArray[np.float32] | npt.NDArray[np.float64]
#: For each topic: docno -> index of its judgement.
Tables: TypeAlias = Sequence[Mapping[str, int]]


class Retrieved(Struct, frozen=True, kw_only=True, eq=False):
    """The retrieved documents of several topics.

    Attributes:
        documents: ``{docno: score}`` of each topic.
        sizes: number of documents of each topic; may be 0.
        starts: index of the first score of each topic.
        scores: all scores, topic by topic; none may be NaN, which has no rank.
    """

    documents: Sequence[Mapping[str, float]]
    sizes: IntArray
    starts: IntArray
    scores: FloatArray

    @classmethod
    def of(cls, documents: Sequence[Mapping[str, float]]) -> Retrieved:
        """The documents of these topics. numpy raises an error if a score is not a number."""
        sizes = np.fromiter(map(len, documents), np.int64, len(documents))
        values = chain.from_iterable(scores_of_topic.values() for scores_of_topic in documents)
        scores = np.fromiter(values, np.float64, int(sizes.sum()))
        return cls(documents=documents, sizes=sizes, starts=sizes.cumsum() - sizes, scores=scores)


def judged_dicts(
    tables: Tables,
    retrieved: Retrieved,
    precision: ScorePrecision,
    levels: IntArray,
    judgements: PooledJudgements,
    max_rel: int,
) -> JudgedRankings:
    """The judged rankings of several topics, ranked by descending score, then descending docno, as in
    trec_eval.

    Args:
        levels: relevance level of each judgement; ``tables`` has the indices.
        judgements: the judgements of these topics.
    """
    scores: _Scores = single(retrieved.scores) if precision is ScorePrecision.FLOAT32 else retrieved.scores
    sparse = _SPARSE * sum(map(len, tables)) < len(scores)
    topic, entry, rank = (_among_judged if sparse else _among_retrieved)(tables, retrieved, scores)
    in_order = by_rank(topic, rank)
    return JudgedRankings(
        num_topics=len(tables),
        num_ret=retrieved.sizes,
        topic=topic[in_order],
        rank=rank[in_order],
        rel=levels[entry[in_order]],
        pool_topic=judgements.topic,
        pool_rel=judgements.rel,
        max_rel=max_rel,
        judgements=judgements,
        recent=Memo(),
    )


#: Three arrays: topic, index of the judgement, and rank of each retrieved judged document, sorted by topic.
_Hits: TypeAlias = tuple[IntArray, IntArray, IntArray]


def _among_judged(tables: Tables, retrieved: Retrieved, scores: _Scores) -> _Hits:
    """Find the hits by looking up every judged document in the run; the rank comes from counting the higher
    scores."""
    hits: list[tuple[int, int, int]] = []
    starts, ends = retrieved.starts.tolist(), (retrieved.starts + retrieved.sizes).tolist()
    columns = zip(tables, retrieved.documents, starts, ends, strict=True)
    for topic, (table, documents, start, end) in enumerate(columns):
        for docno, entry in table.items():
            if docno in documents:
                hits.append((topic, entry, _rank(docno, documents, scores[start:end], scores.dtype.type)))
    topics, entries, ranks = np.array(hits, np.int64).reshape(-1, 3).T
    return topics, entries, ranks


def _rank(docno: str, documents: Mapping[str, float], scores: _Scores, number: type[np.floating[Any]]) -> int:
    with np.errstate(over="ignore"):
        score = number(documents[docno])
    tied = np.flatnonzero(scores == score)
    rank = 1 + int(np.count_nonzero(scores > score))
    if len(tied) > 1:
        names = list(documents)
        by_docno = _descending([names[row] for row in tied.tolist()])
        rank += next(place for place, i in enumerate(by_docno) if names[tied[i]] == docno)
    return rank


def _among_retrieved(tables: Tables, retrieved: Retrieved, scores: _Scores) -> _Hits:
    """Find the hits by looking up every retrieved document in the judgements; the rank comes from sorting all
    scores."""
    # This is one map(table.get, documents, repeat(-1)) per topic.
    looked_up = map(map, [table.get for table in tables], retrieved.documents, repeat(repeat(-1)))
    entry = np.fromiter(chain.from_iterable(looked_up), np.int64, len(scores))
    rows = np.flatnonzero(entry >= 0)
    topic = np.repeat(np.arange(len(tables)), retrieved.sizes)
    position = _positions(retrieved, scores, topic, rows)
    topic = topic[rows]
    return topic, entry[rows], position - retrieved.starts[topic] + 1


def _positions(retrieved: Retrieved, scores: _Scores, topic: IntArray, rows: IntArray) -> IntArray:
    """The position of each of ``rows`` after all documents are sorted by topic, score and docno."""
    falling = -scores
    same = topic[1:] == topic[:-1]
    order = position = np.arange(len(topic))
    if ((falling[1:] < falling[:-1]) & same).any():
        order = sorted_by(topic, falling)
        falling = falling[order]
        position = np.empty_like(order)
        position[order] = np.arange(len(order))
    first = np.ones(len(order), np.bool_)
    first[1:] = (falling[1:] != falling[:-1]) | ~same
    if first.all():
        return position[rows]
    starts = first.nonzero()[0]
    ends = np.append(starts[1:], len(order))
    with_hit = np.zeros(len(starts), np.bool_)
    with_hit[np.cumsum(first)[position[rows]] - 1] = True
    groups = np.flatnonzero(with_hit & (ends - starts > 1))
    names: list[str] = []
    last = -1
    for start, end in zip(starts[groups].tolist(), ends[groups].tolist(), strict=True):
        number = int(topic[start])
        if number != last:
            names, last = list(retrieved.documents[number]), number
        by_docno = _descending([names[row] for row in (order[start:end] - retrieved.starts[number]).tolist()])
        position[order[start:end][by_docno]] = np.arange(start, end)
    return position[rows]


def _descending(docnos: list[str]) -> list[int]:
    """Indices of the ids in descending order of their bytes."""
    keys: list[Any] = docnos if "".join(docnos).isascii() else list(map(_bytes, docnos))
    return sorted(range(len(keys)), key=keys.__getitem__, reverse=True)


def _bytes(docno: str) -> bytes:
    try:
        return docno.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return docno.encode("utf-8", "surrogatepass")
