"""Small inputs as records, their conversion to qrels and a run, and the reduction of an input to a smaller
one."""

from __future__ import annotations

import math
import random
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from ctypes import c_float
from functools import cached_property
from itertools import chain, pairwise
from typing import TypeAlias, TypeVar

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from crosscheck.axes.ids import Ids, meet
from crosscheck.formats.grouping import identifiers
from crosscheck.model import IntArray, Qrels, Run

#: Placeholder for a docno that equals the id of its query.
OWN_ID = "@query"

#: Id of the filler query that is added to a query that some tools cannot evaluate alone.
COMPANY = "company"

#: 2^32 over the golden ratio (Knuth, The Art of Computer Programming 3, section 6.4).
_KNUTH = 2654435761

#: Docnos that no rule for ids changes.
_PLAIN = re.compile(rb"[a-z][a-z0-9]*|[1-9][0-9]*")

#: Share of queries whose lines are in descending order of score, as in most files.
_BY_SCORE = 0.6

_T = TypeVar("_T")


class Line(Struct, frozen=True):
    """One line of a run. The order of lines in a query is their order in the input."""

    docno: str
    rank: int
    score: float


def in_rank_order(lines: Sequence[Line], encoding: str = "utf-8") -> list[Line]:
    """Lines in trec_eval 9's order: by score in single precision, highest first and NaN last, then by docno,
    descending."""

    def key(line: Line) -> float:
        single = c_float(line.score).value
        return math.inf if math.isnan(single) else -single

    return sorted(sorted(lines, key=lambda line: line.docno.encode(encoding), reverse=True), key=key)


class Query(Struct, frozen=True, eq=False):
    """A query with its judgements and results.

    Attributes:
        judged: (docno, relevance level) pairs; empty for a query without judgements.
        lines: the results in input order; empty for a query without results.
        about: the special feature of the query, in words that complete "a query with ..."; empty if
            :attr:`Probe.about` says it.
    """

    judged: tuple[tuple[str, int], ...]
    lines: tuple[Line, ...]
    about: str = ""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Query) and (self.judged, self.lines) == (other.judged, other.lines)

    def __hash__(self) -> int:
        return hash((self.judged, self.lines))

    @property
    def docnos(self) -> list[str]:
        """The docnos of the results, in the order of the lines."""
        return [line.docno for line in self.lines]

    def reranked(self, docnos: Sequence[str], first: float | None = None) -> Query:
        """The query with these results instead; lines, rank column and scores are all in this order.

        Args:
            docnos: the results.
            first: the score at rank 1. Scores fall by one from rank to rank; if ``first`` is None, the last
                is 1.
        """
        above = (len(docnos) if first is None else first) + 1
        lines = (Line(docno, rank, float(above - rank)) for rank, docno in enumerate(docnos, 1))
        return replace(self, lines=tuple(lines))

    def renamed(self, name: Callable[[str], str]) -> Query:
        """The query with ``name(docno)`` in place of each docno."""
        lines = tuple(replace(line, docno=name(line.docno)) for line in self.lines)
        return replace(self, judged=tuple((name(docno), level) for docno, level in self.judged), lines=lines)

    def rescored(self, scores: Iterable[float]) -> Query:
        """The query with these scores, given in the order of the lines."""
        lines = zip(self.lines, scores, strict=True)
        return replace(self, lines=tuple(replace(line, score=score) for line, score in lines))


def ranked(
    docnos: Sequence[str], judged: Iterable[tuple[str, int]] = (), first: float | None = None
) -> Query:
    """A query with these results, in this order, and these judgements. ``first`` as for
    :meth:`Query.reranked`."""
    return Query(tuple(judged), ()).reranked(docnos, first)


#: Function that draws one value for each document, given the number of documents.
Draw: TypeAlias = Callable[[random.Random, int], list[_T]]


def falling(rng: random.Random, count: int) -> list[float]:
    """Scores in rank order: whole numbers that fall by one down to 1."""
    return [float(count - i) for i in range(count)]


