"""Laws that a metric may keep or break, whatever its conventions: the inputs that each compares, and their
test."""

from __future__ import annotations

import math
import random
import re
import string
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Literal, NamedTuple, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from crosscheck.errors import BackendError, TimeIsUp
from crosscheck.inputs.queries import Probe, Query, divided, numbered, ranked, smallest
from crosscheck.model import MeasureValues, Qrels, Run

_RANDOM = 10
#: Up to this cutoff, there are queries with a relevant document beyond the cutoff.
_LONG_CUTOFF = 20
#: Levels of retrieved documents, None for unjudged, and levels of documents that were not retrieved.
_LEVELS = (None, 0, 0, 1, 2, 3)
_MISSED = ((), (1,), (2, 1), (3, 1, 1, 0))


class Setting(NamedTuple):
    """Facts about a metric that are known before it is called.

    Attributes:
        cutoff: its cutoff, 0 if it has none; if it is unknown, a number that is probably not too small.
        level: the lowest level that is relevant.
        values: whether it gives a value per query.
        means: whether it gives a mean.
        few: whether each query needs a separate call, so that only small queries are tried.
    """

    cutoff: int
    level: int
    values: bool
    means: bool
    few: bool = False


def ordinary_queries(setting: Setting, seed: int) -> Iterator[Query]:
    """Yield small queries, then random ones similar to real data. Each retrieves a relevant document."""
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
    """Yield queries that show whether a change matters to a metric at all, then the ordinary queries.

    They have a relevant document before as many others as the cutoff, or several relevant documents.
    """
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


#: Values that differ by less count as the same, because metrics may compute in single precision.
_SLACK = 1e-6

#: Inputs whose values are compared: usually an input and the same input with one change.
Inputs: TypeAlias = tuple[Probe, ...]
#: Function from a query to changed queries or to tuples of inputs. A query in a tuple is an input.
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
    """A property that a metric may have.

    Attributes:
        says: the property in words.
        broken: the same statement in words, for a metric that does not have it.
        vary: function from a query to the inputs to compare.
        holds: whether the values of these inputs are as the property requires.
        again: whether the inputs are the same on purpose. For other properties, tuples of inputs that are the
            same to a metric are left out.
        queries: on how many queries the property is tried at most.
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
        """Whether the property states that the metric reads something. Such a property holds if the values
        differ for one tuple of inputs. Others hold if their relation holds for all tuples."""
        return self.holds is _differ

    def inputs_of(self, query: Query, setting: Setting) -> Iterator[Inputs]:
        """Yield the tuples of inputs to compare. A changed query is compared with the original query.

        From an input of one query its value is read, or the mean if the metric gives no values per query.
        """
        reads = "1" if setting.values else None
        for varied in self.vary(query, setting):
            several = (query, varied) if isinstance(varied, Query) else varied
            yield tuple(Probe("", (("1", one),), reads) if isinstance(one, Query) else one for one in several)


PROPERTIES: list[Property] = []


def law(
    name: str, words: str, holds: Relation, *, again: bool = False, queries: int = 100
) -> Callable[[Variation], Variation]:
    """Decorator that makes a variation a property.

    Args:
        name: the name of the property.
        words: the property and its negation, with braces where they differ: "it {never lowers|lowers} it".
        holds: whether the values of a tuple of inputs are as required.
        again, queries: as for :class:`Property`.
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
    """The query; the query with only nonrelevant results; and, for a metric that gives only means, three
    queries together."""
    yield (query,)
    yield (_barren(query),)
    if not setting.values:
        yield (numbered("", (query, _apart(query), _apart(_apart(query)))),)


@law("duplicates", "a document that occurs twice {never raises|raises} it above 1", _no_higher_than_one)
def with_a_repeated_line(query: Query, setting: Setting) -> _Changed:
    """A relevant document repeated directly below its place or at the end."""
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
    """The query alone, and before or after another query with the same documents or others."""
    for other in (_contrary(query, setting), _barren(query), _apart(query)) if setting.values else ():
        for name in ("10", "3"):
            yield Probe("", (("2", query),), "2"), Probe("", (("2", query), (name, other)), "2")


