"""Properties that a metric may have, whatever its conventions, such as "renaming the documents changes
nothing": for each property the inputs to compare, and the test on a metric."""

import math
import random
import re
import string
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import islice, product
from typing import NamedTuple, TypeAlias, cast

from msgspec import Struct
from msgspec.structs import replace

from crosscheck.audit_records import PropertyStatus
from crosscheck.errors import BackendError, TimeIsUp
from crosscheck.inputs.queries import Probe, Query, divided, numbered, ranked, smallest
from crosscheck.model import MeasureValues, Qrels, Run

#: Number of random queries.
_RANDOM = 10
#: Queries with a relevant document beyond the cutoff are made for cutoffs up to this one.
_LONG_CUTOFF = 20
#: Levels of retrieved documents, None for unjudged; sets of levels of documents that were not retrieved.
_LEVELS = (None, 0, 0, 1, 2, 3)
_MISSED = ((), (1,), (2, 1), (3, 1, 1, 0))


class Setting(NamedTuple):
    """Facts about a metric that are known before it is called.

    Attributes:
        cutoff: the cutoff, 0 for none; if it is not known, a number that is probably not too small.
        level: the lowest level that is relevant.
        values: whether the metric gives a value per query.
        means: whether the metric gives a mean.
        few: whether each query needs a separate call, so that fewer queries are tried.
        one_relevant: whether the metric receives one relevant document of each query, so that inputs with
            more are left out.
    """

    cutoff: int
    level: int
    values: bool
    means: bool
    few: bool = False
    one_relevant: bool = False


def ordinary_queries(setting: Setting, seed: int) -> Iterator[Query]:
    """Yield small queries, then random queries similar to real data. Each query retrieves a relevant
    document."""
    first = ((0, 3), ()), ((None, 1, 3), ()), ((0, 2, 3), (3, 1)), ((1, None, None), (2, 0, 0))
    yield from (_query(levels, missed, setting) for levels, missed in first)
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
    """Yield queries that show whether a change of the input matters to a metric at all, then the ordinary
    queries.

    The first have a relevant document followed by as many nonrelevant documents as the cutoff, or several
    relevant documents.
    """
    for count, other in product(dict.fromkeys((1, setting.cutoff or 1)), (0, None)):
        yield _query((3, *(count * (other,))), (), setting)
    yield _query((1, 1), (), setting)
    yield _query((1, 1, 0), (1,), setting)
    yield from ordinary_queries(setting, seed)


def _query(levels: Sequence[int | None], missed: Sequence[int], setting: Setting) -> Query:
    """A query with these levels of the results, in rank order, and of documents that were not retrieved.
    Level 1 stands for the lowest relevant level."""
    count = len(levels) + len(missed)
    names = list(string.ascii_lowercase) if count <= 26 else [f"d{i}" for i in range(1, count + 1)]
    known = [(docno, v) for docno, v in zip(names, (*levels, *missed), strict=False) if v is not None]
    judged = [(docno, level + setting.level - 1 if level > 0 else level) for docno, level in known]
    return ranked(names[: len(levels)], judged)


#: Values are equal if they differ by at most this, because metrics may compute in single precision.
_SLACK = 1e-6

#: Inputs whose values are compared: usually an input and the same input with one change.
Inputs: TypeAlias = tuple[Probe, ...]
#: Function from a query to changed queries, each to be compared with the query itself; or to tuples of
#: queries or probes to be compared.
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
    return not any(value < -_SLACK or value > 1 + _SLACK for value in values)  # NaN does not contradict


def _no_lower(values: Sequence[float]) -> bool:
    return values[1] >= values[0] or same(values)


def _no_higher(values: Sequence[float]) -> bool:
    return _no_lower(values[::-1])


def _no_more_than_1(values: Sequence[float]) -> bool:
    before, after = values
    return before > 1 + _SLACK or not after > 1 + _SLACK


def _last_between(values: Sequence[float]) -> bool:
    one, other, both = values
    return _no_lower((min(one, other), both)) and _no_higher((max(one, other), both))


