"""Laws that a metric keeps or not, whatever its conventions: each with the inputs that it compares."""

from __future__ import annotations

import math
import random
import re
import string
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple, TypeAlias

from msgspec.structs import replace

from crosscheck.inputs.queries import Probe, Query, numbered, ranked

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
    judged = [
        (docno, level + setting.level - 1 if level > 0 else level)
        for docno, level in zip(names, (*levels, *missed), strict=False)
        if level is not None
    ]
    return ranked(names[: len(levels)], judged)


#: Values that are as near as this are the same: metrics that compute in single precision keep no more.
_SLACK = 1e-6

#: Inputs whose values are compared: in most cases one input, and the same input with one change.
Inputs: TypeAlias = tuple[Probe, ...]
#: Function from a query to changed queries, or to tuples of inputs; each query of a tuple is an input.
Variation: TypeAlias = Callable[[Query, Setting], Iterator[Query | tuple[Query | Probe, ...]]]
#: Whether the values of a tuple of inputs are as a property requires.
Relation: TypeAlias = Callable[[Sequence[float]], bool]


def same(values: Sequence[float]) -> bool:
    """Whether all values equal the first one, within the tolerance of single precision."""
    first = values[0]
    return all(v == first or _near(v, first) or (math.isnan(v) and math.isnan(first)) for v in values)


def _near(a: float, b: float) -> bool:
    return abs(a - b) <= _SLACK * max(1.0, min(abs(a), abs(b)))


def _differ(values: Sequence[float]) -> bool:
    return not same(values)


def _in_unit_interval(values: Sequence[float]) -> bool:
    return not any(value < -_SLACK or value > 1 + _SLACK for value in values)  # NaN lies nowhere


def _no_lower(values: Sequence[float]) -> bool:
    first, then = values
    return then >= first or same(values)


def _no_higher(values: Sequence[float]) -> bool:
    return _no_lower(values[::-1])


def _no_higher_than_one(values: Sequence[float]) -> bool:
    before, after = values
    return before > 1 + _SLACK or not after > 1 + _SLACK


def _last_between(values: Sequence[float]) -> bool:
    one, other, both = values
    return _no_lower((min(one, other), both)) and _no_higher((max(one, other), both))


class Property(NamedTuple):
    """One property.

    Attributes:
        says: the property in words; broken: the statement in words if it does not hold.
        vary: function from a query to what is compared; holds: whether its values are as required.
        again: whether its inputs are the same on purpose; for other properties, tuples of inputs that are the
            same to a metric are left out.
        queries: maximum number of queries that the property is tried on.
    """

    name: str
    says: str
    broken: str
    vary: Variation
    holds: Relation
    again: bool
    queries: int

    @property
    def reads(self) -> bool:
        """Whether the property states that the metric reads something; such a property holds if values
        differ for one tuple of inputs, others if their relation holds for all."""
        return self.holds is _differ

    def inputs_of(self, query: Query, setting: Setting) -> Iterator[Inputs]:
        """The tuples of inputs to compare; a changed query is compared with the query itself.

        An input of one query reads its value, or the mean if the metric gives no values per query.
        """
        reads = "1" if setting.values else None
        for varied in self.vary(query, setting):
            several = (query, varied) if isinstance(varied, Query) else varied
            yield tuple(Probe("", (("1", one),), reads) if isinstance(one, Query) else one for one in several)


PROPERTIES: list[Property] = []


def law(
    name: str, words: str, holds: Relation, *, again: bool = False, queries: int = 100
) -> Callable[[Variation], Variation]:
    """Make a variation a property.

    Args:
        words: both statements, with braces where they differ: "it {never lowers|lowers} it".
    """
    says, broken = (re.sub(r"\{(.*?)\|(.*?)\}", rf"\{i}", words) for i in (1, 2))

    def added(vary: Variation) -> Variation:
        PROPERTIES.append(Property(name, says, broken, vary, holds, again, queries))
        return vary

    return added


#: Above this cutoff, only queries of at most two results are filled up to the cutoff.
_LONG = 50
_BEYOND = ("beyond-1", "beyond-2", "beyond-3")
_Changed: TypeAlias = Iterator[Query]
_Compared: TypeAlias = Iterator[tuple[Query | Probe, ...]]


@law("repeatable", "the same input has {the same|another} value each time", same, again=True)
def asked_again(query: Query, setting: Setting) -> _Compared:
    """The same input twice, with and without tied documents."""
    yield from ((one, one) for one in (query, _tied(query, 2), _tied(query, len(query.lines))))


