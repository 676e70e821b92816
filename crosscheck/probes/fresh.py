"""Fresh inputs: realistic queries on which the inferred conventions must predict every value.

The queries of the battery are small and have one special feature each, to separate conventions. Fresh inputs
are the opposite: long and short lists, all kinds of levels, scores and ids, one query and many. They reveal
behaviour beyond the conventions: a level that is capped, a score that is cut, a query that affects the next.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import lru_cache
from itertools import product
from typing import NamedTuple, TypeVar

from msgspec.structs import replace

from crosscheck.probes.ids import DOCNOS, FIRST, LAST, MIDDLE, NAMESAKES, TOPICS
from crosscheck.probes.probe import Line, Probe, Query
from crosscheck.probes.scores import SCORES, falling

__all__ = ["extreme_probes", "fresh_probes", "highest_level", "is_ordinary", "ordinary"]

_T = TypeVar("_T")

#: Levels of the judged documents of one query, from the usual kinds to the rare ones.
_USUAL_LEVELS: tuple[tuple[int, ...], ...] = (
    (0, 1),
    (0, 0, 0, 1),
    (0, 1, 2),
    (0, 0, 1, 2, 3),
    (0, 1, 2, 3, 4),
    (0, 0, 0, 4),
    (1,),
    (2, 4),
)
_RARE_LEVELS: tuple[tuple[int, ...], ...] = (
    (0, 1, 5),
    (0, 3, 8, 9),
    (0, 1, 4, 10),
    (0, 9, 10, 11, 15),
    (0, 2, 30),
    (1, 3, 16, 20),
    (-1, 0, 1),
    (-2, -1, 0, 1, 3),
    (-2, 0, 2),
    (-2, 1),
)
#: Levels beyond those of any common collection, and beyond the integers of 8 and of 16 bits.
_EXTREME_LEVELS: tuple[tuple[int, ...], ...] = ((0, 128, 200), (0, 1, 256, 300), (1, 40_000, 65_536))
#: Numbers of relevant documents that were not retrieved.
_UNRETRIEVED = (0, 0, 1, 2, 5, 12, 25, 60, 130, 300)
#: Share of the retrieved documents that is judged.
_JUDGED = (1.0, 1.0, 0.8, 0.5)
#: Number of queries per call; the larger calls come last.
_ORDINARY_CALLS = (1, 1, 1, 1, 1, 1, 2, 2, 3, 3, 4, 5, 7, 10, 11, 13, 20)
_RARE_CALLS = (1, 1, 1, 1, 2, 3, 4, 6, 12, 12)
_FEW_CALLS = (1, 2, 5)
#: Number of queries of calls with short lists.
_LARGE_CALLS = (30, 45, 260)
#: Ranks after which the first relevant document comes, for measures that look deeper.
_DEEP = (15, 50, 100, 256, 1000)
#: Numbers of documents of long lists, and of a few still longer ones; each for measures without and with a
#: cutoff.
_LONG, _LONG_CUT = (100, 101, 250, 520), (100, 250)
_LONGEST, _LONGEST_CUT = (1100, 1500, 2500, 3200), (1100,)


class _Shape(NamedTuple):
    """The properties of one query; see the tables above."""

    length: int
    levels: tuple[int, ...]
    unretrieved: int
    judged: float
    scores: Callable[[random.Random, int], list[float]]
    docno: Callable[[int], str]


def highest_level(probe: Probe) -> int:
    """The highest relevance level of all queries, 0 if nothing is judged."""
    return max((level for _, query in probe.queries for _, level in query.judged), default=0)


def ordinary(probe: Probe) -> bool:
    """Whether every metric must answer all queries of an input, or the one that it reads."""
    return all(is_ordinary(*entry) for entry in probe.queries if probe.reads in (None, entry[0]))


def is_ordinary(id: str, query: Query) -> bool:
    """Whether every metric must answer: the query has results and something relevant, levels are 0 to 4,
    scores are finite, and ids are valid in trec_eval's files."""
    levels = [level for _, level in query.judged]
    ids = [id, *(docno for docno, _ in query.judged), *(line.docno for line in query.lines)]
    if not query.lines or not levels or max(levels) < 1 or not set(levels) <= set(range(5)):
        return False
    if not all(math.isfinite(line.score) for line in query.lines):
        return False
    return all(text.split() == [text] for text in ids)


