"""A run as a dict of dicts, joined with judgements without being turned into columns."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from itertools import chain
from typing import Any

import numpy as np
from msgspec.structs import replace

from crosscheck.axes.base import Stage
from crosscheck.axes.ties import SCORE_PRECISION, ScorePrecision
from crosscheck.conventions import Conventions
from crosscheck.evaluation.rankings import Rankings
from crosscheck.evaluation.read import reads_all
from crosscheck.formats.dicts import run_from_dict
from crosscheck.model import IntArray, Run
from crosscheck.rankings.dict_pool import Retrieved, hits
from crosscheck.rankings.pairing import JudgedPool
from crosscheck.rankings.spelling import alike_in_dicts

__all__ = ["DictRankings", "judge_dict"]

#: Types of scores that need no check; :func:`run_from_dict` handles all others.
_NUMBERS = {float, int, np.float64, np.float32, np.int64}


class _OddError(Exception):
    """A value that :func:`run_from_dict` must handle."""


def judge_dict(run: Mapping[Any, Mapping[Any, Any]], pool: JudgedPool) -> Rankings:
    """The rankings of ``{topic: {docno: score}}``.

    The same as from :func:`~crosscheck.formats.dicts.run_from_dict`, except that ids of unjudged documents
    are not checked.

    Raises:
        InputError: as :func:`~crosscheck.formats.dicts.run_from_dict`.
    """
    try:
        return DictRankings(run, pool)
    except (_OddError, OverflowError, UnicodeError):
        return Rankings(run_from_dict(run), pool)


class DictRankings(Rankings):
    """Rankings of a run that stays a dict of dicts; ``pairing`` holds judged rows only."""

    def __init__(self, run: Mapping[Any, Mapping[Any, Any]], pool: JudgedPool) -> None:
        if not all(type(d) is dict and type(t) is str and "\0" not in t for t, d in run.items()):
            raise _OddError
        named = {topic.encode("utf-8", "surrogateescape"): topic for topic in run if run[topic]}
        ids = tuple(sorted(named))
        super().__init__(_outline(ids, np.array([len(run[named[id]]) for id in ids], np.int64)), pool)
        _checked([run[named[id]] for id in ids if id not in pool.number])
        self._mapping = run
        self._retrieved = _checked([run[named[id]] for id in self.pairing.topics])
        self._tables = [pool.tables[number] for number in self.pairing.qrels_topic.tolist()]
        # The judged documents are the same in either precision.
        found = hits(self._tables, self._retrieved, ScorePrecision.FLOAT32)
        self._first_ranks = found.rank
        self.pairing = replace(
            self.pairing,
            topic=found.topic,
            rels=pool.qrels.rels[found.entry],
            alike=alike_in_dicts(self._tables, self._retrieved.documents),
        )

    @cached_property
    def _whole(self) -> Rankings:
        return Rankings(run_from_dict(self._mapping), self.pairing.pool)

    def reread(self, conventions: Conventions) -> Rankings:
        """As :meth:`Rankings.reread`; also for conventions that need the ids of all documents."""
        simple = conventions.of(Stage.ORDER).changed <= {SCORE_PRECISION}
        if simple and reads_all(self.pairing.run, conventions):
            return self
        return self._whole.reread(conventions)

    def _rank(self, conventions: Conventions) -> IntArray:
        """Rank of each retrieved judged document, in the order of ``pairing.topic``."""
        precision = conventions[SCORE_PRECISION]
        if precision is ScorePrecision.FLOAT32:
            return self._first_ranks
        return hits(self._tables, self._retrieved, precision).rank


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


def _checked(tables: list[Mapping[str, Any]]) -> Retrieved:
    if not _NUMBERS.issuperset(map(type, chain.from_iterable(table.values() for table in tables))):
        raise _OddError
    retrieved = Retrieved.of(tables)
    if np.isnan(retrieved.scores).any():
        raise _OddError
    return retrieved
