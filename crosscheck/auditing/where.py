"""The conditions under which a metric is wrong, such as "with 2 or more tied scores": one or two conditions
that separate wrong from right values, if there are any."""

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from functools import lru_cache
from itertools import pairwise
from math import inf, isfinite, log, nan

import numpy as np
from msgspec import Struct

from crosscheck.audit_records import Where
from crosscheck.auditing.kinds_of_change import FORMS, odd
from crosscheck.auditing.metric import Asked
from crosscheck.auditing.words import topics_in_order
from crosscheck.conventions import Conventions
from crosscheck.errors import CrosscheckError
from crosscheck.inputs.queries import Probe, Query, in_rank_order
from crosscheck.model import BoolArray, FloatArray

# In these limits, conditions *match* a value if they hold for its query.
#: Minimum number of wrong values that conditions match, and of right values that they do not match.
_FEWEST = 5
#: Minimum of (number of matched wrong values) * (share of wrong values among matched values).
_WEIGHT = 4
#: Maximum share of wrong values that are not matched; maximum share of right values that are matched, also if
#: every wrong value is matched.
_MISSED, _CAUGHT, _CAUGHT_OF_ALL = 1 / 50, 1 / 10, 1 / 5
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
_WIDTH = 20


#: Number of documents of a query whose docnos are looked for in others.
_SEARCHED = 100
#: Feature of an id -> pattern.
_IN_IDS = {
    "capitals": re.compile(r"[A-Z]"),
    "leading zeros": re.compile(r"^0"),
    "digits only": re.compile(r"^[0-9]+$"),
    "signs": re.compile(r"[^\w]|_"),
    "letters beyond ASCII": re.compile(r"[^\x00-\x7f]"),
    "blanks": re.compile(r"\s"),
}


def _features(id: str, query: Query, before: float, ids: tuple[str, ...], k: int | None) -> dict[str, float]:
    """The features of a query of an input, the simplest first: words -> size, NaN if the query has no such
    size. The words are a plural noun, if the size is a number of things, or contain ``{}`` for the size.

    Args:
        before: number of queries before this query in the run; NaN if the run does not contain it.
        ids: ids of all queries of the input.
        k: cutoff of the measure.
    """
    judged, scores, retrieved = dict(query.judged), [line.score for line in query.lines], query.docnos
    positive = [level for level in judged.values() if level > 0]
    with np.errstate(over="ignore"):
        single = np.array(scores, np.float32).astype(np.float64)
    levels = [judged.get(line.docno) for line in in_rank_order(query.lines)]
    hits = [rank for rank, level in enumerate(levels, 1) if level is not None and level > 0]
    docnos, different = {*retrieved, *judged}, len(np.unique(single))
    steps = np.diff(np.unique(single[np.isfinite(single)]))
    sizes: dict[str, float] = {
        "retrieved documents": len(scores),
        "relevant documents": len(positive),
        "judged documents": len(judged),
        "relevant documents retrieved": len(hits),
        "relevant documents not retrieved": len(positive) - len(hits),
        "unjudged documents retrieved": levels.count(None),
        "judged nonrelevant documents retrieved": sum(v is not None and v <= 0 for v in levels),
        "a highest level of {}": max(judged.values(), default=nan),
        "a lowest level of {}": min(judged.values(), default=nan),
        "negative levels": sum(level < 0 for level in judged.values()),
        "different relevant levels": len(set(positive)),
        **{f"documents judged {level}": positive.count(level) for level in (1, 2, 3, 4)},
        "a first relevant document at rank {}": hits[0] if hits else nan,
        "a last relevant document at rank {}": hits[-1] if hits else nan,
    }
    if k is not None:
        sizes |= {
            f"relevant documents among the first {k}": sum(rank <= k for rank in hits),
            f"relevant documents after rank {k}": sum(rank > k for rank in hits),
            f"unjudged documents among the first {k}": levels[:k].count(None),
        }
    sizes |= {
        "tied scores": len(scores) - different,
        "scores tied in single precision only": len(set(scores)) - different,
        "negative scores": sum(score < 0 for score in scores),
        "scores of 0": scores.count(0),
        "scores outside [0, 1]": sum(not 0 <= score <= 1 for score in scores),
        "infinite scores": sum(not isfinite(score) for score in scores),
        "a highest score of {}": max(scores, default=nan),
        "a lowest score of {}": min(scores, default=nan),
        "a smallest difference of scores of {}": float(steps.min()) if len(steps) else nan,
        "lines that are not in order of score": sum(a < b for a, b in pairwise(scores)),
        "a longest docno of {} letters": max(map(len, docnos), default=nan),
    }
    for part, pattern in _IN_IDS.items():
        sizes[f"docnos with {part}"] = sum(map(bool, map(pattern.search, docnos)))
        sizes[f"{part} in the id of the query"] = bool(pattern.search(id))
    relevant = "\n".join(docno for docno, level in judged.items() if level > 0)
    within = [docno in relevant and not judged.get(docno, 0) > 0 for docno in retrieved[:_SEARCHED]]
    sizes["retrieved docnos that are a part of a relevant one"] = sum(within)
    odd_docnos = odd(docnos)
    plain = docnos.difference(odd_docnos)
    for how, form in FORMS.items():  # ids that become the same
        sizes[f"docnos that are the same {how}"] = len(docnos) - len(plain.union(map(form, odd_docnos)))
        sizes[f"queries beside it of the same id {how}"] = _ids(ids, form)[form(id)] - 1
    return sizes | {"queries in the input": len(ids), "queries before it in the input": before}