@lru_cache(maxsize=4)  # some megabytes each
def fresh_probes(seed: int, cutoff: int | None, *, few: bool = False) -> tuple[Probe, ...]:
    """The fresh inputs, each for one call: ordinary queries, rare levels, ranks around the cutoff, and more.

    Args:
        few: about thirty queries, without large calls or lists of a thousand, for slow tools that compute
            each query separately.
    """
    rng = random.Random(f"fresh {seed}")
    edges = list(_edges(rng, cutoff or 10))[:: 4 if few else 1]
    special = [*edges, *_namesakes(rng), *_scored(rng, cutoff or 10)]
    if not few:
        special += [*_deep(rng, cutoff), *_many(rng), *_one_sided(rng), *_long_edges(rng, cutoff or 10)]
    return (*_realistic(rng, cutoff, few=few), *special)


def _realistic(rng: random.Random, cutoff: int | None, *, few: bool) -> Iterator[Probe]:
    lengths = _lengths(cutoff)
    for kinds, sizes in ((_USUAL_LEVELS, _ORDINARY_CALLS), (_RARE_LEVELS, _RARE_CALLS)):
        shapes = _shapes(rng, lengths, kinds)
        topics = _dealt(rng, TOPICS)
        for size in _FEW_CALLS if few else sizes:
            # Queries of one call have similar ids and share documents, like those of one collection.
            name, docno = next(topics), rng.choice(DOCNOS)
            queries: list[tuple[str, Query]] = []
            for i in range(size):
                shape = next(shapes)
                queries.append(
                    (name(i + 1), _query(rng, shape if size == 1 else shape._replace(docno=docno)))
                )
            yield Probe("a realistic query" if size == 1 else "realistic queries", tuple(queries), None)
    for length in () if few else _LONGEST if cutoff is None else _LONGEST_CUT:
        query = _query(rng, next(shapes)._replace(length=length))
        yield Probe("a realistic query", (("1", query),), None)


def _lengths(cutoff: int | None) -> list[int]:
    k = cutoff or 10
    near = [max(k + i, 1) for i in (-2, -1, 0, 1, 2)]
    return [1, 2, 3, *near, *near, 2 * k, 16, 17, 31, 41, 45, 64, *(_LONG if cutoff is None else _LONG_CUT)]


def _shapes(
    rng: random.Random, lengths: Sequence[int], levels: Sequence[tuple[int, ...]]
) -> Iterator[_Shape]:
    """An endless series in which every value of a property is equally frequent."""
    dealt = zip(
        _dealt(rng, lengths),
        _dealt(rng, levels),
        _dealt(rng, _UNRETRIEVED),
        _dealt(rng, _JUDGED),
        _dealt(rng, SCORES),
        _dealt(rng, DOCNOS),
        strict=True,
    )
    return (_Shape(*properties) for properties in dealt)


def _dealt(rng: random.Random, values: Sequence[_T]) -> Iterator[_T]:
    """The values repeatedly, each round in a new order."""
    while True:
        yield from rng.sample(values, len(values))