@law("bounded", "its {values lie in|value lies outside} [0, 1]", _in_unit_interval)
def itself(query: Query, setting: Setting) -> _Compared:
    """The query; the query with nonrelevant results only; for a metric that gives only a mean, also three
    queries at once."""
    yield (query,)
    yield (_barren(query),)
    if not setting.values:
        yield (numbered("", (query, _apart(query), _apart(_apart(query)))),)


@law("duplicates", "a document that occurs twice {never raises|raises} it above 1", _no_higher_than_one)
def with_a_repeated_line(query: Query, setting: Setting) -> _Changed:
    """A relevant document repeated directly below itself or at the end."""
    docnos, levels = query.docnos, levels_of(query)
    for i in [i for i, docno in enumerate(docnos) if levels[docno] >= setting.level][:3]:
        yield query.reranked(docnos[: i + 1] + docnos[i:])
        yield query.reranked([*docnos, docnos[i]])


@law("promotion", "moving a document above one of a lower level {never lowers|lowers} it", _no_lower)
def with_a_better_one_up(query: Query, setting: Setting) -> _Changed:
    """A document moved above the one before it, which has a lower level."""
    docnos, levels = query.docnos, levels_of(query)
    for i in [i for i in range(1, len(docnos)) if levels[docnos[i]] > levels[docnos[i - 1]]][:6]:
        yield query.reranked([*docnos[: i - 1], docnos[i], docnos[i - 1], *docnos[i + 1 :]])


@law("other-queries", "adding a query changes the value of {no other|another}", same, queries=4)
def beside_another_query(query: Query, setting: Setting) -> _Compared:
    """The query alone, and with another query before or after it, which has the same documents or others."""
    for other in (_contrary(query, setting), _barren(query), _apart(query)) if setting.values else ():
        for name in ("10", "3"):
            yield Probe("", (("2", query),), "2"), Probe("", (("2", query), (name, other)), "2")


@law(
    "mean",
    "the mean over two queries {lies|(the third input) does not lie} between their values",
    _last_between,
    queries=4,
)
def two_and_their_mean(query: Query, setting: Setting) -> _Compared:
    """One query, another query, and both together, all read by their mean."""
    others = _apart(query), _apart(_contrary(query, setting)), _apart(_barren(query))
    for other in others if setting.means else ():
        alone = (Probe("", ((name, one),), None) for name, one in (("1", query), ("2", other)))
        yield *alone, numbered("", (query, other))


@law(
    "another-found", "a further relevant document at the end of the list {never lowers|lowers} it", _no_lower
)
def with_another_found(query: Query, setting: Setting) -> _Changed:
    """A missed relevant document added at the end of the results."""
    for docno, level in query.judged:
        if docno not in query.docnos and level >= setting.level:
            yield query.reranked([*query.docnos, docno])


@law(
    "unjudged-end",
    "unjudged documents beyond the cutoff, or at the end of the list, change {nothing|it}",
    same,
)
def longer_by_unjudged(query: Query, setting: Setting) -> _Compared:
    """A list that fills the cutoff, and the same list with unjudged documents added at its end."""
    if setting.cutoff > _LONG and len(query.lines) > 2:
        return
    filled = [*query.docnos, *(f"filler-{i}" for i in range(len(query.lines), setting.cutoff))]
    for beyond in (_BEYOND[:1], _BEYOND):
        yield query.reranked(filled), query.reranked([*filled, *beyond])


@law("docnos", "renaming the documents changes {nothing|it}", same)
def with_other_docnos(query: Query, setting: Setting) -> _Changed:
    """Docnos exchanged for each other or replaced by numbers."""
    names = sorted(levels_of(query))
    for others in (names[::-1], [str(101 + i) for i in range(len(names))]):
        yield query.renamed(dict(zip(names, others, strict=True)).__getitem__)


@law("line-order", "the order of the lines changes {nothing|it}", same)
def with_lines_moved(query: Query, setting: Setting) -> _Changed:
    """The lines of run or qrels in another order, otherwise unchanged."""
    half = len(query.lines) // 2
    yield replace(query, lines=query.lines[::-1])
    yield replace(query, judged=query.judged[::-1])
    yield replace(query, lines=query.lines[half:] + query.lines[:half])


@law("tied-lines", "the order of the lines of tied documents changes {nothing|it}", same)
def with_tied_lines_moved(query: Query, setting: Setting) -> _Compared:
    """The query with tied documents, and the same with the lines of the run in reversed order."""
    for tied in (_tied(query, 2), _tied(query, len(query.lines))):
        yield tied, replace(tied, lines=tied.lines[::-1])