class Property(NamedTuple):
    """A property that a metric may have.

    Attributes:
        says: the property in words.
        broken: the opposite in words, for a metric without the property.
        vary: function from a query to the inputs to compare.
        holds: whether the values of these inputs are as the property requires.
        again: whether the inputs to compare are the same on purpose. For other properties, inputs that a
            metric cannot distinguish are not compared.
        queries: maximum number of queries on which the property is tried; None for all.
    """

    name: str
    says: str
    broken: str
    vary: Variation
    holds: Relation
    again: bool
    queries: int | None

    @property
    def reads(self) -> bool:
        """Whether the property states that the metric uses some data, such as the scores. A metric has such a
        property if the values differ for one tuple of inputs; any other property must hold for all tuples."""
        return self.holds is _differ

    def inputs_of(self, query: Query, setting: Setting) -> Iterator[Inputs]:
        """Yield the tuples of inputs to compare. An input of one query reads the value of the query, or the
        mean if the metric gives no values per query.
        """
        reads, level = "1" if setting.values else None, setting.level
        if setting.one_relevant:
            query = numbered("", [query]).with_one_relevant(level).queries[0][1]
        for varied in self.vary(query, setting):
            several = (query, varied) if isinstance(varied, Query) else varied
            every = [Probe("", (("1", of),), reads) if isinstance(of, Query) else of for of in several]
            if not setting.one_relevant or every == [probe.with_one_relevant(level) for probe in every]:
                yield tuple(every)


PROPERTIES: list[Property] = []


def law(
    name: str, words: str, holds: Relation, *, again: bool = False, queries: int | None = None
) -> Callable[[Variation], Variation]:
    """Decorator that adds a property with this variation to :data:`PROPERTIES`.

    Args:
        name: the name of the property.
        words: the property and its opposite, with braces where they differ: "a tie {never lowers|lowers} the
            value".
        holds, again, queries: as for :class:`Property`.
    """
    says, broken = (re.sub(r"\{(.*?)\|(.*?)\}", rf"\{i}", words) for i in (1, 2))

    def added(vary: Variation) -> Variation:
        PROPERTIES.append(Property(name, says, broken, vary, holds, again, queries))
        return vary

    return added


#: Above this cutoff, only queries with at most two results are filled up to the cutoff.
_LONG = 50
_BEYOND = ("beyond-1", "beyond-2", "beyond-3")
_Changed: TypeAlias = Iterator[Query]
_Compared: TypeAlias = Iterator[tuple[Query | Probe, ...]]


@law("repeatable", "the same input {always gives the same value|gives different values}", same, again=True)
def called_again(query: Query, setting: Setting) -> _Compared:
    """The same input twice, with and without tied documents."""
    yield from ((one, one) for one in (query, _tied(query, 2), _tied(query, len(query.lines))))


@law("bounded", "{all values lie in|a value lies outside} [0, 1]", _in_unit_interval)
def itself(query: Query, setting: Setting) -> _Compared:
    """Single inputs: the query; the query with only nonrelevant results; and, for a metric that gives only
    means, three queries together."""
    yield from ((query,), (_barren(query),))
    if not setting.values:
        yield (numbered("", (query, _apart(query), _apart(_apart(query)))),)


@law("duplicates", "a document that occurs twice {never raises|raises} the value above 1", _no_more_than_1)
def with_a_repeated_line(query: Query, setting: Setting) -> _Changed:
    """The query with a relevant document repeated directly below itself or at the end."""
    docnos, levels = query.docnos, levels_of(query)
    for i in [i for i, docno in enumerate(docnos) if levels[docno] >= setting.level][:3]:
        yield query.reranked(docnos[: i + 1] + docnos[i:])
        yield query.reranked([*docnos, docnos[i]])


@law("promotion", "moving a document above a less relevant one {never lowers|lowers} the value", _no_lower)
def with_a_better_one_up(query: Query, setting: Setting) -> _Changed:
    """The query with two neighbours exchanged, of which the lower one has the higher level."""
    docnos, levels = query.docnos, levels_of(query)
    for i in [i for i in range(1, len(docnos)) if levels[docnos[i]] > levels[docnos[i - 1]]][:6]:
        yield query.reranked([*docnos[: i - 1], docnos[i], docnos[i - 1], *docnos[i + 1 :]])