def _query(rng: random.Random, shape: _Shape) -> Query:
    numbers = rng.sample(
        range(1, 3 * (shape.length + shape.unretrieved) + 10), shape.length + shape.unretrieved
    )
    docnos = [shape.docno(number) for number in numbers]
    retrieved, missed = docnos[: shape.length], docnos[shape.length :]
    positive = [level for level in shape.levels if level > 0]
    judged = [(d, rng.choice(shape.levels)) for d in retrieved if rng.random() < shape.judged]
    # In large pools high levels are rare, so that it matters whether all of them are known.
    rare = [min(positive)] * (9 * len(positive) if len(missed) > 50 else 0)
    judged += [(docno, rng.choice([*positive, *rare])) for docno in missed]
    if not any(level > 0 for _, level in judged):
        judged = [*(entry for entry in judged if entry[0] != retrieved[-1]), (retrieved[-1], max(positive))]
    rng.shuffle(judged)
    scores = shape.scores(rng, shape.length)
    ranks = list(range(1, shape.length + 1))
    # Most runs are written in descending order of score; in the others only the score counts.
    lines = list(zip(retrieved, scores, strict=True))
    if rng.random() < 0.6:
        lines.sort(key=lambda line: -line[1])
    else:
        rng.shuffle(ranks)
    return Query(
        tuple(judged),
        tuple(Line(docno, rank, score) for rank, (docno, score) in zip(ranks, lines, strict=True)),
    )


def _edges(rng: random.Random, k: int) -> Iterator[Probe]:
    """Queries with one relevant document, at each rank around the cutoff or at the end of lists of every
    length."""
    found: list[Query] = []
    for length in (1, k - 1, k, k + 1, 2 * k, 41):
        for rank in {1, 2, k - 1, k, k + 1, length}:
            if 1 <= rank <= length:
                lines = tuple(Line(f"d{i}", i, float(length - i)) for i in range(1, length + 1))
                found.append(Query(((f"d{rank}", 1), ("unseen", rng.choice((0, 1)))), lines))
    for i in range(0, len(found), 4):
        queries = tuple((str(number), query) for number, query in enumerate(found[i : i + 4], 1))
        yield Probe("one relevant document, at the cutoff or at the end", queries, None)


def _long_edges(rng: random.Random, k: int) -> Iterator[Probe]:
    """Pairs of long lists whose only relevant documents are the last and one around the cutoff."""
    for longest in (130, 1030):
        for ranks in ((1, k), (1, k), (k, k + 1)):
            queries: list[tuple[str, Query]] = []
            for rank in ranks:
                length = max(longest - rng.randint(0, 30), k + 5)
                lines = tuple(Line(f"d{i}", i, float(length - i)) for i in range(1, length + 1))
                queries.append((f"at-{rank}", Query(((f"d{rank}", 1), (f"d{length}", 1)), lines)))
            yield Probe("one relevant document at the cutoff of a long list", tuple(queries), None)


def _namesakes(rng: random.Random) -> Iterator[Probe]:
    """Queries with similar ids, of which one finds something; documents with similar ids, of which one is
    relevant."""
    for number in rng.sample(range(2, 80), 3):
        pairs = [rng.sample(pair(number), 2) for pair in NAMESAKES]
        named: list[tuple[str, Query]] = []
        for ids in pairs:
            named += zip(ids, (_short(rng, ("d1", "d2", "d3"), {1}), _short(rng, ("d1", "d2"))), strict=True)
        yield Probe("queries with similar ids", tuple(named), None)
        queries = [
            _short(rng, (other, "x", relevant, "y", "z"), places)
            for relevant, other in pairs
            for places in ({2}, {0, 2})
        ]
        yield Probe(
            "documents with similar ids", tuple((str(i), query) for i, query in enumerate(queries, 1)), None
        )


def _short(rng: random.Random, docnos: Sequence[str], relevant: Collection[int] = ()) -> Query:
    """A query with these documents in rank order, and one relevant document that was not retrieved.

    Args:
        relevant: indices of the relevant ones among ``docnos``.
    """
    lines = tuple(Line(docno, rank, 9.0 - rank) for rank, docno in enumerate(docnos, 1))
    judged = [*((docno, int(place in relevant)) for place, docno in enumerate(docnos)), ("unseen", 1)]
    return Query(tuple(rng.sample(judged, len(judged))), lines)