class Shape(Struct, frozen=True):
    """The distributions from which a random query is drawn.

    Attributes:
        length: number of results.
        docnos: draws the documents, results first.
        unretrieved: number of judged documents that are not retrieved.
        levels: levels from which that of a result is drawn; None for unjudged.
        missed: levels from which that of an unretrieved document is drawn.
        scores: draws the scores of the results, highest first or in no order.
        judged: probability that a result is judged; None for 1.
        top: level that one relevant document gets. If ``top`` is None and nothing is relevant, the last
            result gets the highest of ``levels``.
        shuffled: whether lines, rank column and scores contradict each other. If None, either lines are
            sorted by score or the rank column is shuffled.
        own: whether one result has the id of its query as docno.
    """

    length: int
    docnos: Draw[str]
    unretrieved: int = 0
    levels: tuple[int | None, ...] = (0, 0, 1, 2, 3)
    missed: tuple[int, ...] = (1, 2, 3)
    scores: Draw[float] = falling
    judged: float | None = None
    top: int | None = None
    shuffled: bool | None = False
    own: bool = False

    def drawn(self, rng: random.Random) -> Query:
        """A random query of this shape."""
        docnos = self.docnos(rng, self.length + self.unretrieved)
        if self.own:
            docnos[rng.randrange(self.length)] = OWN_ID
        results, missed = docnos[: self.length], docnos[self.length :]
        share = self.judged
        drawn = results if share is None else (docno for docno in results if rng.random() < share)
        levels = [(docno, rng.choice(self.levels)) for docno in drawn]
        judged = [(docno, level) for docno, level in levels if level is not None]
        judged += [(docno, rng.choice(self.missed)) for docno in missed]
        relevant = [i for i, (_, level) in enumerate(judged) if level > 0]
        if self.top is not None and relevant:
            one = rng.choice(relevant)
            judged[one] = (judged[one][0], self.top)
        elif self.top is None and not relevant:
            highest = max(level for level in self.levels if level is not None)
            judged = [*(entry for entry in judged if entry[0] != results[-1]), (results[-1], highest)]
        rng.shuffle(judged)
        scored = list(zip(results, self.scores(rng, self.length), strict=True))
        return Query(tuple(judged), tuple(self._lines(rng, scored)))

    def _lines(self, rng: random.Random, scored: list[tuple[str, float]]) -> Iterator[Line]:
        """The lines for (docno, score) pairs, ordered as ``shuffled`` says."""
        ranks = list(range(1, self.length + 1))
        if self.shuffled is None and rng.random() < _BY_SCORE:
            scored.sort(key=lambda entry: -entry[1])
        elif self.shuffled is not False:
            rng.shuffle(ranks)
        if self.shuffled:
            rng.shuffle(scored)
        return (Line(docno, rank, score) for rank, (docno, score) in zip(ranks, scored, strict=True))