@law(
    "mean",
    "the mean over two queries {lies|does not lie} between their values",
    _last_between,
    queries=4,
)
def two_and_their_mean(query: Query, setting: Setting) -> _Compared:
    """A query, another query, and both together. The mean of each input is read."""
    others = _apart(query), _apart(_contrary(query, setting)), _apart(_barren(query))
    for other in others if setting.means else ():
        alone = (Probe("", ((name, one),), None) for name, one in (("1", query), ("2", other)))
        yield *alone, numbered("", (query, other))


@law(
    "another-found", "a further relevant document at the end of the list {never lowers|lowers} it", _no_lower
)
def with_another_found(query: Query, setting: Setting) -> _Changed:
    """A relevant document that was not retrieved, added at the end of the results."""
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
    """The query with tied documents, and the same query with the lines of the run reversed."""
    for tied in (_tied(query, 2), _tied(query, len(query.lines))):
        yield tied, replace(tied, lines=tied.lines[::-1])


@law(
    "score-size",
    "{only the order of the scores counts|scores in the same order, but of another size, change it}",
    same,
)
def with_other_scores(query: Query, setting: Setting) -> _Changed:
    """Negative, tiny or huge scores in the same order."""
    for factor, less in ((1.0, 100.5), (1 / 1024, 0.0), (1e6, 0.0)):
        yield query.rescored(factor * line.score - less for line in query.lines)


@law("query-order", "the names {and|or} the order of the queries change {nothing|it}", same, queries=4)
def with_queries_swapped(query: Query, setting: Setting) -> _Compared:
    """Two queries, and the same two with their ids exchanged. The values of ``query`` are compared."""
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
    """A list of level 0 and unjudged documents, as long as that of the query, and the list of the query. Then
    the same with the query's list reversed."""
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
    """The scores in reversed order, with the same lines and rank column."""
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
    """Docno -> level, first for the results in line order (0 if unjudged), then for documents not
    retrieved."""
    return dict.fromkeys(query.docnos, 0) | dict(query.judged)


