"""Laws that a metric keeps or not, whatever its conventions: each with the inputs that it compares."""

from __future__ import annotations

import math
import random
import string
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from typing import NamedTuple, TypeAlias

from msgspec.structs import replace

from crosscheck.inputs.queries import Line, Probe, Query

_RANDOM = 10
#: Up to this cutoff, there are queries with a relevant document beyond the cutoff.
_LONG_CUTOFF = 20
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
    if 0 < setting.cutoff <= _LONG_CUTOFF:
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


#: Inputs whose values are compared: in most cases one input, and the same input with one change.
Inputs: TypeAlias = tuple[Probe, ...]
Variation: TypeAlias = Callable[[Query, Setting], Iterator[Inputs]]

#: Above this cutoff, only queries of at most two results are filled up to the cutoff.
_LONG = 50
_BEYOND = ("beyond-1", "beyond-2", "beyond-3")


def itself(query: Query, setting: Setting) -> Iterator[Inputs]:
    """The query; the query with nonrelevant results only; for a metric that gives only a mean, also three
    queries at once."""
    yield (alone(query, setting),)
    yield (alone(_barren(query), setting),)
    if not setting.values:
        yield (_several({"1": query, "2": _apart(query), "3": _apart(_apart(query))}, None),)


def asked_again(query: Query, setting: Setting) -> Iterator[Inputs]:
    """The same input twice, with and without tied documents."""
    for same in (query, _tied(query, 2), _tied(query, len(query.lines))):
        yield alone(same, setting), alone(same, setting)


def with_a_repeated_line(query: Query, setting: Setting) -> Iterator[Inputs]:
    """The query, and the query with a relevant document repeated directly below itself or at the end."""
    docnos, judged = docnos_of(query), dict(query.judged)
    for i in islice(_relevant_places(query, setting), 3):
        for longer in ([*docnos[: i + 1], docnos[i], *docnos[i + 1 :]], [*docnos, docnos[i]]):
            yield alone(query, setting), alone(ranked(longer, judged), setting)


def with_a_better_one_up(query: Query, setting: Setting) -> Iterator[Inputs]:
    """The query, and the query with a document moved above the one before it, which has a lower level."""
    docnos, levels = docnos_of(query), levels_of(query)
    better = [i for i in range(1, len(docnos)) if levels[docnos[i]] > levels[docnos[i - 1]]]
    for i in better[:6]:
        swapped = [*docnos[: i - 1], docnos[i], docnos[i - 1], *docnos[i + 1 :]]
        yield alone(query, setting), alone(ranked(swapped, dict(query.judged)), setting)


def with_another_found(query: Query, setting: Setting) -> Iterator[Inputs]:
    """The query, and the query with a missed relevant document added at the end of its results."""
    docnos, judged = docnos_of(query), dict(query.judged)
    for docno, level in judged.items():
        if docno not in docnos and level >= setting.level:
            yield alone(query, setting), alone(ranked([*docnos, docno], judged), setting)


def longer_by_unjudged(query: Query, setting: Setting) -> Iterator[Inputs]:
    """A list that fills the cutoff, and the same list with unjudged documents added at its end."""
    docnos, judged = docnos_of(query), dict(query.judged)
    if setting.cutoff > _LONG and len(docnos) > 2:
        return
    filled = [*docnos, *(f"filler-{i}" for i in range(len(docnos), setting.cutoff))]
    for count in (1, len(_BEYOND)):
        yield (
            alone(ranked(filled, judged), setting),
            alone(ranked([*filled, *_BEYOND[:count]], judged), setting),
        )


def with_other_docnos(query: Query, setting: Setting) -> Iterator[Inputs]:
    """The query, and the query with its docnos exchanged for each other or replaced by numbers."""
    names = sorted(levels_of(query))
    for others in (names[::-1], [str(101 + i) for i in range(len(names))]):
        name = dict(zip(names, others, strict=True))
        judged = {name[docno]: level for docno, level in query.judged}
        lines = tuple(replace(line, docno=name[line.docno]) for line in query.lines)
        yield alone(query, setting), alone(Query(tuple(judged.items()), lines), setting)