@law("other-queries", "adding a query changes the value of {no other|another} query", same, queries=4)
def beside_another_query(query: Query, setting: Setting) -> _Compared:
    """The query alone, and together with a second query, which has the same documents or others, and an id
    that comes before or after."""
    for other in (_contrary(query, setting), _barren(query), _apart(query)) if setting.values else ():
        for name in ("10", "3"):
            yield Probe("", (("2", query),), "2"), Probe("", (("2", query), (name, other)), "2")


@law("mean", "the mean over two queries {lies|does not lie} between their values", _last_between, queries=4)
def two_and_their_mean(query: Query, setting: Setting) -> _Compared:
    """The query, a second query, and both together; the mean of each input is read."""
    others = _apart(query), _apart(_contrary(query, setting)), _apart(_barren(query))
    for other in others if setting.means else ():
        alone = (Probe("", ((name, one),), None) for name, one in (("1", query), ("2", other)))
        yield *alone, numbered("", (query, other))


@law(
    "another-found",
    "a further relevant document at the end of the list {never lowers|lowers} the value",
    _no_lower,
)
def with_another_found(query: Query, setting: Setting) -> _Changed:
    """The query with a relevant document that was not retrieved added at the end of the results."""
    for docno, level in query.judged:
        if docno not in query.docnos and level >= setting.level:
            yield query.reranked([*query.docnos, docno])


@law(
    "unjudged-end",
    "unjudged documents beyond the cutoff, or at the end of the list, change {nothing|the value}",
    same,
)
def longer_by_unjudged(query: Query, setting: Setting) -> _Compared:
    """The query with unjudged documents added up to the cutoff, and with further ones added beyond the
    cutoff."""
    if setting.cutoff > _LONG and len(query.lines) > 2:
        return
    filled = [*query.docnos, *(f"filler-{i}" for i in range(len(query.lines), setting.cutoff))]
    for beyond in (_BEYOND[:1], _BEYOND):
        yield query.reranked(filled), query.reranked([*filled, *beyond])


@law("docnos", "renaming the documents changes {nothing|the value}", same)
def with_other_docnos(query: Query, setting: Setting) -> _Changed:
    """The query with its docnos exchanged for each other or replaced: by numbers; by docnos that begin with
    one another; and by docnos of which two differ in a letter only, or in its case."""
    names = sorted(levels_of(query))
    number = range(len(names))
    begun, alike = (["1" * (i + 1) for i in number], [f"{'xXy'[i % 3]}{i // 3}" for i in number])
    for others in (names[::-1], [str(101 + i) for i in number], begun, begun[::-1], alike):
        yield query.renamed(dict(zip(names, others, strict=True)).__getitem__)


@law("line-order", "the order of the lines changes {nothing|the value}", same)
def with_lines_moved(query: Query, setting: Setting) -> _Changed:
    """The query with the lines of run or qrels in a different order, otherwise unchanged."""
    half = len(query.lines) // 2
    yield replace(query, lines=query.lines[::-1])
    yield replace(query, judged=query.judged[::-1])
    yield replace(query, lines=query.lines[half:] + query.lines[:half])


@law("tied-lines", "the order of the lines of tied documents changes {nothing|the value}", same)
def with_tied_lines_moved(query: Query, setting: Setting) -> _Compared:
    """The query with tied documents, and the same with the lines of the run reversed."""
    for tied in (_tied(query, 2), _tied(query, len(query.lines))):
        yield tied, replace(tied, lines=tied.lines[::-1])


@law(
    "score-size",
    "{only the order of the scores matters|different scores in the same order change the value}",
    same,
)
def with_other_scores(query: Query, setting: Setting) -> _Changed:
    """The query with negative, tiny or huge scores in the same order."""
    for factor, less in ((1.0, 100.5), (1 / 1024, 0.0), (1e6, 0.0)):
        yield query.rescored(factor * line.score - less for line in query.lines)