class Probe(Struct, frozen=True, dict=True):
    """An input made for a metric, and the value to read from the metric's answer.

    Attributes:
        about: the special feature of the input, in words that complete "a query with ...".
        queries: (query id, query) pairs.
        reads: id of the query whose value is read; None for the mean over all queries.
    """

    about: str
    queries: tuple[tuple[str, Query], ...]
    reads: str | None

    @cached_property
    def qrels(self) -> Qrels:
        return to_qrels(dict(self.queries))

    @cached_property
    def run(self) -> Run:
        return to_run(dict(self.queries))

    @cached_property
    def size(self) -> int:
        """The number of documents, judged or retrieved, summed over the queries; a docno of thousands of
        letters counts as several."""
        docnos = ({*dict(query.judged), *query.docnos} for _, query in self.queries)
        return sum(1 + len(docno) // 1000 for docno in chain.from_iterable(docnos))

    @cached_property
    def rules(self) -> frozenset[Ids]:
        """The rules for ids that change an id of a query or of a document."""
        ids = {id.encode() for id, _ in self.queries}
        docnos = {docno for _, query in self.queries for docno in (*dict(query.judged), *query.docnos)}
        odd = [id for docno in docnos - {OWN_ID} if not _PLAIN.fullmatch(id := docno.encode())]
        changed = [(rule.of_query(id) != id, rule) for rule in Ids for id in ids]
        changed += [(rule.normalised(id) != id, rule) for rule in Ids for id in odd]
        return frozenset(rule for some, rule in changed if some)

    def of(self, *ids: str) -> Probe:
        """The probe reduced to these queries. It reads the value of the query if there is only one, else the
        mean."""
        queries = tuple(entry for entry in self.queries if entry[0] in ids)
        about = queries[0][1].about if len(queries) == 1 else ""
        return Probe(about or self.about, queries, ids[0] if len(ids) == 1 else None)

    def with_one_relevant(self, least: int) -> Probe:
        """The probe with the first judgement of each query whose level is at least ``least``, and without the
        others."""

        def kept(query: Query) -> Query:
            first = next((entry for entry in query.judged if entry[1] >= least), None)
            judged = tuple(entry for entry in query.judged if entry[1] < least or entry is first)
            return replace(query, judged=judged)

        return self.changed(kept)

    def with_levels(self, level_of: Callable[[int], int]) -> Probe:
        """The probe with ``level_of(level)`` in place of each relevance level."""
        return self.changed(lambda q: replace(q, judged=tuple((d, level_of(level)) for d, level in q.judged)))

    def without_negatives(self) -> Probe:
        """The probe with 0 in place of negative levels."""
        negative = any(level < 0 for _, query in self.queries for _, level in query.judged)
        return self.with_levels(lambda level: max(level, 0)) if negative else self

    def with_scores(self, score_of: Callable[[float], float]) -> Probe:
        """The probe with ``score_of(score)`` in place of each score."""
        return self.changed(lambda query: query.rescored(score_of(line.score) for line in query.lines))

    def with_scores_above_0(self) -> Probe:
        """The probe with scores that fall by one to 1, in the same rank order, in each query that has a score
        which is not above 0."""

        def raised(query: Query) -> Query:
            if all(line.score > 0 for line in query.lines):
                return query
            return query.reranked([line.docno for line in in_rank_order(query.lines)])

        return self.changed(raised)

    def changed(self, of: Callable[[Query], Query]) -> Probe:
        """The probe with ``of(query)`` in place of each query."""
        return replace(self, queries=tuple((id, of(query)) for id, query in self.queries))


def numbered(about: str, queries: Iterable[Query], reads: str | None = None) -> Probe:
    """A probe of these queries, with the ids 1, 2, ..."""
    return Probe(about, tuple((str(number), query) for number, query in enumerate(queries, 1)), reads)


def written(
    judged: Iterable[tuple[str, str, int]], ranked: Iterable[tuple[str, str, int, float]], tag: str = "audit"
) -> tuple[str, str]:
    """The text of a qrels file and of a run file for trec_eval.

    Args:
        judged: query id, docno and level of each line.
        ranked: query id, docno, rank and score of each line.
        tag: the tag of the run.
    """
    return (
        "".join(f"{id} 0 {docno} {level}\n" for id, docno, level in judged),
        "".join(f"{id} Q0 {docno} {rank} {score!r} {tag}\n" for id, docno, rank, score in ranked),
    )


def where_ids_meet(probe: Probe, rule: Ids) -> frozenset[str]:
    """The ids of the queries that a rule for ids affects: it makes two of their judged documents, or two of
    their retrieved documents, the same; or it makes the query the same as another judged or retrieved
    query."""
    if rule not in probe.rules:
        return frozenset()
    affected: set[str] = set()
    of_qrels, of_run = list[str](), list[str]()
    for id, query in probe.queries:
        judged, retrieved = {*_docnos(dict(query.judged), id)}, {*_docnos(query.docnos, id)}
        if meet(rule.normalised, judged) or meet(rule.normalised, retrieved):
            affected.add(id)
        of_qrels += [id] if query.judged else []
        of_run += [id] if query.lines else []
    for ids in (of_qrels, of_run):
        number = Counter(rule.of_query(id.encode()) for id in ids)
        affected |= {id for id in ids if number[rule.of_query(id.encode())] > 1}
    return frozenset(affected)


def reordered(probe: Probe, rule: Ids) -> frozenset[str]:
    """The ids of the queries in which a rule for ids changes the order of tied documents by docno."""

    def changed(id: str, query: Query) -> bool:
        ranked = in_rank_order(query.lines)
        forms = [*map(rule.normalised, _docnos((line.docno for line in ranked), id))]
        scores = [c_float(line.score).value for line in ranked]
        rows = pairwise(zip(scores, forms, strict=True))
        return any(one == other and form < later for (one, form), (other, later) in rows)

    return frozenset(id for id, query in probe.queries if rule in probe.rules and changed(id, query))


def also_apart(probe: Probe) -> Iterator[Probe]:
    """Yield an input, and one without the queries that a rule for ids affects, under which their mean is not
    defined."""
    affected = frozenset[str]().union(*(where_ids_meet(probe, rule) for rule in Ids))
    yield probe
    yield replace(probe, queries=tuple(of for of in probe.queries if of[0] not in affected))


def _docnos(docnos: Iterable[str], query: str) -> list[bytes]:
    """The docnos as bytes, with the id of their query in place of :data:`OWN_ID`."""
    return [(query if docno == OWN_ID else docno).encode() for docno in docnos]


def to_qrels(queries: Mapping[str, Query]) -> Qrels:
    """The judgements of the queries as qrels. Queries without judgements are left out."""
    judged = {id: queries[id].judged for id in sorted(queries, key=str.encode) if queries[id].judged}
    docnos = (_docnos((docno for docno, _ in of_query), id) for id, of_query in judged.items())
    sizes = [*map(len, judged.values())]
    return Qrels(
        topics=tuple(map(str.encode, judged)),
        offsets=np.cumsum([0, *sizes]),
        docnos=identifiers([*chain.from_iterable(docnos)]),
        rels=np.array([level for of_query in judged.values() for _, level in of_query], np.int64),
        source="qrels",
        lines=_interleaved(sizes, backwards=True),
    )


def to_run(queries: Mapping[str, Query]) -> Run:
    """The results of the queries as a run. Queries without results are left out."""
    retrieved = {id: queries[id].lines for id in sorted(queries, key=str.encode) if queries[id].lines}
    lines = [*chain.from_iterable(retrieved.values())]
    of_each = [_docnos((line.docno for line in of_query), id) for id, of_query in retrieved.items()]
    sizes = list(map(len, of_each))
    return Run(
        topics=tuple(map(str.encode, retrieved)),
        offsets=np.cumsum([0, *sizes]),
        docnos=identifiers(list(chain.from_iterable(of_each))),
        scores=np.array([line.score for line in lines], np.float64),
        ranks=np.array([line.rank for line in lines], np.int64),
        lines=_interleaved(sizes, backwards=False),
        tag=b"audit",
        source="run",
        unique=all(len(set(docnos)) == len(docnos) for docnos in of_each),
    )


def spread(number: int) -> IntArray:
    """``number`` different whole numbers in scrambled order, always the same (Knuth's multiplicative
    hash)."""
    return np.arange(number) * _KNUTH % 2**32


def _interleaved(sizes: list[int], *, backwards: bool) -> IntArray:
    """The line in the input of each row, such that the rows of different topics are mixed. The rows of one
    topic keep their order.

    Args:
        sizes: number of rows of each topic.
        backwards: whether to mix in the reverse order, so that qrels and run differ: of two topics with one
            row each, the second comes first.
    """
    topic = np.repeat(np.arange(len(sizes)), sizes)
    keys = spread(len(topic))
    return np.argsort(topic[np.argsort(-keys if backwards else keys)], kind="stable")


_Answer = TypeVar("_Answer")


def divided(
    entries: Sequence[_T], ask: Callable[[Sequence[_T]], _Answer], refused: Callable[[_Answer], bool]
) -> Iterator[_Answer]:
    """Yield ``ask(entries)``. If this answer is refused, yield the answers for each half of the entries
    instead, and so on.

    If the first entry and the last entry are both refused alone, only these two answers are yielded, because
    a program may have to be started again after each failure.

    Args:
        refused: whether an answer is a refusal.
    """
    answer = ask(entries)
    if len(entries) == 1 or not refused(answer):
        yield answer
        return
    ends = [ask(entries[:1]), ask(entries[-1:])]
    if len(entries) == 2 or all(map(refused, ends)):
        yield from ends
        return
    half = len(entries) // 2
    for part in (entries[:half], entries[half:]):
        yield from divided(part, ask, refused)


def smallest(probe: Probe, holds: Callable[[Probe], bool], most: int = 600) -> Probe:
    """Shrink a probe while ``holds`` stays true. The result is minimal: if anything more is removed, or a
    level is lowered, ``holds`` is false.

    Args:
        probe: a probe for which ``holds`` is true.
        holds: the condition.
        most: maximum number of attempts, after which the smallest probe so far is returned.
    """
    again = True
    while again:
        again = False
        for smaller in _smaller(probe):
            most -= 1
            if most < 0:
                return probe
            if holds(smaller):
                probe, again = smaller, True
                break
    return probe


def _smaller(probe: Probe) -> Iterator[Probe]:
    """Yield smaller versions of a probe: with fewer queries; then with fewer judgements, fewer lines, or a
    lower level in one query. Large pieces are removed first."""
    for kept in _without_pieces(probe.queries):
        if probe.reads is None or probe.reads in dict(kept):
            yield replace(probe, queries=kept)
    for i, (id, query) in enumerate(probe.queries):
        for changed in _smaller_queries(query):
            yield replace(probe, queries=(*probe.queries[:i], (id, changed), *probe.queries[i + 1 :]))


def _smaller_queries(query: Query) -> Iterator[Query]:
    """Yield the query with fewer judgements, then with fewer lines, then with one level lowered."""
    yield from (replace(query, judged=judged) for judged in _without_pieces(query.judged))
    yield from (replace(query, lines=_renumbered(lines)) for lines in _without_pieces(query.lines))
    for i, (docno, level) in enumerate(query.judged):
        for plainer in dict.fromkeys((1, level // 2, level - 1)):
            if 0 < plainer < level:
                yield replace(query, judged=(*query.judged[:i], (docno, plainer), *query.judged[i + 1 :]))


def _without_pieces(whole: tuple[_T, ...]) -> Iterator[tuple[_T, ...]]:
    """Yield copies of the tuple with one piece removed: first each half, then each quarter, and so on down to
    each single entry. An entry remains in each."""
    piece = len(whole) // 2
    while piece >= 1:
        for start in range(0, len(whole), piece):
            yield whole[:start] + whole[start + piece :]
        piece //= 2


def _renumbered(lines: Sequence[Line]) -> tuple[Line, ...]:
    """The lines with rank columns renumbered from 1, in the same order."""
    order = {line.rank: rank for rank, line in enumerate(sorted(lines, key=lambda line: line.rank), 1)}
    return tuple(replace(line, rank=order[line.rank]) for line in lines)