def with_lines_moved(query: Query, setting: Setting) -> Iterator[Inputs]:
    """The query, and the query with the lines of run or qrels in another order, otherwise unchanged."""
    yield alone(query, setting), alone(replace(query, lines=query.lines[::-1]), setting)
    yield alone(query, setting), alone(replace(query, judged=query.judged[::-1]), setting)
    half = len(query.lines) // 2
    turned = query.lines[half:] + query.lines[:half]
    yield alone(query, setting), alone(replace(query, lines=turned), setting)


def with_tied_lines_moved(query: Query, setting: Setting) -> Iterator[Inputs]:
    """The query with tied documents, and the same with the lines of the run in reversed order."""
    for size in (2, len(query.lines)):
        tied = _tied(query, size)
        yield alone(tied, setting), alone(replace(tied, lines=tied.lines[::-1]), setting)


def with_other_scores(query: Query, setting: Setting) -> Iterator[Inputs]:
    """The query, and the query with negative, tiny or huge scores in the same order."""
    for factor, less in ((1.0, 100.5), (1 / 1024, 0.0), (1e6, 0.0)):
        lines = tuple(replace(line, score=factor * line.score - less) for line in query.lines)
        yield alone(query, setting), alone(replace(query, lines=lines), setting)


def with_queries_swapped(query: Query, setting: Setting) -> Iterator[Inputs]:
    """Two queries, and the same two with their ids exchanged. The value that is compared is that of
    ``query``, under either id."""
    for other in (_contrary(query, setting), _apart(query)):
        yield (
            _several({"2": query, "10": other}, "2" if setting.values else None),
            _several({"2": other, "10": query}, "10" if setting.values else None),
        )


def beside_another_query(query: Query, setting: Setting) -> Iterator[Inputs]:
    """The query alone, and with another query before or after it, which has the same documents or others."""
    if setting.values:
        for other in (_contrary(query, setting), _barren(query), _apart(query)):
            for name in ("10", "3"):
                yield _several({"2": query}, "2"), _several({"2": query, name: other}, "2")


def two_and_their_mean(query: Query, setting: Setting) -> Iterator[Inputs]:
    """One query, another query, and both together, all read by their mean."""
    for other in (_apart(query), _apart(_contrary(query, setting)), _apart(_barren(query))):
        if setting.means:
            one, two = _several({"1": query}, None), _several({"2": other}, None)
            yield one, two, _several({"1": query, "2": other}, None)


def best_and_others(query: Query, setting: Setting) -> Iterator[Inputs]:
    """The list of all relevant documents, highest level first, and another list of the same query."""
    levels, judged, docnos = levels_of(query), dict(query.judged), docnos_of(query)
    best = sorted((d for d, level in levels.items() if level >= setting.level), key=lambda d: -levels[d])
    others = (docnos, docnos[::-1], ["x", *best], best[:1], best[::-1])
    for other in others if best else ():
        yield alone(ranked(best, judged), setting), alone(ranked(other, judged), setting)


def worst_and_others(query: Query, setting: Setting) -> Iterator[Inputs]:
    """A list of as many documents as the query retrieves, all of level 0 or unjudged, and beside it the list
    of the query; then the same with the list of the query reversed."""
    docnos, judged = docnos_of(query), dict(query.judged)
    count = len(docnos)
    nonrelevant = [docno for docno, level in judged.items() if level == 0]
    worst = [*nonrelevant, *(f"filler-{i}" for i in range(1, count + 1))][:count]
    for other in (docnos, docnos[::-1]):
        yield alone(ranked(worst, judged), setting), alone(ranked(other, judged), setting)


def upside_down(query: Query, setting: Setting) -> Iterator[Inputs]:
    """The ranking and its reverse."""
    yield (
        alone(query, setting),
        alone(ranked(docnos_of(query)[::-1], dict(query.judged)), setting),
    )