@law(
    "score-size",
    "{nothing of the scores counts but their order|scores in the same order, but of another size, change it}",
    same,
)
def with_other_scores(query: Query, setting: Setting) -> _Changed:
    """Negative, tiny or huge scores in the same order."""
    for factor, less in ((1.0, 100.5), (1 / 1024, 0.0), (1e6, 0.0)):
        yield query.rescored(factor * line.score - less for line in query.lines)


@law("query-order", "the names {and|or} the order of the queries change {nothing|it}", same, queries=4)
def with_queries_swapped(query: Query, setting: Setting) -> _Compared:
    """Two queries, and the same two with their ids exchanged. The value that is compared is that of
    ``query``, under either id."""
    for other in (_contrary(query, setting), _apart(query)):
        yield tuple(
            Probe("", (("2", one), ("10", two)), id if setting.values else None)
            for one, two, id in ((query, other, "2"), (other, query, "10"))
        )


@law("best", "all relevant documents, highest level first, {have|do not have} the highest value", _no_higher)
def best_and_others(query: Query, setting: Setting) -> _Compared:
    """The list of all relevant documents, highest level first, and another list of the same query."""
    levels, docnos = levels_of(query), query.docnos
    best = sorted((d for d, level in levels.items() if level >= setting.level), key=lambda d: -levels[d])
    for other in (docnos, docnos[::-1], ["x", *best], best[:1], best[::-1]) if best else ():
        yield query.reranked(best), query.reranked(other)


@law("worst", "a list without relevant documents {has|does not have} the lowest value", _no_lower)
def worst_and_others(query: Query, setting: Setting) -> _Compared:
    """A list of as many documents as the query retrieves, all of level 0 or unjudged, and beside it the list
    of the query; then the same with the list of the query reversed."""
    count = len(query.lines)
    nonrelevant = [docno for docno, level in query.judged if level == 0]
    worst = [*nonrelevant, *(f"filler-{i}" for i in range(1, count + 1))][:count]
    for other in (query.docnos, query.docnos[::-1]):
        yield query.reranked(worst), query.reranked(other)


@law(
    "reads-ranks",
    "{the order of the documents counts|turning the ranking upside down changes nothing}",
    _differ,
)
def upside_down(query: Query, setting: Setting) -> _Changed:
    """The ranking reversed."""
    yield query.reranked(query.docnos[::-1])


@law(
    "reads-scores",
    "{the scores count|turning the scores upside down, while the lines stay, changes nothing}",
    _differ,
)
def with_scores_upside_down(query: Query, setting: Setting) -> _Changed:
    """The scores in reversed order but the same lines and rank column."""
    yield query.rescored(line.score for line in query.lines[::-1])


@law(
    "reads-levels",
    "{levels above that of a relevant document count|higher levels of relevant documents change nothing}",
    _differ,
)
def with_a_higher_level(query: Query, setting: Setting) -> _Changed:
    """One of several relevant documents raised by two levels."""
    relevant = [docno for docno, level in query.judged if level >= setting.level]
    for raised in relevant[:2] if len(relevant) > 1 else ():
        judged = ((docno, level + 2 * (docno == raised)) for docno, level in query.judged)
        yield replace(query, judged=tuple(judged))


@law("reads-missed", "relevant documents that were not retrieved {count|change nothing}", _differ)
def with_more_missed(query: Query, setting: Setting) -> _Changed:
    """Further relevant documents that were not retrieved."""
    for count in (1, 3):
        missed = ((f"missed-{i}", setting.level + 2) for i in range(1, count + 1))
        yield replace(query, judged=(*query.judged, *missed))


def levels_of(query: Query) -> dict[str, int]:
    """Docno -> level: of the results in the order of the lines, 0 if unjudged; then of missed documents."""
    return dict.fromkeys(query.docnos, 0) | dict(query.judged)


def _tied(query: Query, size: int) -> Query:
    """The query with its documents tied in groups of ``size``."""
    return query.rescored(100.0 - i // size for i in range(len(query.lines)))


def _apart(query: Query) -> Query:
    """The same query with other docnos."""
    return query.renamed(lambda docno: f"{docno}-")


def _contrary(query: Query, setting: Setting) -> Query:
    """The same documents, relevant ones judged 0 and the others relevant, and one more relevant result."""
    levels = levels_of(query) | {"also": 0}
    judged = ((docno, 0 if level >= setting.level else setting.level) for docno, level in levels.items())
    return ranked([*query.docnos, "also"], judged)


def _barren(query: Query) -> Query:
    """The same results, all judged nonrelevant, and one relevant document that was not retrieved."""
    return replace(query, judged=(*((docno, 0) for docno in query.docnos), ("missed", 1)))
