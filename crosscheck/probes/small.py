"""Inputs of one to three documents, smallest and simplest first, in which counterexamples are searched."""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import lru_cache
from itertools import combinations_with_replacement, permutations, product

from crosscheck.probes.probe import OWN_ID, Line, Probe, Query

__all__ = ["several_queries", "small_queries"]

_DOCNOS = ("a", "b", "c")
#: Levels, simplest first; None is unjudged.
_LEVELS: tuple[int | None, ...] = (1, 0, 2, 3, None, -1)
#: Scores that are equal in single precision only.
_CLOSE = (1.00000002, 1.00000001, 1.0)
#: Scores of up to three results, simplest first.
_SCORES: tuple[tuple[float, ...], ...] = (
    (3.0, 2.0, 1.0),
    (1.0, 1.0, 1.0),
    _CLOSE,
    (1.0, 2.0, 3.0),
    (0.0, -1.0, -2.0),
)


@lru_cache(maxsize=2)
def small_queries(seed: int, limit: int = 4000) -> tuple[Query, ...]:
    """Queries of at most three documents, the simplest of each size first."""
    rng = random.Random(seed)
    made: list[Query] = []
    for count in (1, 2, 3):
        of_this_size = list(_of_size(count))
        if len(of_this_size) > limit:
            kept = sorted(rng.sample(range(len(of_this_size)), limit))
            of_this_size = [of_this_size[i] for i in kept]
        made += sorted(of_this_size, key=_plainness)
    return tuple(made)


def _of_size(count: int) -> Iterator[Query]:
    docnos = _DOCNOS[:count]
    for levels in product(_LEVELS, repeat=count):
        judged = tuple((d, v) for d, v in zip(docnos, levels, strict=True) if v is not None)
        for retrieved in range(1, count + 1):
            if None in levels[retrieved:] or not judged:
                continue
            for listed in {docnos[:retrieved]: None, docnos[:retrieved][::-1]: None}:
                for scores, ranks in product(_SCORES, permutations(range(1, retrieved + 1))):
                    yield Query(judged, tuple(map(Line, listed, ranks, scores[:retrieved])))
    if count == 1:
        yield from _spelt_differently()
    if count == 2:
        yield from _with_own_id()


def _spelt_differently() -> Iterator[Query]:
    """Queries with one document whose id is spelt differently in the qrels: letter case, blanks, a leading
    zero."""
    for in_qrels, in_run in (("A", "a"), (" a", "a"), ("07", "7")):
        yield Query(((in_qrels, 1),), (Line(in_run, 1, 3.0),))


def _with_own_id() -> Iterator[Query]:
    """Queries with a document that has the id of its query, ranked above another one."""
    lines = (Line(OWN_ID, 1, 3.0), Line("a", 2, 2.0))
    for own, other in product(_LEVELS, repeat=2):
        judged = tuple((d, v) for d, v in ((OWN_ID, own), ("a", other)) if v is not None)
        if judged:
            yield Query(judged, lines)


def _plainness(query: Query) -> tuple[int, ...]:
    scores = [line.score for line in query.lines]
    levels = [level for _, level in query.judged]
    docnos = [line.docno for line in query.lines]
    return (
        int([line.rank for line in query.lines] != sorted(line.rank for line in query.lines)),
        int(scores != sorted(scores, reverse=True)),
        int(min(scores) <= 0),
        int(scores[0] == _CLOSE[0]),
        int(len(set(scores)) < len(scores)),
        int(OWN_ID in docnos),
        int(docnos != sorted(docnos)),
        int(min(levels) < 0),
        sum(levels),
        len(query.lines),
    )


def several_queries() -> Iterator[Probe]:
    """Inputs of two or three queries with one document each: found, not found, without results, and so on.

    Each input is yielded once to read the value of each query, and once to read the mean.
    """
    line = (Line("a", 1, 1.0),)
    kinds = {
        "found": Query((("a", 1),), line),
        "not found": Query((("b", 1),), line),
        "without results": Query((("a", 1),), ()),
        "without judgements": Query((), line),
        "without relevant documents": Query((("a", 0),), line),
    }
    for count in (2, 3):
        for chosen in combinations_with_replacement(kinds, count):
            queries = tuple((str(i), kinds[name]) for i, name in enumerate(chosen, 1))
            if not any(query.lines and query.judged for _, query in queries):
                continue
            about = ", ".join(chosen)
            for id, _ in queries:
                yield Probe(about, queries, id)
            yield Probe(about, queries, None)