@law("query-order", "the ids {and|or} the order of the queries change {nothing|the value}", same, queries=4)
def with_queries_swapped(query: Query, setting: Setting) -> _Compared:
    """The query and a second query, and the same with their ids exchanged; the values of the first are
    compared."""
    for other in (_contrary(query, setting), _apart(query)):
        yield tuple(
            Probe("", (("2", one), ("10", two)), id if setting.values else None)
            for one, two, id in ((query, other, "2"), (other, query, "10"))
        )


@law("best", "all relevant documents, highest level first, {have|do not have} the highest value", _no_higher)
def best_and_others(query: Query, setting: Setting) -> _Compared:
    """The list of all relevant documents, highest level first, and a different list for the same query."""
    levels, docnos = levels_of(query), query.docnos
    best = sorted((d for d, level in levels.items() if level >= setting.level), key=lambda d: -levels[d])
    for other in (docnos, docnos[::-1], ["x", *best], best[:1], best[::-1]) if best else ():
        yield query.reranked(best), query.reranked(other)


@law("worst", "a list without relevant documents {has|does not have} the lowest value", _no_lower)
def worst_and_others(query: Query, setting: Setting) -> _Compared:
    """A list of only nonrelevant and unjudged documents, as long as the list of the query, and the list of
    the query itself; then the same with the latter reversed."""
    count = len(query.lines)
    nonrelevant = [docno for docno, level in query.judged if level == 0]
    worst = [*nonrelevant, *_fillers(count)][:count]
    for other in (query.docnos, query.docnos[::-1]):
        yield query.reranked(worst), query.reranked(other)


@law("reads-ranks", "{the order of the documents matters|reversing the ranking changes nothing}", _differ)
def with_ranking_reversed(query: Query, setting: Setting) -> _Compared:
    """The query, a long list, and one whose first documents down to the cutoff are all that is relevant, each
    with its ranking reversed."""
    top = [f"top-{i}" for i in range(1, min(setting.cutoff or 3, 40) + 1)]
    filled = ranked([*top, *_fillers(40)], [(docno, max(setting.level, 1)) for docno in top])
    every = (query, _led(query, setting), *([] if setting.one_relevant else [filled]))
    yield from ((one, one.reranked(one.docnos[::-1])) for one in every)


@law("reads-scores", "{the scores matter|reversing the scores, but not the lines, changes nothing}", _differ)
def with_scores_reversed(query: Query, setting: Setting) -> _Compared:
    """The query, and a long list, each with the scores in reverse order, but the same lines and ranks."""
    for one in (query, _led(query, setting)):
        yield one, one.rescored(line.score for line in one.lines[::-1])


def _led(query: Query, setting: Setting) -> Query:
    """The query with a long list, of which only the first document is relevant."""
    relevant = [docno for docno, level in levels_of(query).items() if level >= setting.level]
    return query.reranked([*relevant[:1], *_fillers(39)])


def _fillers(number: int) -> list[str]:
    """The docnos of unjudged documents."""
    return [f"filler-{i}" for i in range(1, number + 1)]


@law(
    "reads-levels",
    "{higher levels of relevant documents matter|higher levels of relevant documents change nothing}",
    _differ,
)
def with_a_higher_level(query: Query, setting: Setting) -> _Changed:
    """The query with one of several relevant documents raised by two levels."""
    relevant = [docno for docno, level in query.judged if level >= setting.level]
    for raised in relevant[:2] if len(relevant) > 1 else ():
        judged = ((docno, level + 2 * (docno == raised)) for docno, level in query.judged)
        yield replace(query, judged=tuple(judged))


@law("reads-missed", "relevant documents that were not retrieved {matter|change nothing}", _differ)
def with_more_missed(query: Query, setting: Setting) -> _Changed:
    """The query with further relevant documents that were not retrieved."""
    for count in (1, 3):
        missed = ((f"missed-{i}", setting.level + 2) for i in range(1, count + 1))
        yield replace(query, judged=(*query.judged, *missed))


