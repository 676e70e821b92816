"""The queries that properties are tried on, and functions to read and to build queries."""

from __future__ import annotations

import random
import string
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from crosscheck.probes.probe import Line, Probe, Query

__all__ = ["Setting", "alone", "docnos_of", "levels_of", "ordinary_queries", "ranked", "telling_queries"]

_RANDOM = 10
#: Up to this cutoff, there are queries with a relevant document beyond the cutoff.
_LONG = 20
#: Levels of retrieved documents, None for unjudged, and levels of documents that were not retrieved.
_LEVELS = (None, 0, 0, 1, 2, 3)
_MISSED = ((), (1,), (2, 1), (3, 1, 1, 0))


class Setting(NamedTuple):
    """The facts about a metric that are known before it is called.

    Attributes:
        cutoff: its cutoff, 0 if it has none; if it is unknown, a number that is probably not too small.
        level: the lowest level that is relevant.
        values, means: whether it gives a value per query, and whether it gives a mean.
        few: whether each query needs a call of its own, so that only small queries are tried.
    """

    cutoff: int
    level: int
    values: bool
    means: bool
    few: bool = False


def ranked(docnos: Sequence[str], judged: Mapping[str, int]) -> Query:
    """A query with these results in this order: by line, by rank column and by score."""
    lines = (Line(docno, rank, float(len(docnos) - rank + 1)) for rank, docno in enumerate(docnos, 1))
    return Query(tuple(judged.items()), tuple(lines))


def docnos_of(query: Query) -> list[str]:
    """The docnos of the results, in the order of the lines."""
    return [line.docno for line in query.lines]


def levels_of(query: Query) -> dict[str, int]:
    """Docno -> level: of the results in the order of the lines, 0 if unjudged; then of missed documents."""
    judged = dict(query.judged)
    return {docno: judged.get(docno, 0) for docno in dict.fromkeys((*docnos_of(query), *judged))}


def alone(query: Query, setting: Setting) -> Probe:
    """A probe of one query that reads its value, or the mean if the metric gives no values per query."""
    return Probe("", (("1", query),), "1" if setting.values else None)


def ordinary_queries(setting: Setting, seed: int) -> Iterator[Query]:
    """Small queries, then random ones similar to real data; each retrieved something relevant."""
    yield from (_query(levels, (), setting) for levels in ((0, 3), (None, 1, 3)))
    yield _query((0, 2, 3), (3, 1), setting)
    yield _query((1, None, None), (2, 0, 0), setting)
    if 0 < setting.cutoff <= _LONG:
        yield from (_query((*(setting.cutoff * (other,)), 3), (), setting) for other in (0, None))
    if setting.few:
        return
    yield from (_query(levels, (), setting) for levels in ((3,), (3, 0)))
    rng = random.Random(f"properties {seed}")
    longest = min(setting.cutoff or 5, 10) + 4
    for i in range(_RANDOM):
        levels = rng.choices(_LEVELS, k=rng.randint(2, longest))
        levels[rng.randrange(len(levels))] = rng.choice((1, 2, 3))
        yield _query(levels, _MISSED[i % len(_MISSED)], setting)


def telling_queries(setting: Setting, seed: int) -> Iterator[Query]:
    """Queries that show whether something counts at all: a relevant document before as many others as the
    cutoff, and several relevant documents; then the ordinary queries."""
    for count in dict.fromkeys((1, setting.cutoff or 1)):
        for other in (0, None):
            yield _query((3, *(count * (other,))), (), setting)
    yield _query((1, 1), (), setting)
    yield _query((1, 1, 0), (1,), setting)
    yield from ordinary_queries(setting, seed)


def _query(levels: Sequence[int | None], missed: Sequence[int], setting: Setting) -> Query:
    count = len(levels) + len(missed)
    names = list(string.ascii_lowercase) if count <= 26 else [f"d{i}" for i in range(1, count + 1)]
    judged = {
        docno: level + setting.level - 1 if level > 0 else level
        for docno, level in zip(names, (*levels, *missed), strict=False)
        if level is not None
    }
    return ranked(names[: len(levels)], judged)