def with_scores_upside_down(query: Query, setting: Setting) -> Iterator[Inputs]:
    """The query, and the query with its scores in reversed order but the same lines and rank column."""
    scores = [line.score for line in query.lines][::-1]
    lines = tuple(replace(line, score=score) for line, score in zip(query.lines, scores, strict=True))
    yield alone(query, setting), alone(replace(query, lines=lines), setting)


def with_a_higher_level(query: Query, setting: Setting) -> Iterator[Inputs]:
    """The query, and the query with one of several relevant documents raised by two levels."""
    judged = dict(query.judged)
    relevant = [docno for docno, level in judged.items() if level >= setting.level]
    for docno in relevant[:2] if len(relevant) > 1 else ():
        higher = judged | {docno: judged[docno] + 2}
        yield alone(query, setting), alone(replace(query, judged=tuple(higher.items())), setting)


def with_more_missed(query: Query, setting: Setting) -> Iterator[Inputs]:
    """The query, and the query with further relevant documents that were not retrieved."""
    for count in (1, 3):
        missed = tuple((f"missed-{i}", setting.level + 2) for i in range(1, count + 1))
        yield alone(query, setting), alone(replace(query, judged=(*query.judged, *missed)), setting)


def _several(queries: Mapping[str, Query], reads: str | None) -> Probe:
    return Probe("", tuple(queries.items()), reads)


def _relevant_places(query: Query, setting: Setting) -> Iterator[int]:
    levels = levels_of(query)
    return (i for i, docno in enumerate(docnos_of(query)) if levels[docno] >= setting.level)