def _tied(query: Query, size: int) -> Query:
    """The query with its documents tied in groups of ``size``."""
    return query.rescored(100.0 - i // size for i in range(len(query.lines)))


def _apart(query: Query) -> Query:
    """The same query with other docnos."""
    return query.renamed(lambda docno: f"{docno}-")


def _contrary(query: Query, setting: Setting) -> Query:
    """The query with its judgements reversed (relevant ones 0, others relevant) and one more relevant
    result."""
    levels = levels_of(query) | {"also": 0}
    judged = ((docno, 0 if level >= setting.level else setting.level) for docno, level in levels.items())
    return ranked([*query.docnos, "also"], judged)


def _barren(query: Query) -> Query:
    """The same results, all judged nonrelevant, and one relevant document that was not retrieved."""
    return replace(query, judged=(*((docno, 0) for docno in query.docnos), ("missed", 1)))


#: Function that calls a metric on an input and returns its values or the error.
Ask: TypeAlias = Callable[[Qrels, Run], MeasureValues | BackendError]
#: The value of each input of a tuple.
Values: TypeAlias = tuple[float, ...]
#: Inputs that contradict a property, and their values.
Failure: TypeAlias = tuple[Inputs, Values]


class Asker:
    """Asks a metric for values, many single queries per call, until a time limit is reached.

    Only the time of the calls counts, so that a fast metric is tried on all inputs even on a slow machine.

    Args:
        ask: calls the metric.
        seconds: the time limit.
    """

    def __init__(self, ask: Ask, seconds: float) -> None:
        self._ask = ask
        self._seconds = seconds
        self._known: dict[tuple[int, Probe], float | None] = {}
        self.calls = 0

    def all_of(self, every: Iterable[Inputs]) -> dict[Inputs, Values | None]:
        """The values of many tuples of inputs, as far as time allows. None for a tuple with a refused input.

        The first, second and third inputs of the tuples are passed in separate calls, so that an input that
        occurs twice in a tuple is asked twice.
        """
        placed = {inputs: list(enumerate(inputs)) for inputs in every}
        for place in range(max(map(len, placed), default=0)):
            probes = dict.fromkeys(inputs[place] for inputs in placed if len(inputs) > place)
            new = [probe for probe in probes if (place, probe) not in self._known]
            self._known.update(((place, probe), value) for probe, value in self._values(new))
        return {
            inputs: _complete(map(self._known.__getitem__, keys))
            for inputs, keys in placed.items()
            if all(key in self._known for key in keys)
        }

    def alone(self, inputs: Inputs) -> Values | None:
        """The values of some inputs, one call each. None if one of them is refused.

        Raises:
            TimeIsUp: the time limit is reached.
        """
        return _complete([self._value(probe) for probe in inputs])

    def _values(self, probes: Sequence[Probe]) -> Iterator[tuple[Probe, float | None]]:
        try:
            yield from self._together([p for p in probes if p.reads is not None and len(p.queries) == 1])
            for probe in probes:
                if probe.reads is None or len(probe.queries) > 1:
                    yield probe, self._value(probe)
        except TimeIsUp:
            return

    def _together(self, probes: Sequence[Probe]) -> Iterator[tuple[Probe, float | None]]:
        """The values of probes with one query each, from one call, or from several if that is refused."""

        def ask(some: Sequence[Probe]) -> dict[Probe, float | None]:
            together = numbered("", (probe.queries[0][1] for probe in some))
            answer = self._answer(together)
            if isinstance(answer, BackendError):
                return {}
            ids = (id.encode() for id, _ in together.queries)
            return dict(zip(some, map(answer.values.get, ids), strict=True))

        left = dict.fromkeys(probes)
        for values in divided(probes, ask, lambda values: not values) if probes else ():
            yield from values.items()
            left = {probe: None for probe in left if probe not in values}
        yield from left.items()

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
    every = list(values)
    present = tuple(value for value in every if value is not None)
    return present if len(present) == len(every) else None


#: ``refused``: the metric gives no value for any of the inputs. ``unseen``: the inputs do not differ in
#: anything that the metric receives. ``untried``: time ran out, or its values change from call to call.
Status: TypeAlias = Literal["yes", "no", "refused", "unseen", "untried"]

#: On how many inputs a "no" is tried again at most, and how many calls may be used to make one smaller.
_AGAIN, _MOST_CALLS = 5, 400


class Tried(Struct, frozen=True):
    """The outcome of trying one property.

    Attributes:
        of: the property.
        status: whether the metric has the property.
        expected: whether the measure that the metric is meant to compute has it; None if there is no such
            measure.
        cases: number of tuples of inputs whose values were compared.
        inputs: for a "no", the smallest inputs that show it.
        values: the metric's value for each of them.
    """

    of: Property
    status: Status
    expected: Status | None
    cases: int
    inputs: Inputs = ()
    values: Values = ()

    @property
    def surprising(self) -> bool:
        """Whether the metric lacks the property although the measure has it. Without a measure, although any
        sound metric would have it.

        If the measure refuses all inputs, there are no values from which the metric could deviate.
        """
        due = not self.of.reads if self.expected is None else self.expected == "yes"
        return self.status == "no" and due


#: A query, and inputs made from it.
_Case: TypeAlias = tuple[Query, Inputs]


def tried(
    ask: Ask,
    setting: Setting,
    seed: int,
    *,
    as_seen: Callable[[Probe], object],
    like: Ask | None = None,
    without: Collection[str] = (),
    seconds: float = 10.0,
) -> list[Tried]:
    """Try all properties on a metric.

    Args:
        ask: calls the metric.
        setting: what is known about the metric.
        seed: inputs are drawn from it.
        as_seen: returns the data that the metric receives for an input. Tuples whose inputs have the same
            data are left out.
        like: the measure that the metric is meant to compute. Its outcomes are the expected ones.
        without: names of properties whose inputs the metric cannot receive; these are ``unseen``.
        seconds: time limit for all calls together.
    """
    asker, reference = Asker(ask, seconds), None if like is None else Asker(like, math.inf)
    outcomes: list[Tried] = []
    for p in PROPERTIES:
        cases = [] if p.name in without else _cases(p, setting, seed, as_seen)
        every = [inputs for _, inputs in cases]
        values = asker.all_of(every)
        expected = None if reference is None else _status(p, every, reference.all_of(every))
        compared = sum(values.get(inputs) is not None for inputs in every)
        outcome = Tried(p, _status(p, every, values), expected, compared)
        if outcome.status == "no" and any(t.of.again and t.status == "no" for t in outcomes):
            outcome = replace(outcome, status="untried")  # no two values can be compared
        elif outcome.status == "no":
            contrast = reference if expected == "yes" else None
            outcome = _with_smallest(outcome, cases, values, asker, contrast, setting)
        outcomes.append(outcome)
    return outcomes


def _cases(p: Property, setting: Setting, seed: int, as_seen: Callable[[Probe], object]) -> list[_Case]:
    """(query, inputs) for the inputs of a property that differ for the metric."""
    queries = (telling_queries if p.reads else ordinary_queries)(setting, seed)
    return [
        (query, inputs)
        for query in islice(queries, p.queries)
        for inputs in p.inputs_of(query, setting)
        if p.again or len(inputs) == 1 or any(as_seen(i) != as_seen(inputs[0]) for i in inputs[1:])
    ]


def _status(p: Property, every: Sequence[Inputs], values: Mapping[Inputs, Values | None]) -> Status:
    if not values:
        return "untried" if every else "unseen"
    holds = [p.holds(of_inputs) for of_inputs in values.values() if of_inputs is not None]
    if not holds:
        return "refused"
    if p.reads and not any(holds):
        return "no" if all(inputs in values for inputs in every) else "untried"
    return "yes" if p.reads or all(holds) else "no"


def _with_smallest(
    outcome: Tried,
    cases: Sequence[_Case],
    values: Mapping[Inputs, Values | None],
    asker: Asker,
    contrast: Asker | None,
    setting: Setting,
) -> Tried:
    """Check a "no" with separate calls for each input, and add the smallest inputs that show it.

    If separate calls do not show it, the status becomes "yes"; but "untried" for a property that the metric
    reads something, or if time runs out.

    Args:
        contrast: a measure that has the property. Inputs on which its own values contradict it do not count.
    """
    p = outcome.of

    def failure(inputs: Inputs) -> Failure | None:
        values = asker.alone(inputs)
        if values is None or p.holds(values):
            return None
        theirs = None if contrast is None else contrast.alone(inputs)
        return (inputs, values) if contrast is None or (theirs is not None and p.holds(theirs)) else None

    suspects = [(q, i) for q, i in cases if (known := values.get(i)) is not None and not p.holds(known)]
    suspects.sort(key=lambda case: _size(case[1]))
    try:
        for query, inputs in suspects if p.reads else suspects[:_AGAIN]:
            shown = failure(inputs) if p.reads else _smallest_failure(p, query, failure, asker, setting)
            if shown is not None:
                return replace(outcome, inputs=shown[0], values=shown[1])
    except TimeIsUp:
        return replace(outcome, status="untried")
    # The metric gives other values for these inputs in a common call than in separate calls.
    return replace(outcome, status="untried" if p.reads else "yes")


def _smallest_failure(
    p: Property, query: Query, failure: Callable[[Inputs], Failure | None], asker: Asker, setting: Setting
) -> Failure | None:
    """The smallest failure on inputs made from parts of a query; None if no part fails."""
    failures: list[Failure] = []
    last = asker.calls + _MOST_CALLS

    def fails(probe: Probe) -> bool:
        part = probe.queries[0][1]
        if asker.calls > last or not any(level >= setting.level for _, level in part.judged):
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
