"""Formulas that no axis expresses. If one of them fits as well, no set of conventions is proved."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TypeAlias

import numpy as np
from msgspec.structs import replace

from crosscheck.axes.gains import GAIN, IDEAL, Gain, Ideal
from crosscheck.axes.judging import RELEVANCE_LEVEL
from crosscheck.conventions import Conventions
from crosscheck.evaluation.formula import Formula
from crosscheck.measures import families, family
from crosscheck.measures.base import Family
from crosscheck.measures.ndcg import dcg, ideal_dcg
from crosscheck.model import FloatArray, IntArray, Measure
from crosscheck.rankings.judged import JudgedRankings, by_rank

#: Function from an array of levels or ranks to an array of gains, discounts or values, one per entry.
_PerEntry: TypeAlias = Callable[[FloatArray], FloatArray]

#: Cutoffs built into tools.
_USUAL_CUTOFFS = (5, 10, 20, 100, 1000)

_GAINS: dict[str, _PerEntry] = {
    "the square root of the level": np.sqrt,
    "3^level - 1": lambda level: 3.0**level - 1,
    "the level cubed": lambda level: level**3,
    "log2(1 + level)": lambda level: np.log2(1 + level),
    "the level, at most 2": lambda level: np.minimum(level, 2.0),
    "the level plus 1": lambda level: np.where(level > 0, level + 1.0, 0.0),
}

_DISCOUNTS: dict[str, _PerEntry] = {
    "the square root of the rank": np.sqrt,
    "log2(rank + 2)": lambda rank: np.log2(rank + 2),
    "the rank squared": np.square,
    "rank + 1": lambda rank: rank + 1.0,
    "1 (none)": np.ones_like,
}
#: The highest levels of usual scales, as constants in code.
_TOP_LEVELS = (1, 2, 3, 4, 5)
_OF_FIRST: dict[str, _PerEntry] = {
    "1/(rank + 1) of the first relevant document": lambda rank: 1 / (rank + 1),
    "1/log2(rank + 1) of the first relevant document": lambda rank: 1 / np.log2(rank + 1),
    "1/sqrt(rank) of the first relevant document": lambda rank: 1 / np.sqrt(rank),
    "1/rank^2 of the first relevant document": lambda rank: 1 / np.square(rank),
}


def _log(rank: FloatArray) -> FloatArray:
    return np.log2(rank + 1)


def decoys(measure: Measure, cutoffs: Sequence[int] = ()) -> list[Formula]:
    """The formulas that are compared with the observed values of a measure.

    Args:
        cutoffs: further cutoffs of the measures among them.
    """
    return [*_measures(measure, cutoffs), *_formulas(measure)]


def _measures(measure: Measure, cutoffs: Sequence[int]) -> Iterator[Formula]:
    """Decoys that are other measures, or the same measure with another cutoff."""
    for about in families().values():
        if about.detailed or about.required or about.aggregate != "mean":
            continue
        for cutoff in _cutoffs(about, measure, cutoffs):
            other = Measure(about.name, cutoff, measure.rel if about.rel else None, ())
            if other != measure:
                yield Formula(str(other), about.compute, other)


def _cutoffs(about: Family, measure: Measure, more: Sequence[int]) -> list[int | None]:
    k, same = measure.cutoff, about.name == measure.family
    if about.cutoff == "none" or about.at_parameter != "cutoff":
        return [None] if about.cutoff != "required" else []
    found: list[int | None] = [k] if k else []
    if same:
        found += [k - 1, k + 1] if k else []
        found += _USUAL_CUTOFFS
    elif not k:
        found.append(10)
    found += more
    if about.cutoff == "optional":
        found.append(None)
    return [cutoff for cutoff in dict.fromkeys(found) if cutoff is None or cutoff > 0]


def _formulas(measure: Measure) -> Iterator[Formula]:
    own, k = family(measure.family), measure.cutoff
    at = f"@{k}" if k else ""
    for beta in (0.5, 1.0, 2.0):
        yield Formula(f"F{beta:g}{at}", partial(_f, beta))
    yield Formula(f"AP{at} over the documents returned", _ap_over_returned)
    yield Formula(f"hits{at} weighted by 1/rank", _weighted_precision)
    yield Formula(
        "the precision at the last relevant document" + (f" among {k}" if k else ""), _precision_at_last
    )
    among = f" among the first {k}" if k else ""
    yield Formula(f"the number of relevant documents{among}", _number_found)
    yield Formula(f"the sum of 1/rank of the relevant documents{among}", _sum_of_reciprocals)
    yield Formula(f"{measure} of the first R documents", lambda j, c, m: own.compute(_first_r(j, c), c, m))
    yield Formula(f"1 - {measure}", lambda j, c, m: 1 - own.compute(j, c, m))
    yield Formula(f"{measure} of the list upside down", lambda j, c, m: own.compute(_upside_down(j), c, m))
    for name, value in _OF_FIRST.items():
        yield Formula(name, partial(_first, value))
    if k:
        for near in (k - 1, k + 1):
            yield Formula(f"the relevant among the first {near}, over {k}", partial(_hits_over, near, k))
        yield Formula(f"the mean of P@1 to P@{k}", _mean_precision)
    if GAIN in own.reads:
        for name, gain in _GAINS.items():
            yield Formula(f"nDCG{at} with gain {name}", partial(_ndcg, gain, _log, True))
        for name, discount in _DISCOUNTS.items():
            yield Formula(f"nDCG{at} with discount {name}", partial(_ndcg, np.positive, discount, True))
        yield Formula(
            f"DCG{at} over {k or 'the documents returned'}", partial(_ndcg, np.positive, _log, False)
        )
    if IDEAL in own.reads:
        for level in _TOP_LEVELS:
            yield Formula(f"{measure} against level {level} at every rank", partial(_against, level, own))
            yield Formula(
                f"{measure} against level {level} for each relevant document", partial(_against_r, level)
            )


def _hits(judged: JudgedRankings, conventions: Conventions, cutoff: int | None) -> tuple[IntArray, IntArray]:
    """Topic and rank of each relevant document that is retrieved down to a cutoff."""
    hit = judged.rel >= conventions[RELEVANCE_LEVEL]
    if cutoff is not None:
        hit &= judged.rank <= cutoff
    return judged.topic[hit], judged.rank[hit]


def _depth(judged: JudgedRankings, cutoff: int | None) -> IntArray:
    return judged.num_ret if cutoff is None else np.minimum(judged.num_ret, cutoff)


def _number_found(judged: JudgedRankings, conventions: Conventions, measure: Measure) -> FloatArray:
    found = judged.count(_hits(judged, conventions, measure.cutoff)[0])
    return np.asarray(found, np.float64)


def _sum_of_reciprocals(judged: JudgedRankings, conventions: Conventions, measure: Measure) -> FloatArray:
    topic, rank = _hits(judged, conventions, measure.cutoff)
    return np.asarray(np.bincount(topic, 1 / rank, judged.num_topics), np.float64)


def _mean_precision(judged: JudgedRankings, conventions: Conventions, measure: Measure) -> FloatArray:
    assert measure.cutoff is not None
    topic, rank = _hits(judged, conventions, measure.cutoff)
    # A hit counts in the precisions at its rank and at all ranks below.
    below = np.cumsum(1 / np.arange(measure.cutoff, 0, -1))[::-1]
    return np.bincount(topic, below[rank - 1], judged.num_topics) / measure.cutoff


def _first_r(judged: JudgedRankings, conventions: Conventions) -> JudgedRankings:
    num_rel = judged.num_rel(conventions[RELEVANCE_LEVEL])
    kept = judged.only(judged.rank <= num_rel[judged.topic])
    return replace(kept, num_ret=np.minimum(judged.num_ret, num_rel))


def _against(
    level: int, own: Family, judged: JudgedRankings, conventions: Conventions, measure: Measure
) -> FloatArray:
    return own.compute(judged, conventions.with_changes(ideal=Ideal.MAX_GRADE, max_grade=level), measure)


def _against_r(level: int, judged: JudgedRankings, conventions: Conventions, measure: Measure) -> FloatArray:
    """DCG over that of an ideal list with one level for each relevant document. Where gains are binary, the
    level itself is its gain."""
    binary = conventions[GAIN] is Gain.BINARY
    same = replace(judged, pool_rel=np.where(judged.pool_rel > 0, level, 0))
    ideal = ideal_dcg(same, conventions.having(GAIN, Gain.LINEAR) if binary else conventions, measure)
    return _over(dcg(judged, conventions, measure), ideal)


def _over(values: FloatArray | IntArray, divisor: FloatArray | IntArray) -> FloatArray:
    return np.asarray(np.where(divisor > 0, values / np.maximum(divisor, 1e-300), 0.0), np.float64)


def _f(beta: float, judged: JudgedRankings, conventions: Conventions, measure: Measure) -> FloatArray:
    hits = judged.count(_hits(judged, conventions, measure.cutoff)[0])
    looked_at = _depth(judged, None) if measure.cutoff is None else np.full(judged.num_topics, measure.cutoff)
    wanted = judged.num_rel(conventions[RELEVANCE_LEVEL])
    both = np.asarray(looked_at + beta * beta * wanted, np.float64)
    return _over(np.asarray((1 + beta * beta) * hits, np.float64), both)


def _ap_over_returned(judged: JudgedRankings, conventions: Conventions, measure: Measure) -> FloatArray:
    topic, rank = _hits(judged, conventions, measure.cutoff)
    first = np.searchsorted(topic, topic, "left")
    found = np.arange(1, len(topic) + 1) - first
    total = np.bincount(topic, found / rank, judged.num_topics)
    return _over(total, _depth(judged, measure.cutoff))


def _precision_at_last(judged: JudgedRankings, conventions: Conventions, measure: Measure) -> FloatArray:
    topic, rank = _hits(judged, conventions, measure.cutoff)
    last = np.zeros(judged.num_topics, np.int64)
    np.maximum.at(last, topic, rank)
    return _over(judged.count(topic), last)


def _weighted_precision(judged: JudgedRankings, conventions: Conventions, measure: Measure) -> FloatArray:
    topic, rank = _hits(judged, conventions, measure.cutoff)
    depth = _depth(judged, None) if measure.cutoff is None else np.full(judged.num_topics, measure.cutoff)
    weights = np.concatenate(([0.0], np.cumsum(1 / np.arange(1, int(depth.max(initial=1)) + 1))))
    return _over(np.bincount(topic, 1 / rank, judged.num_topics), weights[depth])


def _hits_over(
    cutoff: int, divisor: int, judged: JudgedRankings, conventions: Conventions, measure: Measure
) -> FloatArray:
    return judged.count(_hits(judged, conventions, cutoff)[0]) / divisor


def _first(
    value: _PerEntry, judged: JudgedRankings, conventions: Conventions, measure: Measure
) -> FloatArray:
    topic, rank = _hits(judged, conventions, measure.cutoff)
    found, first = np.unique(topic, return_index=True)
    values = np.zeros(judged.num_topics)
    values[found] = value(rank[first].astype(np.float64))
    return values


def _ndcg(
    gain: _PerEntry,
    discount: _PerEntry,
    ratio: bool,
    judged: JudgedRankings,
    conventions: Conventions,
    measure: Measure,
) -> FloatArray:
    dcg = _dcg(gain, discount, judged.topic, judged.rank, judged.rel, judged.num_topics, measure.cutoff)
    if not ratio:
        depth = _depth(judged, None) if measure.cutoff is None else np.full(judged.num_topics, measure.cutoff)
        return _over(dcg, depth)
    best = np.lexsort((-judged.pool_rel, judged.pool_topic))
    topic, rel = judged.pool_topic[best], judged.pool_rel[best]
    rank = np.arange(1, len(topic) + 1) - np.searchsorted(topic, topic, "left")
    return _over(dcg, _dcg(gain, discount, topic, rank, rel, judged.num_topics, measure.cutoff))


def _dcg(
    gain: _PerEntry,
    discount: _PerEntry,
    topic: IntArray,
    rank: IntArray,
    rel: IntArray,
    topics: int,
    cutoff: int | None,
) -> FloatArray:
    counts = rel > 0 if cutoff is None else (rel > 0) & (rank <= cutoff)
    gains = gain(rel[counts].astype(np.float64)) / discount(rank[counts].astype(np.float64))
    return np.asarray(np.bincount(topic[counts], gains, topics), np.float64)


def _upside_down(judged: JudgedRankings) -> JudgedRankings:
    rank = judged.num_ret[judged.topic] - judged.rank + 1
    order = by_rank(judged.topic, rank)
    document = None if judged.document is None else judged.document[order]
    return replace(
        judged, rank=rank[order], rel=judged.rel[order], tied_after=None, tied=None, document=document
    )