def _tied(query: Query, size: int) -> Query:
    """The query with its documents tied in groups of ``size``."""
    lines = (replace(line, score=100.0 - i // size) for i, line in enumerate(query.lines))
    return replace(query, lines=tuple(lines))


def _apart(query: Query) -> Query:
    """The same query with other docnos."""
    return Query(
        tuple((f"{docno}-", level) for docno, level in query.judged),
        tuple(replace(line, docno=f"{line.docno}-") for line in query.lines),
    )


def _contrary(query: Query, setting: Setting) -> Query:
    """The same documents, relevant ones judged 0 and the others relevant, and one more relevant result."""
    levels = levels_of(query)
    judged = {docno: 0 if level >= setting.level else setting.level for docno, level in levels.items()}
    return ranked([*docnos_of(query), "also"], {**judged, "also": setting.level})


def _barren(query: Query) -> Query:
    """The same results, all judged nonrelevant, and one relevant document that was not retrieved."""
    return replace(query, judged=(*((docno, 0) for docno in docnos_of(query)), ("missed", 1)))


#: Values that are as near as this are the same: metrics that compute in single precision keep no more.
_SLACK = 1e-6

Relation = Callable[[Sequence[float]], bool]


class Property(NamedTuple):
    """One property.

    Attributes:
        says: the property in words; broken: the statement in words if it does not hold.
        vary: function from a query to tuples of inputs; holds: whether the values of a tuple are as required.
        reads: whether the property states that the metric reads something; such a property holds if ``holds``
            is true for one tuple, not only if it is true for all.
        again: whether its inputs are the same on purpose; for other properties, tuples of inputs that are the
            same to a metric are left out.
        queries: maximum number of queries that the property is tried on.
    """

    name: str
    says: str
    broken: str
    vary: Variation
    holds: Relation
    reads: bool = False
    again: bool = False
    queries: int = 100


def same(values: Sequence[float]) -> bool:
    """Whether all values equal the first one, within the tolerance of single precision."""
    first = values[0]
    return all(v == first or _near(v, first) or (math.isnan(v) and math.isnan(first)) for v in values)


def _near(a: float, b: float) -> bool:
    return abs(a - b) <= _SLACK * max(1.0, min(abs(a), abs(b)))


def _differ(values: Sequence[float]) -> bool:
    return not same(values)


def _in_unit_interval(values: Sequence[float]) -> bool:
    return all(-_SLACK <= value <= 1 + _SLACK for value in values)


def _no_lower(values: Sequence[float]) -> bool:
    first, then = values
    return then >= first or same(values)


def _no_higher(values: Sequence[float]) -> bool:
    return _no_lower(values[::-1])


def _last_between(values: Sequence[float]) -> bool:
    one, other, both = values
    return _no_lower((min(one, other), both)) and _no_higher((max(one, other), both))


PROPERTIES = (
    Property(
        "repeatable",
        "the same input has the same value each time",
        "the same input has another value each time",
        asked_again,
        same,
        again=True,
    ),
    Property(
        "bounded",
        "its values lie in [0, 1]",
        "its value lies outside [0, 1]",
        itself,
        _in_unit_interval,
    ),
    Property(
        "duplicates",
        "a document that occurs twice never raises it",
        "a document that occurs twice raises it",
        with_a_repeated_line,
        _no_higher,
    ),
    Property(
        "promotion",
        "moving a document above one of a lower level never lowers it",
        "moving a document above one of a lower level lowers it",
        with_a_better_one_up,
        _no_lower,
    ),
    Property(
        "other-queries",
        "adding a query changes the value of no other",
        "adding a query changes the value of another",
        beside_another_query,
        same,
        queries=4,
    ),
    Property(
        "mean",
        "the mean over two queries lies between their values",
        "the mean over two queries (the third input) does not lie between their values",
        two_and_their_mean,
        _last_between,
        queries=4,
    ),
    Property(
        "another-found",
        "a further relevant document at the end of the list never lowers it",
        "a further relevant document at the end of the list lowers it",
        with_another_found,
        _no_lower,
    ),
    Property(
        "unjudged-end",
        "unjudged documents beyond the cutoff, or at the end of the list, change nothing",
        "unjudged documents beyond the cutoff, or at the end of the list, change it",
        longer_by_unjudged,
        same,
    ),
    Property(
        "docnos",
        "renaming the documents changes nothing",
        "renaming the documents changes it",
        with_other_docnos,
        same,
    ),
    Property(
        "line-order",
        "the order of the lines changes nothing",
        "the order of the lines changes it",
        with_lines_moved,
        same,
    ),
    Property(
        "tied-lines",
        "the order of the lines of tied documents changes nothing",
        "the order of the lines of tied documents changes it",
        with_tied_lines_moved,
        same,
    ),
    Property(
        "score-size",
        "nothing of the scores counts but their order",
        "scores in the same order, but of another size, change it",
        with_other_scores,
        same,
    ),
    Property(
        "query-order",
        "the names and the order of the queries change nothing",
        "the names or the order of the queries change it",
        with_queries_swapped,
        same,
        queries=4,
    ),
    Property(
        "best",
        "all relevant documents, highest level first, have the highest value",
        "all relevant documents, highest level first, do not have the highest value",
        best_and_others,
        _no_higher,
    ),
    Property(
        "worst",
        "a list without relevant documents has the lowest value",
        "a list without relevant documents does not have the lowest value",
        worst_and_others,
        _no_lower,
    ),
    Property(
        "reads-ranks",
        "the order of the documents counts",
        "turning the ranking upside down changes nothing",
        upside_down,
        _differ,
        reads=True,
    ),
    Property(
        "reads-scores",
        "the scores count",
        "turning the scores upside down, while the lines stay, changes nothing",
        with_scores_upside_down,
        _differ,
        reads=True,
    ),
    Property(
        "reads-levels",
        "levels above that of a relevant document count",
        "higher levels of relevant documents change nothing",
        with_a_higher_level,
        _differ,
        reads=True,
    ),
    Property(
        "reads-missed",
        "relevant documents that were not retrieved count",
        "relevant documents that were not retrieved change nothing",
        with_more_missed,
        _differ,
        reads=True,
    ),
)