def _scored(rng: random.Random, k: int) -> Iterator[Probe]:
    """Queries with all kinds of scores and lists a little longer than the cutoff, whose docnos differ in
    the parts that tie rules order them by."""
    for _ in range(3):
        queries: list[tuple[str, Query]] = []
        for number, scores in enumerate((*SCORES, *SCORES), 1):
            parts = product(rng.sample(FIRST, 2), rng.sample(MIDDLE, 3), LAST)
            every = sorted({"".join(part) for part in parts})
            docnos = rng.sample(every, min(k, 40) + rng.randint(3, 8))
            judged = [(docno, int(rng.random() < 0.4)) for docno in docnos[1:]]
            found = zip(docnos, scores(rng, len(docnos)), strict=True)
            lines = tuple(Line(docno, rank, score) for rank, (docno, score) in enumerate(found, 1))
            queries.append((str(number), Query(((docnos[0], 1), *judged), lines)))
        yield Probe("all kinds of scores", tuple(queries), None)


def _deep(rng: random.Random, cutoff: int | None) -> Iterator[Probe]:
    """Queries whose first relevant document is deep in the ranking."""
    depths = [depth for depth in _DEEP if cutoff is None or depth < cutoff]
    for _ in range(3 if depths else 0):
        queries: list[tuple[str, Query]] = []
        for depth in depths:
            length = depth + rng.randint(2, 9)
            lines = tuple(Line(f"d{i}", i, float(length - i)) for i in range(1, length + 1))
            relevant = [f"d{rank}" for rank in rng.sample(range(depth + 1, length + 1), 2)]
            queries.append((f"deep-{depth}", Query(tuple((docno, 1) for docno in relevant), lines)))
        yield Probe("a first relevant document deep in the ranking", tuple(queries), None)


def _many(rng: random.Random) -> Iterator[Probe]:
    """Many queries with short lists; the scores of some rise from line to line."""
    for count in _LARGE_CALLS:
        yield Probe("many queries", tuple(_numbered(rng, count)), None)


def _one_sided(rng: random.Random) -> Iterator[Probe]:
    """Queries of which one has no judgements and one no results."""
    for _ in range(3):
        queries = list(_numbered(rng, 8))
        (one, judged), (other, retrieved) = queries[1], queries[4]
        queries[1], queries[4] = (one, replace(judged, lines=())), (other, replace(retrieved, judged=()))
        yield Probe("queries without judgements or without results", tuple(queries), None)


def extreme_probes(seed: int, *, levels: bool) -> Iterator[Probe]:
    """Queries with a last document of score -inf and, with ``levels``, relevance levels beyond 100; in
    pairs."""
    rng = random.Random(f"extreme {seed}")
    for mix in _EXTREME_LEVELS if levels else ():
        shape = _Shape(3, mix, 1, 1.0, falling, DOCNOS[0])
        queries = [_query(rng, shape._replace(length=length)) for length in (3, 12)]
        yield Probe("relevance levels beyond 100", _pair(queries), None)
    for length in (2, 3, 4):
        short = (_short(rng, [f"d{length}-{i}" for i in range(n)], {n - 1}) for n in (1, length))
        queries = [replace(q, lines=(*q.lines[:-1], replace(q.lines[-1], score=-math.inf))) for q in short]
        yield Probe("a score of -inf", _pair(queries), None)


def _pair(queries: Sequence[Query]) -> tuple[tuple[str, Query], ...]:
    return tuple((str(number), query) for number, query in enumerate(queries, 1))


def _numbered(rng: random.Random, count: int) -> Iterator[tuple[str, Query]]:
    for number in range(1, count + 1):
        length = rng.randint(1, 6)
        relevant = rng.sample(range(length), min(rng.choice((0, 1, 1, 1, 2)), length))
        query = _short(rng, [f"d{i}" for i in rng.sample(range(1, 30), length)], relevant)
        if number % 3 == 0:
            query = replace(query, lines=query.lines[::-1])
        yield str(number), query