@lru_cache(maxsize=64)
def _ids(ids: tuple[str, ...], form: Callable[[str], str]) -> Counter[str]:
    return Counter(map(form, ids))


#: Words in the names of features -> the part of the input without which no metric can depend on them.
_PARTS = {"score": "scores", "docno": "docnos", "id of the query": "topics", "of the same id": "topics"}
#: Words of the feature whose size is the value that conventions predict.
_EXPECTED = "an expected value of {}"
#: Words -> condition on the features of a query. For an input of several queries, the number of queries that
#: meet the condition is a feature, in addition to the maximum of each feature over its queries.
_OF_INPUT: dict[str, Callable[[dict[str, float]], object]] = {
    "queries without results": lambda q: not q["retrieved documents"],
    "queries without judgements": lambda q: not q["judged documents"],
    "queries without relevant documents": lambda q: q["judged documents"] and not q["relevant documents"],
    "queries without a relevant document retrieved": lambda q: not q["relevant documents retrieved"],
}


class _Condition(Struct, frozen=True, eq=False):
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
            few = f"at most {low:,.0f}"
            if low == 1 and ("{}" not in self.noun or "rank" in self.noun):  # 1 is the first rank
                few = "1" if "{}" in self.noun else "fewer than 2"
            return few, f"{high:,.0f} or more"
        bounds = (f"{one:.{digits}g}" for one in ((low + high) / 2, high) for digits in range(1, 18))
        bound = next(text for text in bounds if low < float(text) <= high)
        bound = f"{float(bound):,.15g}" if "e" in bound else bound
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
        noun, size = least.noun, f"{least.high:,g} to {most.low:,g}"
        if least.high == most.low:
            size = f"exactly {least.high:,g}"
            if least.high == 1 and "{}" not in noun:
                noun = re.sub("(ie)?s\\b", lambda plural: "y" * bool(plural[1]), noun, count=1)
        return [_sized(noun, size)]
    return [one.words for one in conditions]


class Places:
    """Searches the conditions under which the values of a metric are wrong.

    Args:
        cutoff: cutoff of the measure.
        passed: the parts of the input that the metric receives, see
            :func:`~crosscheck.auditing.kinds_of_change.parts_passed`.
    """

    def __init__(self, cutoff: int | None, passed: Collection[str]) -> None:
        self._cutoff = cutoff
        unseen = [words for words, part in _PARTS.items() if part not in passed]
        nouns = enumerate(_features("", Query((), ()), nan, (), cutoff))
        self._nouns = {at: noun for at, noun in nouns if not any(words in noun for words in unseen)}
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
        known = [*self._nouns][: -1 if means else None]  # a mean has no queries before it, the last feature
        nouns = [*(self._nouns[at] for at in known), _EXPECTED, *(_OF_INPUT if means else ())]
        rows, off = [np.zeros((0, len(nouns)))], list[bool]()
        for one in asked:
            queries = [query for query, _ in one.probe.queries]
            expected = _expected(one, conventions, means=means)
            if not expected:
                continue
            sizes, of_input = self._sizes_of(one.probe)
            values = np.column_stack([sizes[:, known], [expected.get(q, nan) for q in queries]])
            whole = np.append(np.fmax.reduce(values), of_input)[None]
            rows.append(whole if means else values[[q in expected for q in queries]])
            reads = [None] if means else [q for q in queries if q in expected]
            off += [(id(one.probe.queries), query) in keys for query in reads]
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
            features = [_features(q, of, places.get(q, nan), ids, self._cutoff) for q, of in probe.queries]
            of_input = [float(sum(bool(of(q)) for q in features)) for of in _OF_INPUT.values()]
            self._sizes[key] = np.array([[*map(float, of.values())] for of in features], np.float64), of_input
        return self._sizes[key]


