"""Judgements and runs as dicts, in the form of pytrec_eval and ir_measures."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import chain, count
from operator import index

import numpy as np

from crosscheck.axes.score_precision import ScorePrecision
from crosscheck.model import IntArray
from crosscheck.rankings.judged import JudgedRankings, by_rank
from crosscheck.rankings.memo import Memo
from crosscheck.rankings.pairing import PooledJudgements
from crosscheck.rankings.scored import Retrieved, hits

__all__ = ["DictPool"]


class DictPool:
    """Judgements ``{query: {docno: level}}``, prepared once for any number of runs.

    Queries without any judgement are left out.

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
        self._levels = np.concatenate(levels)
        self._max_rel = int(self._levels.max(initial=0))
        self._last: tuple[list[str], PooledJudgements] | None = None

    def judged(self, run: Mapping[str, Mapping[str, float]]) -> tuple[list[str], JudgedRankings]:
        """The judged rankings of the queries that have both results and judgements, in the order of the run.

        Scores are compared as float32 and ties broken by descending docno, as trec_eval 9 does. A query
        may have no document at all.

        Raises:
            TypeError: an id is not text, or a score is not a number.
            ValueError: a score is NaN, which has no rank, or too large for a float.
        """
        queries = [query for query in run if query in self._tables]
        tables = [self._tables[query] for query in queries]
        retrieved = _retrieved(queries, run)
        found = hits(tables, retrieved, ScorePrecision.FLOAT32)
        in_order = by_rank(found.topic, found.rank)
        pool = self._judgements(queries)
        return queries, JudgedRankings(
            num_topics=len(queries),
            num_ret=retrieved.sizes,
            topic=found.topic[in_order],
            rank=found.rank[in_order],
            rel=self._levels[found.entry[in_order]],
            pool_topic=pool.topic,
            pool_rel=pool.rel,
            max_rel=self._max_rel,
            judgements=pool,
        )

    def _judgements(self, queries: list[str]) -> PooledJudgements:
        if self._last is None or self._last[0] != queries:
            tables = [self._tables[query] for query in queries]
            sizes = np.fromiter(map(len, tables), np.int64, len(tables))
            entries = np.fromiter(chain.from_iterable(table.values() for table in tables), np.int64)
            topic = np.repeat(np.arange(len(queries)), sizes)
            self._last = (queries, PooledJudgements(topic, self._levels[entries], Memo()))
        return self._last[1]


def _retrieved(queries: list[str], run: Mapping[str, Mapping[str, float]]) -> Retrieved:
    documents = [run[query] for query in queries]
    for query, found in zip(queries, documents, strict=True):
        _check_documents(query, found)
    try:
        retrieved = Retrieved.of(documents)
    except OverflowError:
        raise ValueError("a score is too large for a float") from None
    if np.isnan(retrieved.scores).any():
        raise ValueError("a score is NaN, which has no rank")
    return retrieved


def _check_documents(query: str, found: object) -> None:
    if type(found) is not dict and not isinstance(found, Mapping):
        raise TypeError(f"query {query!r}: {{docno: score}} is needed, not {type(found).__name__}")
    # Only the first is checked: checking each would take as long as all the rest. numpy must convert the
    # others to floats, and an id that is not text matches no judgement.
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
