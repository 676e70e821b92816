"""The conditions under which a metric is wrong, such as "with 2 or more tied scores": one or two conditions
that separate wrong from right values, if there are any."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property, lru_cache, partial
from itertools import pairwise
from math import inf, isfinite, log, nan
from typing import TypeAlias

import numpy as np
from msgspec import Struct

from crosscheck.audit_records import Where
from crosscheck.auditing.kinds_of_change import FORMS
from crosscheck.auditing.metric import Asked
from crosscheck.auditing.words import topics_in_order
from crosscheck.conventions import Conventions
from crosscheck.errors import BackendError, CrosscheckError
from crosscheck.inputs.queries import Probe, Query
from crosscheck.model import BoolArray, FloatArray

# In these limits, conditions *match* a value if they hold for its query.
#: Minimum number of wrong values that conditions match, and of right values that they do not match.
_FEWEST = 5
#: Minimum of (number of matched wrong values) * (share of wrong values among matched values).
_WEIGHT = 4
#: Maximum share of wrong values that are not matched; maximum share of right values that are matched.
_MISSED, _CAUGHT = 1 / 50, 1 / 10
#: Minimum share of wrong values among the values that one condition matches; that two conditions match.
_SHARES = (1 / 4, 4 / 5)
#: Alternative limits: minimum share of wrong values among matched values; maximum share among all others;
#: minimum share of the wrong values that are matched.
_PURE, _RARE, _MOST = 17 / 20, 1 / 50, 2 / 3
#: Minimum gain in log-likelihood: a split must be a thousand times as likely as no split for each one tried.
_CHANCE = log(1000)
#: Factor by which "has some X" is preferred to "has at least n X".
_PLAINER = 1.1
#: Number of first conditions with which a second condition is tried.
_WIDTH = 40


class _QueryOfInput(Struct, frozen=True, eq=False, dict=True):
    """A query with its place in an input.

    Attributes:
        before: number of queries before this query in the run; NaN if the run does not contain it.
        ids: ids of all queries of the input.
    """

    id: str
    query: Query
    before: float
    ids: tuple[str, ...]

    @cached_property
    def judged(self) -> dict[str, int]:
        return dict(self.query.judged)

    @cached_property
    def positive(self) -> list[int]:
        """The levels above 0."""
        return [level for level in self.judged.values() if level > 0]

    def number_of(self, level: int) -> int:
        """Number of documents with this (positive) level."""
        return self.positive.count(level)

    @cached_property
    def scores(self) -> list[float]:
        return [line.score for line in self.query.lines]

    @cached_property
    def single(self) -> FloatArray:
        """The scores in single precision."""
        with np.errstate(over="ignore"):
            return np.array(self.scores, np.float32).astype(np.float64)

    @cached_property
    def levels(self) -> list[int | None]:
        """The level of each retrieved document in rank order; None for an unjudged document."""
        docnos = self.query.docnos
        order = sorted(range(len(docnos)), key=lambda i: (self.single[i], docnos[i]), reverse=True)
        return [self.judged.get(docnos[i]) for i in order]

    @cached_property
    def hits(self) -> list[int]:
        """The ranks of the retrieved documents with a level above 0."""
        return [rank for rank, level in enumerate(self.levels, 1) if level is not None and level > 0]

    @cached_property
    def docnos(self) -> set[str]:
        return {*self.query.docnos, *self.judged}

    @cached_property
    def smallest_step(self) -> float:
        """The smallest difference of two different scores; NaN if no scores differ."""
        steps = np.diff(np.unique(self.single[np.isfinite(self.single)]))
        return float(steps.min()) if len(steps) else nan


#: A feature of a query: (words, function that returns its size; NaN if the query has no such size). The words
#: are a plural noun, if the size is a number of things, or contain ``{}`` for the size.
_Feature: TypeAlias = tuple[str, Callable[[_QueryOfInput], float]]
#: Feature of an id -> pattern.
_IN_IDS = {
    "capitals": re.compile(r"[A-Z]"),
    "leading zeros": re.compile(r"^0"),
    "digits only": re.compile(r"^[0-9]+$"),
    "signs": re.compile(r"[^\w]|_"),
    "letters beyond ASCII": re.compile(r"[^\x00-\x7f]"),
    "blanks": re.compile(r"\s"),
}


def _features(k: int | None) -> Iterator[_Feature]:
    """Yield the features of a query, the simplest first.

    Args:
        k: cutoff of the measure.
    """
    yield "retrieved documents", lambda q: len(q.query.lines)
    yield "relevant documents", lambda q: len(q.positive)
    yield "judged documents", lambda q: len(q.judged)
    yield "relevant documents retrieved", lambda q: len(q.hits)
    yield "relevant documents not retrieved", lambda q: len(q.positive) - len(q.hits)
    yield "unjudged documents retrieved", lambda q: q.levels.count(None)
    yield "judged nonrelevant documents retrieved", lambda q: sum(v is not None and v <= 0 for v in q.levels)
    yield "a highest level of {}", lambda q: max(q.judged.values(), default=nan)
    yield "a lowest level of {}", lambda q: min(q.judged.values(), default=nan)
    yield "negative levels", lambda q: sum(level < 0 for level in q.judged.values())
    yield "different relevant levels", lambda q: len(set(q.positive))
    for level in (1, 2, 3, 4):
        yield f"documents judged {level}", partial(_QueryOfInput.number_of, level=level)
    yield "a first relevant document at rank {}", lambda q: q.hits[0] if q.hits else nan
    yield "a last relevant document at rank {}", lambda q: q.hits[-1] if q.hits else nan
    if k is not None:
        yield f"relevant documents among the first {k}", lambda q: sum(rank <= k for rank in q.hits)
        yield f"relevant documents after rank {k}", lambda q: sum(rank > k for rank in q.hits)
        yield f"unjudged documents among the first {k}", lambda q: q.levels[:k].count(None)
    yield "tied scores", lambda q: len(q.scores) - len(np.unique(q.single))
    yield "scores tied in single precision only", lambda q: len(set(q.scores)) - len(np.unique(q.single))
    yield "negative scores", lambda q: sum(score < 0 for score in q.scores)
    yield "scores of 0", lambda q: q.scores.count(0)
    yield "scores outside [0, 1]", lambda q: sum(not 0 <= score <= 1 for score in q.scores)
    yield "infinite scores", lambda q: sum(not isfinite(score) for score in q.scores)
    yield "a highest score of {}", lambda q: max(q.scores, default=nan)
    yield "a lowest score of {}", lambda q: min(q.scores, default=nan)
    yield "a smallest difference of scores of {}", lambda q: q.smallest_step
    yield "lines that are not in order of score", lambda q: sum(a < b for a, b in pairwise(q.scores))
    yield "a longest docno of {} letters", lambda q: max(map(len, q.docnos), default=nan)
    for part, pattern in _IN_IDS.items():
        yield from _having(part, pattern)
    for how, form in FORMS.items():
        yield from _equal_ids(how, form)
    yield "queries in the input", lambda q: len(q.ids)
    yield "queries before it in the input", lambda q: q.before


def _having(part: str, pattern: re.Pattern[str]) -> Iterator[_Feature]:
    """Yield the features of ids that contain ``part``."""
    yield f"docnos with {part}", lambda q: sum(map(bool, map(pattern.search, q.docnos)))
    yield f"{part} in the id of the query", lambda q: bool(pattern.search(q.id))


def _equal_ids(how: str, form: Callable[[str], str]) -> Iterator[_Feature]:
    """Yield features: numbers of ids that are the same in some form, such as in lower case."""
    yield f"docnos that are the same {how}", lambda q: len(q.docnos) - len(set(map(form, q.docnos)))
    yield f"queries beside it of the same id {how}", lambda q: _ids(q.ids, form)[form(q.id)] - 1


@lru_cache(maxsize=64)
def _ids(ids: tuple[str, ...], form: Callable[[str], str]) -> Counter[str]:
    return Counter(map(form, ids))


#: Words of the feature whose size is the value that conventions predict.
_EXPECTED = "an expected value of {}"
#: Words -> condition of a query. For an input of several queries, the number of queries that meet the
#: condition is a feature, in addition to the maximum of each feature over its queries.
_OF_INPUT: dict[str, Callable[[_QueryOfInput], bool]] = {
    "queries without results": lambda q: not q.query.lines,
    "queries without judgements": lambda q: not q.judged,
    "queries without relevant documents": lambda q: bool(q.judged) and not q.positive,
    "queries without a relevant document retrieved": lambda q: not q.hits,
}


class _Condition(Struct, frozen=True, eq=False, kw_only=True):
    """One side of a split of all values by the size of a feature.

    Attributes:
        noun: words of the feature.
        low, high: the two neighbouring sizes between which the values are split.
        above: whether this is the side of the sizes from ``high`` on.
        complete: whether the feature has a size for every value.
        holds: mask of the values that are on this side, and meet the first condition if this is the second.
        separates: whether the condition separates wrong from right values well enough to be reported.
        gain: gain in log-likelihood by the split.
    """

    noun: str
    low: float
    high: float
    above: bool
    complete: bool
    holds: BoolArray
    separates: bool
    gain: float

    @property
    def sides(self) -> tuple[str, str]:
        """The sizes up to ``low``, and the sizes from ``high`` on, in words."""
        low, high = self.low, self.high
        if low.is_integer() and high.is_integer():
            few = "fewer than 2" if low == 1 and "{}" not in self.noun else f"at most {low:,.0f}"
            return few, f"{high:,.0f} or more"
        middle = (low + high) / 2 if isfinite(low + high) else high
        bounds = (f"{middle:.{digits}g}" for digits in range(1, 18))
        bound = next(text for text in bounds if low < float(text) <= high)
        return f"less than {bound}", f"{bound} or more"

    @property
    def words(self) -> str:
        """The condition in words that complete "with"."""
        if self.low == 0 and "{}" not in self.noun:
            return self.noun if self.above else f"no {self.noun}"
        return _sized(self.noun, self.sides[self.above])

    @property
    def otherwise(self) -> str:
        """The sizes of the other side in words; empty if the other side is only the absence of something."""
        named = self.complete and (self.low or "{}" in self.noun) and self.low.is_integer()
        return self.sides[not self.above] if named else ""


def _sized(noun: str, size: str) -> str:
    """The words of a feature with its size."""
    return noun.format(size) if "{}" in noun else f"{size} {noun}"


def _together(conditions: Sequence[_Condition]) -> list[str]:
    """The conditions in words; two conditions on the same feature are joined as a range."""
    if len({one.noun for one in conditions}) < len(conditions):
        (least, most) = sorted(conditions, key=lambda one: not one.above)
        ends = dict.fromkeys((f"{least.high:,g}", f"{most.low:,g}"))
        return [_sized(least.noun, " to ".join(ends) if len(ends) > 1 else f"exactly {least.high:,g}")]
    return [one.words for one in conditions]


class Places:
    """Searches the conditions under which the values of a metric are wrong.

    Args:
        cutoff: cutoff of the measure.
    """

    def __init__(self, cutoff: int | None) -> None:
        self._features = dict(_features(cutoff))
        # id() of the queries of an input -> its sizes of features by query, and of _OF_INPUT. The audit keeps
        # all inputs, so that an id() is not used again.
        self._sizes: dict[int, tuple[FloatArray, list[float]]] = {}

    def where(self, asked: Sequence[Asked], wrong: Iterable[Probe], conventions: Conventions) -> Where | None:
        """The record of one or two conditions that separate wrong from right values; None if there are none.

        Args:
            asked: the answers of the metric.
            wrong: probes from ``asked`` that read a wrong value.
            conventions: the metric's conventions.
        """
        keys = {(id(probe.queries), probe.reads) for probe in wrong}
        if not keys:
            return None
        means = all(reads is None for _, reads in keys)
        rows, off = [np.zeros((0, len(self._features) + 1 + means * len(_OF_INPUT)))], list[bool]()
        for one in asked:
            queries = [query for query, _ in one.probe.queries]
            expected = _expected(one, conventions, means=means)
            if not expected:
                continue
            sizes, of_input = self._sizes_of(one.probe)
            values = np.column_stack([sizes, [expected.get(q, nan) for q in queries]])
            if means:
                rows.append(np.append(np.fmax.reduce(values), of_input)[None])
                off.append((id(one.probe.queries), None) in keys)
            else:
                rows.append(values[[q in expected for q in queries]])
                off += [(id(one.probe.queries), q) in keys for q in queries if q in expected]
        nouns = [*self._features, _EXPECTED, *(list(_OF_INPUT) * means)]
        are_wrong = np.array(off, np.bool_)
        conditions = _decision(nouns, np.concatenate(rows), are_wrong)
        if not (conditions or are_wrong.all()):
            return None
        holds = conditions[-1].holds if conditions else are_wrong
        return Where(
            of_what="inputs" if means else "queries",
            conditions=_together(conditions),
            otherwise=conditions[0].otherwise if len(conditions) == 1 else "",
            wrong=int((are_wrong & holds).sum()),
            of=int(holds.sum()),
            wrong_elsewhere=int((are_wrong & ~holds).sum()),
            of_elsewhere=int((~holds).sum()),
        )

    def _sizes_of(self, probe: Probe) -> tuple[FloatArray, list[float]]:
        """The sizes of all features for each query of an input, and the sizes of _OF_INPUT."""
        if (key := id(probe.queries)) not in self._sizes:
            ids = tuple(query for query, _ in probe.queries)
            places = {topic.decode(): place for place, topic in enumerate(topics_in_order(probe.run))}
            queries = [_QueryOfInput(q, of, places.get(q, nan), ids) for q, of in probe.queries]
            rows = [[float(of(query)) for of in self._features.values()] for query in queries]
            of_input = [float(sum(map(of, queries))) for of in _OF_INPUT.values()]
            self._sizes[key] = np.array(rows, np.float64), of_input
        return self._sizes[key]


def _expected(one: Asked, conventions: Conventions, *, means: bool) -> dict[str, float]:
    """Query -> predicted value, NaN for none, for the queries of an answer that have a value. With ``means``,
    for all queries, if the answer has a mean."""
    if isinstance(one.answer, BackendError) or (means and (one.answer.mean is None or one.probe.reads)):
        return {}
    try:
        ours = one.recomputer.evaluated(conventions)
    except CrosscheckError:
        return {}
    values = np.where(ours.present, ours.values, nan).tolist()
    predicted = dict(zip(one.recomputer.topics, values, strict=True))
    given = one.answer.values.keys() & one.read
    ids = (id for id, _ in one.probe.queries if means or id.encode() in given)
    return {id: predicted.get(id.encode(), nan) for id in ids}


def _decision(nouns: Sequence[str], table: FloatArray, wrong: BoolArray) -> list[_Condition]:
    """The best condition, or two conditions, that separate wrong from right values; empty if there are none.

    Args:
        nouns: words of the features; table: the size of each feature (column) for each value (row).
        wrong: mask of the wrong values.
    """
    single = _conditions(nouns, table, wrong, np.ones_like(wrong), 1)
    separating = [[one] for one in single if one.separates] or [
        [one, other]
        for one in single[:_WIDTH]
        for other in _conditions(nouns, table, wrong, one.holds, 2)
        if other.separates
    ]
    return max(separating, key=lambda conditions: conditions[-1].gain, default=[])


def _conditions(
    nouns: Sequence[str], table: FloatArray, wrong: BoolArray, among: BoolArray, number: int
) -> list[_Condition]:
    """The best condition on each feature that matches nearly all wrong values, highest gain first.

    Args:
        nouns, table, wrong: as for :func:`_decision`.
        among: mask of the values to split: all, or those that the first condition matches.
        number: 1 for a first condition, 2 for a second.
    """
    conditions: list[_Condition] = []
    of, off = np.array(float(len(wrong))), np.array(float(wrong.sum()))
    least = _CHANCE + number * log(table.size)
    for noun, values in zip(nouns, table.T, strict=True):
        known = np.flatnonzero(among & ~np.isnan(values))
        known = known[np.argsort(values[known], kind="stable")]
        ascending = values[known]
        ends = np.flatnonzero(ascending[1:] != ascending[:-1])
        if not len(ends):
            continue
        low, high = ascending[ends], ascending[ends + 1]
        below = ends.astype(np.float64) + 1
        wrong_below = np.cumsum(wrong[known], dtype=np.float64)[ends]
        sides = (below, wrong_below), (len(known) - below, float(wrong[known].sum()) - wrong_below)
        for above, (held, bad) in enumerate(sides):
            missed, caught = off - bad, held - bad
            few = (bad < _FEWEST) | (of - off - caught < _FEWEST) | (bad * bad < _WEIGHT * held)
            separates = (missed <= _MISSED * off) & (bad >= _SHARES[number - 1] * held)
            separates |= (bad >= np.maximum(_PURE * held, _MOST * off)) & (missed <= _RARE * (of - held))
            separates &= caught <= _CAUGHT * (of - off)
            gain = _likelihood(bad, held) + _likelihood(missed, of - held) - _likelihood(off, of)
            gain = np.where(few | ~(separates | (missed <= _MISSED * off)), -inf, gain)
            gain *= np.where(low == 0, _PLAINER, 1.0) if "{}" not in noun else 1.0
            best = int(np.argmax(np.where(separates, gain + of, gain)))
            if gain[best] > least:
                condition = _Condition(
                    noun=noun,
                    low=float(low[best]),
                    high=float(high[best]),
                    above=bool(above),
                    complete=not np.isnan(values).any(),
                    holds=among & (values >= high[best] if above else values <= low[best]),
                    separates=bool(separates[best]),
                    gain=float(gain[best]),
                )
                conditions.append(condition)
    return sorted(conditions, key=lambda one: -one.gain)


def _likelihood(wrong: FloatArray, of: FloatArray) -> FloatArray:
    """Log-likelihood of ``wrong`` wrong values among ``of`` values, at the maximum-likelihood share."""
    right = of - wrong
    likely = wrong * np.log(np.maximum(wrong, 1)) + right * np.log(np.maximum(right, 1))
    return np.asarray(likely - of * np.log(np.maximum(of, 1)), np.float64)