def _expected(one: Asked, conventions: Conventions, *, means: bool) -> dict[str, float]:
    """Query -> predicted value, NaN for none, for the queries of an answer that have a value. With ``means``,
    for all queries, if the answer has a mean."""
    if one.error is not None or (means and (one.given.mean is None or one.probe.reads)):
        return {}
    try:
        ours = one.recomputer.evaluated(conventions)
    except CrosscheckError:
        return {}
    values = np.where(ours.present, ours.values, nan).tolist()
    predicted = dict(zip(one.recomputer.topics, values, strict=True))
    given = one.given.values.keys() & one.read
    ids = (id for id, _ in one.probe.queries if means or id.encode() in given)
    return {id: predicted.get(id.encode(), nan) for id in ids}


def _decision(nouns: Sequence[str], table: FloatArray, wrong: BoolArray) -> list[_Condition]:
    """The best condition, or two conditions, that separate wrong from right values; empty if there are none.

    Args:
        nouns: words of the features; table: the size of each feature (column) for each value (row).
        wrong: mask of the wrong values.
    """
    single = _conditions(nouns, table, wrong, np.ones_like(wrong), 1)
    best = max((one for one in single if one.separates), key=lambda one: one.gain, default=None)
    if best and (best.holds & ~wrong).sum() <= _RARE * best.holds.sum():
        return [best]
    # If one separates, but matches many right values, two must leave no exception.
    pairs = (
        [one, other]
        for one in single[:_WIDTH]
        for other in _conditions(nouns, table, wrong, one.holds, 2)
        if other.separates and not (best and (other.holds != wrong).any())
    )
    return max(pairs, key=lambda conditions: conditions[-1].gain, default=[best] if best else [])


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
    split, off_split = np.array(float(among.sum())), np.array(float((wrong & among).sum()))
    # What the first condition gains is no gain of the second.
    before = _likelihood(off_split, split) + _likelihood(off - off_split, of - split)
    least = float(before - _likelihood(off, of)) + _CHANCE + log(split * table.shape[1])
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
            separates &= caught <= np.where(missed == 0, _CAUGHT_OF_ALL, _CAUGHT) * (of - off)
            gain = _likelihood(bad, held) + _likelihood(missed, of - held) - _likelihood(off, of)
            few |= gain <= least
            gain = np.where(few | ~(separates | (missed <= _MISSED * off)), -inf, gain)
            gain *= np.where(low == 0, _PLAINER, 1.0) if "{}" not in noun else 1.0
            best = int(np.argmax(np.where(separates, gain + of, gain)))
            if gain[best] > -inf:
                sizes, on_side = (float(low[best]), float(high[best])), bool(above)
                holds = among & (values >= high[best] if above else values <= low[best])
                complete, worth = not np.isnan(values).any(), (bool(separates[best]), float(gain[best]))
                conditions.append(_Condition(noun, *sizes, on_side, complete, holds, *worth))
    return sorted(conditions, key=lambda one: -one.gain)


def _likelihood(wrong: FloatArray, of: FloatArray) -> FloatArray:
    """Log-likelihood of ``wrong`` wrong values among ``of`` values, at the maximum-likelihood share."""
    right = of - wrong
    likely = wrong * np.log(np.maximum(wrong, 1)) + right * np.log(np.maximum(right, 1))
    return np.asarray(likely - of * np.log(np.maximum(of, 1)), np.float64)