def levels_of(query: Query) -> dict[str, int]:
    """Docno -> level, for the results in line order (0 if unjudged), then for the other judged documents."""
    return dict.fromkeys(query.docnos, 0) | dict(query.judged)


def _tied(query: Query, size: int) -> Query:
    """The query with its documents tied in groups of ``size``."""
    return query.rescored(100.0 - i // size for i in range(len(query.lines)))


def _apart(query: Query) -> Query:
    """The same query with other docnos."""
    return query.renamed(lambda docno: f"{docno}-")


def _contrary(query: Query, setting: Setting) -> Query:
    """The query with its judgements reversed, so that relevant documents have level 0 and all others are
    relevant, and with one more relevant result."""
    levels = levels_of(query) | {"also": 0}
    judged = ((docno, 0 if level >= setting.level else setting.level) for docno, level in levels.items())
    return ranked([*query.docnos, "also"], judged)


def _barren(query: Query) -> Query:
    """The query with all results judged nonrelevant, and one relevant document that was not retrieved."""
    return replace(query, judged=(*((docno, 0) for docno in query.docnos), ("missed", 1)))


#: Function that calls a metric on an input and returns its values or the error.
Ask: TypeAlias = Callable[[Qrels, Run], MeasureValues | BackendError]
#: The metric's value for each input of a tuple.
Values: TypeAlias = tuple[float, ...]
#: Inputs that show that a metric lacks a property, and the metric's values for them.
Failure: TypeAlias = tuple[Inputs, Values]


class Caller:
    """Calls a metric on tuples of inputs, with many inputs of a single query in one call, until a time limit
    is reached.

    Only the time of the calls counts, so that a fast metric is tried on all inputs even on a slow machine.

    Args:
        ask: function that calls the metric.
        seconds: the time limit.

    Attributes:
        calls: number of calls so far.
    """

    def __init__(self, ask: Ask, seconds: float) -> None:
        self._ask, self._seconds = ask, seconds
        self._known: dict[tuple[int, Probe], float | None] = {}
        self.calls = 0

    def all_of(self, every: Iterable[Inputs]) -> dict[Inputs, Values | None]:
        """Tuple of inputs -> the metric's values, or None if it has no value for one of the inputs. Tuples
        for which no time is left are missing.

        The first, second and third inputs of the tuples are passed in separate calls, so that the metric is
        called twice on an input that occurs twice in a tuple.
        """
        placed = {inputs: list(enumerate(inputs)) for inputs in every}
        with suppress(TimeIsUp):
            for place in range(max(map(len, placed), default=0)):
                probes = dict.fromkeys(inputs[place] for inputs in placed if len(inputs) > place)
                new = [probe for probe in probes if (place, probe) not in self._known]
                for probe, value in self._values(new):
                    self._known[place, probe] = value
        done = {inputs: keys for inputs, keys in placed.items() if all(key in self._known for key in keys)}
        return {inputs: _complete(map(self._known.__getitem__, keys)) for inputs, keys in done.items()}

    def alone(self, inputs: Inputs) -> Values | None:
        """The metric's values for some inputs, from one call each; None if it has no value for one of the
        inputs.

        Raises:
            TimeIsUp: the time limit is reached.
        """
        return _complete([self._value(probe) for probe in inputs])

    def _values(self, probes: Sequence[Probe]) -> Iterator[tuple[Probe, float | None]]:
        """Yield (probe, value). Values of single queries are from one call; from several calls if the metric
        fails on all these queries together."""

        def ask(some: Sequence[Probe]) -> dict[Probe, float | None]:
            together = numbered("", (probe.queries[0][1] for probe in some))
            answer = self._answer(together)
            if isinstance(answer, BackendError):
                return {}
            ids = (id.encode() for id, _ in together.queries)
            return dict(zip(some, map(answer.values.get, ids), strict=True))

        single = {probe: None for probe in probes if probe.reads is not None and len(probe.queries) == 1}
        given: set[Probe] = set()
        for values in divided([*single], ask, lambda values: not values) if single else ():
            yield from values.items()
            given.update(values)
        yield from ((probe, None) for probe in single if probe not in given)
        yield from ((probe, self._value(probe)) for probe in probes if probe not in single)

    def _value(self, probe: Probe) -> float | None:
        answer = self._answer(probe)
        if isinstance(answer, BackendError):
            return None
        return answer.mean if probe.reads is None else answer.values.get(probe.reads.encode())

    def _answer(self, probe: Probe) -> MeasureValues | BackendError:
        if self._seconds < 0:
            raise TimeIsUp
        self.calls += 1
        qrels, run = probe.qrels, probe.run
        begin = time.monotonic()
        try:
            return self._ask(qrels, run)
        finally:
            self._seconds -= time.monotonic() - begin


def _complete(values: Iterable[float | None]) -> Values | None:
    """The values, or None if one of them is None."""
    every = tuple(values)
    return None if None in every else cast(Values, every)


#: Maximum number of tuples of inputs on which a "no" is checked; maximum number of calls to shrink one of
#: them.
_AGAIN, _MOST_CALLS = 5, 400


class Tried(Struct, frozen=True):
    """The outcome of the test of one property.

    Attributes:
        of: the property.
        status: whether the metric has the property. ``refused``: it gives no value for the inputs;
            ``unseen``: the inputs differ in nothing that it receives; ``untried``: time ran out, or its
            values change from call to call.
        expected: whether the measure that the metric is meant to compute has the property; None if the
            measure is not known.
        cases: number of tuples of inputs whose values were compared.
        inputs: for a "no", the smallest inputs that show it.
        values: the metric's value for each of ``inputs``.
    """

    of: Property
    status: PropertyStatus
    expected: PropertyStatus | None
    cases: int
    inputs: Inputs = ()
    values: Values = ()

    @property
    def surprising(self) -> bool:
        """Whether the metric lacks the property, although the measure has it; or, if the measure is not
        known, although any sound metric has it."""
        due = not self.of.reads if self.expected is None else self.expected == "yes"
        return self.status == "no" and due


#: A query, and a tuple of inputs made from the query.
_Case: TypeAlias = tuple[Query, Inputs]


def try_properties(
    ask: Ask,
    setting: Setting,
    seed: int,
    *,
    as_seen: Callable[[Probe], object],
    like: Ask | None = None,
    without: Collection[str] = (),
    seconds: float = 10.0,
) -> list[Tried]:
    """Test all properties on a metric.

    Args:
        ask: function that calls the metric.
        setting: facts about the metric.
        seed: seed of the random inputs.
        as_seen: function that returns the data that the metric receives for an input. Tuples of inputs with
            the same data are left out.
        like: function that computes the measure that the metric is meant to compute; None if it is not known.
        without: names of properties whose inputs the metric cannot receive; these are ``unseen``.
        seconds: time limit for all calls together.
    """
    caller, reference = Caller(ask, seconds), None if like is None else Caller(like, math.inf)
    outcomes: list[Tried] = []
    for p in PROPERTIES:
        cases = [] if p.name in without else _cases(p, setting, seed, as_seen)
        every = [inputs for _, inputs in cases]
        values = caller.all_of(every)
        due = {} if reference is None else reference.all_of(every)
        expected = None if reference is None else _status(p, every, due)
        compared = sum(values.get(inputs) is not None for inputs in every)
        outcome = Tried(p, _status(p, every, values), expected, compared)
        alone = setting.few and setting.values  # each query needs a separate call
        if p.reads and outcome.status == "no" and not alone and _holds_beside(p, cases, due, caller):
            outcome = replace(outcome, status="yes")
        if outcome.status == "no" and any(t.of.again and t.status == "no" for t in outcomes):
            outcome = replace(outcome, status="untried")  # no two values can be compared
        elif outcome.status == "no":
            contrast = reference if expected == "yes" else None
            shows = ((q, i) for q, i in cases if (known := values.get(i)) is not None and not p.holds(known))
            suspects = sorted(shows, key=lambda case: _size(case[1]))
            outcome = _with_smallest(outcome, suspects, caller, contrast, setting)
        outcomes.append(outcome)
    return outcomes


def _cases(p: Property, setting: Setting, seed: int, as_seen: Callable[[Probe], object]) -> list[_Case]:
    """The cases of a property, without tuples of inputs for which the metric receives the same data."""
    queries = (telling_queries if p.reads else ordinary_queries)(setting, seed)
    return [
        (query, inputs)
        for query in islice(queries, p.queries)
        for inputs in p.inputs_of(query, setting)
        if p.again or len(inputs) == 1 or any(as_seen(i) != as_seen(inputs[0]) for i in inputs[1:])
    ]


def _holds_beside(
    p: Property, cases: Sequence[_Case], due: Mapping[Inputs, Values | None], caller: Caller
) -> bool:
    """Whether a property holds of a case whose query stands between two like it: what a metric does with the
    only query says little. The case is the first on which the property is ``due``, if that is known."""
    told = [case for case in cases if (of := due.get(case[1])) is not None and p.holds(of)]
    query, inputs = (told or cases)[0]
    other = _apart(query)
    beside = tuple(replace(one, queries=(("0", other), *one.queries, ("99", other))) for one in inputs)
    return any(p.holds(of) for of in caller.all_of([beside]).values() if of is not None)


def _status(p: Property, every: Sequence[Inputs], values: Mapping[Inputs, Values | None]) -> PropertyStatus:
    """Whether a metric has a property, judged by its values.

    Args:
        every: all tuples of inputs; values: the values of the tuples for which there was time.
    """
    if not values:
        return "untried" if every else "unseen"
    holds = [p.holds(of_inputs) for of_inputs in values.values() if of_inputs is not None]
    if not holds:
        return "refused"
    if p.reads and not any(holds):
        return "no" if all(inputs in values for inputs in every) else "untried"
    return "yes" if p.reads or all(holds) else "no"


def _with_smallest(
    outcome: Tried, suspects: Sequence[_Case], caller: Caller, contrast: Caller | None, setting: Setting
) -> Tried:
    """Check a "no" with separate calls for each input, and add the smallest inputs that show it.

    If separate calls do not show it, the status becomes "yes"; or "untried", if the property is that the
    metric uses some data, or if time runs out.

    Args:
        suspects: the cases whose values show it, the smallest first.
        contrast: calls a measure that has the property. Inputs on which this measure seems to lack the
            property are not used.
    """
    p = outcome.of

    def failure(inputs: Inputs) -> Failure | None:
        values = caller.alone(inputs)
        if values is None or p.holds(values):
            return None
        theirs = None if contrast is None else contrast.alone(inputs)
        return (inputs, values) if contrast is None or (theirs is not None and p.holds(theirs)) else None

    try:
        for query, inputs in suspects if p.reads else suspects[:_AGAIN]:
            shown = failure(inputs) if p.reads else _smallest_failure(p, query, failure, caller, setting)
            if shown is not None:
                return replace(outcome, inputs=shown[0], values=shown[1])
    except TimeIsUp:
        return replace(outcome, status="untried")
    # The metric's values for these inputs differ between a common call and separate calls.
    return replace(outcome, status="untried" if p.reads else "yes")


def _smallest_failure(
    p: Property, query: Query, failure: Callable[[Inputs], Failure | None], caller: Caller, setting: Setting
) -> Failure | None:
    """The smallest inputs, made from a query or parts of it, that show that the metric lacks a property, with
    their values; None if there are none."""
    failures: list[Failure] = []
    last = caller.calls + _MOST_CALLS

    def fails(probe: Probe) -> bool:
        part = probe.queries[0][1]
        if caller.calls > last or not any(level >= setting.level for _, level in part.judged):
            return False
        shown = next(filter(None, map(failure, p.inputs_of(part, setting))), None)
        failures.extend([shown] if shown else [])
        return shown is not None

    whole = numbered("", [query], "1")
    try:
        if fails(whole):
            smallest(whole, fails)
    except TimeIsUp:
        if not failures:
            raise
    return min(reversed(failures), key=lambda shown: _size(shown[0]), default=None)


def _size(inputs: Inputs) -> int:
    return sum(probe.size for probe in inputs)
