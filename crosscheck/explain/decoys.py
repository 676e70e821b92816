"""Decoys: formulas that no axis expresses. If a decoy gives the observed values as well, no set of
conventions is proved."""

from collections.abc import Callable, Collection, Iterator, Sequence
from functools import partial
from itertools import permutations
from typing import Any, TypeAlias

import numpy as np
from msgspec.structs import replace

from crosscheck.axes.denominators import AP_DENOMINATOR, RECALL_DENOMINATOR
from crosscheck.axes.gains import GAIN, IDEAL, Gain, Ideal
from crosscheck.axes.judging import RELEVANCE_LEVEL
from crosscheck.axes.ties import BEST_SCORE
from crosscheck.conventions import Conventions
from crosscheck.evaluation.formula import Formula
from crosscheck.measures import families, family
from crosscheck.measures.base import Family
from crosscheck.measures.ndcg import dcg, ideal_dcg
from crosscheck.model import FloatArray, IntArray, Measure
from crosscheck.rankings.judged import JudgedRankings, by_rank

#: Function from an array of levels or ranks to an array of gains, discounts or values, one per entry.
_PerEntry: TypeAlias = Callable[[FloatArray], FloatArray]

#: Cutoffs that tools commonly use.
_USUAL_CUTOFFS = (5, 10, 20, 100, 1000)
#: Usual values of parameters between 0 and 1, such as the persistence of a user.
_SHARES = (0.5, 0.8, 0.9, 0.95)

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
#: The highest levels of usual scales, which code may contain as constants.
_TOP_LEVELS = (1, 2, 3, 4, 5)


def _log(rank: FloatArray) -> FloatArray:
    return np.log2(rank + 1)


def decoys(measure: Measure, cutoffs: Sequence[int] = (), fixed: Collection[str] = ()) -> list[Formula]:
    """The decoys for a measure: other measures, the same measure with other cutoffs, and other formulas.

    Args:
        cutoffs: further cutoffs to try.
        fixed: axes that cannot be changed. Whoever receives ranked documents may turn the list upside down.
    """
    own, name = family(measure.family), f"{measure} of the list upside down"
    upside_down = Formula(name, lambda j, c, m: own.compute(_upside_down(j), c, m))
    more = [upside_down] * (BEST_SCORE.name in fixed)
    return [*other_measures(measure, cutoffs), *_formulas(measure), *more]


def other_measures(measure: Measure, cutoffs: Sequence[int] = ()) -> Iterator[Formula]:
    """Yield the decoys that are measures: other measures, and the same measure with other cutoffs or another
    value of a parameter."""
    for about in families().values():
        if about.detailed or any(p.required for p in about.params) or about.aggregate != "mean":
            continue
        same = about.name == measure.family
        wanted = [(cutoff, measure.params * same) for cutoff in _cutoffs(about, measure, cutoffs)]
        shares = (p for p in about.params if p.share and same)
        wanted += [(measure.cutoff, ((p.name, v),)) for p in shares for v in _SHARES if v != p.of(measure)]
        for cutoff, own in wanted:
            other = Measure(about.name, cutoff, measure.rel if about.rel else None, own)
            if other != measure:
                yield Formula(str(other), about.compute, other)


def _cutoffs(about: Family, measure: Measure, more: Sequence[int]) -> list[int | None]:
    """The cutoffs to try for a family of measures; None for no cutoff."""
    k, same = measure.cutoff, about.name == measure.family
    if about.cutoff == "none" or about.at_parameter != "cutoff":
        return [None] if about.cutoff != "required" else []
    near = (k, k - 1, k + 1) if k else ()
    likely = (*near, *_USUAL_CUTOFFS) if same else (k or 10,)
    cutoffs = dict.fromkeys([cutoff for cutoff in (*likely, *more) if cutoff > 0])
    return [*cutoffs, None] if about.cutoff == "optional" else list(cutoffs)


class _Hits:
    """The hits of rankings: relevant documents down to a cutoff.

    Attributes:
        topic, rank: the topic and rank of each hit, in order of topic and rank.
        number: the number of each hit among the hits of its topic, from 1.
        retrieved: the number of hits of each topic.
        wanted: the number of relevant documents of each topic (R).
        returned: the number of retrieved documents of each topic down to the cutoff.
        depth: for each topic the cutoff; without a cutoff, the number of retrieved documents.
    """

    def __init__(self, judged: JudgedRankings, conventions: Conventions, cutoff: int | None) -> None:
        level, self.depth = conventions[RELEVANCE_LEVEL], judged.num_ret
        hit = judged.rel >= level
        if cutoff is not None:
            hit, self.depth = hit & (judged.rank <= cutoff), np.full(judged.num_topics, cutoff)
        self.topic, self.rank = judged.topic[hit], judged.rank[hit]
        self.number = np.arange(1, len(self.topic) + 1) - np.searchsorted(self.topic, self.topic)
        self.retrieved, self.wanted = judged.count(self.topic), judged.num_rel(level)
        self.returned = np.minimum(judged.num_ret, self.depth)

    def sum(self, of_each: np.ndarray[Any, Any]) -> FloatArray:
        """For each topic, the sum of ``of_each`` over its hits."""
        return np.asarray(np.bincount(self.topic, of_each, len(self.retrieved)), np.float64)


_OfHits: TypeAlias = Callable[[_Hits], FloatArray]


def _f(beta: float, hits: _Hits) -> FloatArray:
    return _over((1 + beta * beta) * hits.retrieved, hits.depth + beta * beta * hits.wanted)


def _last(hits: _Hits) -> IntArray:
    last = np.zeros(len(hits.retrieved), np.int64)
    np.maximum.at(last, hits.topic, hits.rank)
    return last


def _all_found(hits: _Hits) -> FloatArray:
    return np.asarray((hits.retrieved == hits.wanted) & (hits.wanted > 0), np.float64)


def _from_each(hits: _Hits) -> FloatArray:
    # Topics are apart, because each precision is at most 1.
    precision, apart = (hits.number / hits.rank)[::-1], 2.0 * (len(hits.retrieved) - hits.topic[::-1])
    highest: FloatArray = np.maximum.accumulate(precision + apart) - apart
    return highest[::-1]


def _trapezia(hits: _Hits) -> FloatArray:
    before = np.where(hits.rank > 1, (hits.number - 1) / np.maximum(hits.rank - 1, 1), 1.0)
    return np.asarray((hits.number / hits.rank + before) / 2, np.float64)


def _weighted(hits: _Hits) -> FloatArray:
    weights = np.concatenate(([0.0], np.cumsum(1 / np.arange(1, int(hits.depth.max(initial=1)) + 1))))
    return _over(hits.sum(1 / hits.rank), np.asarray(weights[hits.depth], np.float64))


def _mean_precision(k: int, hits: _Hits) -> FloatArray:
    # A hit counts in the precisions at its rank and at all ranks below.
    return hits.sum(np.cumsum(1 / np.arange(k, 0, -1))[::-1][hits.rank - 1]) / k


def _of_first(value: _PerEntry, hits: _Hits) -> FloatArray:
    first = hits.number == 1
    values = np.zeros(len(hits.retrieved))
    values[hits.topic[first]] = value(hits.rank[first].astype(np.float64))
    return values


#: Name -> formula over the hits; ``{at}``, ``{among}`` and ``{first}`` in the name stand for the cutoff.
_OVER_HITS: dict[str, _OfHits] = {
    "F0.5{at}": partial(_f, 0.5),
    "F2{at}": partial(_f, 2.0),
    "AP{at} over the documents returned": lambda h: _over(h.sum(h.number / h.rank), h.returned),
    "hits{at} weighted by 1/rank": _weighted,
    "the precision at the last relevant document{among}": lambda h: _over(h.retrieved, _last(h)),
    "AP{at} with the highest precision from each rank on": lambda h: _over(h.sum(_from_each(h)), h.wanted),
    "AP{at} by the trapezoidal rule": lambda h: _over(h.sum(_trapezia(h)), h.wanted),
    "1/rank of the last relevant document{first}": lambda h: _over(h.retrieved > 0, _last(h)),
    "1 over the mean rank of the relevant documents{first}": lambda h: _over(h.retrieved, h.sum(h.rank)),
    "1 if all relevant documents were retrieved{first}, else 0": _all_found,
    "the number of relevant documents{first}": lambda h: np.asarray(h.retrieved, np.float64),
    "the sum of 1/rank of the relevant documents{first}": lambda h: h.sum(1 / h.rank),
}
_OVER_FIRST: dict[str, _PerEntry] = {
    "1/(rank + 1)": lambda rank: 1 / (rank + 1),
    "1/max(rank - 1, 1)": lambda rank: 1 / np.maximum(rank - 1, 1),
    "1/log2(rank + 1)": lambda rank: 1 / np.log2(rank + 1),
    "1/sqrt(rank)": lambda rank: 1 / np.sqrt(rank),
    "1/rank^2": lambda rank: 1 / np.square(rank),
}


def _over_hits(name: str, value: _OfHits, cutoff: int | None) -> Formula:
    return Formula(name, lambda judged, conventions, _: value(_Hits(judged, conventions, cutoff)))


def _formulas(measure: Measure) -> Iterator[Formula]:
    """Yield the decoys that are not measures."""
    own, k = family(measure.family), measure.cutoff
    at, among_first = (f"@{k}", f" among the first {k}") if k else ("", "")
    for name, of_hits in _OVER_HITS.items():
        words = {"at": at, "among": at.replace("@", " among "), "first": among_first}
        yield _over_hits(name.format_map(words), of_hits, k)
    found = "1 if a relevant document was retrieved, else 0"
    yield _over_hits(found, lambda hits: np.minimum(hits.retrieved, 1.0), None)
    yield Formula(f"{measure} of the first R documents", lambda j, c, m: own.compute(_first_r(j, c), c, m))
    yield Formula(f"1 - {measure}", lambda j, c, m: 1 - own.compute(j, c, m))
    yield Formula(f"{measure} without the last document", lambda j, c, m: own.compute(_but_last(j), c, m))
    signless = f"{measure} with every level but 0 relevant"
    yield Formula(signless, lambda j, c, m: own.compute(_signless(j), c, m))
    for name, value in _OVER_FIRST.items():
        of_first = f"{name} of the first relevant document{among_first}"
        yield _over_hits(of_first, partial(_of_first, value), k)
    if k:
        for near in (k - 1, k + 1):
            name = f"the relevant among the first {near}, over {k}"
            yield _over_hits(name, lambda hits: hits.retrieved / k, near)
        more = f"the relevant among the first {k}, over {k} or R, whichever is more"
        yield _over_hits(more, lambda hits: _over(hits.retrieved, np.maximum(k, hits.wanted)), k)
        yield _over_hits(f"the mean of P@1 to P@{k}", partial(_mean_precision, k), k)
    first = f"the first {k}, over {k}" if k else "the documents returned, over their number"
    yield Formula(f"the sum of the levels of {first}", partial(_over_depth, np.ones_like))
    yield Formula(f"the share of the sum of all levels{at}", _share_of_levels)
    if not {AP_DENOMINATOR, RECALL_DENOMINATOR}.isdisjoint(own.reads):
        for least, wanted in ((2, 1), (3, 1), (1, 2), (1, 3)):
            name = f"{measure} of the documents from level {least} on, over those from level {wanted} on"
            yield Formula(name, partial(_of_levels, least, wanted, own))
    if GAIN in own.reads:
        for name, gain in _GAINS.items():
            yield Formula(f"nDCG{at} with gain {name}", partial(_ndcg, gain, _log))
        for name, discount in _DISCOUNTS.items():
            yield Formula(f"nDCG{at} with discount {name}", partial(_ndcg, np.positive, discount))
        for above, below in permutations(("log2(rank + 1)", "log2(rank + 2)")):
            name = f"DCG{at} with discount {above} over an ideal list with {below}"
            yield Formula(name, partial(_mixed, _DISCOUNTS.get(above, _log), _DISCOUNTS.get(below, _log)))
        yield Formula(f"DCG{at} over {k or 'the documents returned'}", partial(_over_depth, _log))
        if k:
            yield Formula(f"{measure} with an ideal list of {k - 1}", partial(_with_ideal_of, k - 1))
        yield Formula(f"{measure} with the ideal list in ascending order", _over_ascending)
        once = f"{measure} with each level once in the ideal list"
        yield Formula(once, lambda j, c, m: own.compute(_each_level_once(j), c, m))
    if IDEAL in own.reads:
        for level in _TOP_LEVELS:
            against = f"{measure} against level {level}"
            yield Formula(f"{against} at every rank", partial(_against, level, own))
            yield Formula(f"{against} for each relevant document", partial(_against_r, level))


def _first_r(judged: JudgedRankings, conventions: Conventions) -> JudgedRankings:
    num_rel = judged.num_rel(conventions[RELEVANCE_LEVEL])
    kept = judged.only(judged.rank <= num_rel[judged.topic])
    return replace(kept, num_ret=np.minimum(judged.num_ret, num_rel))


def _but_last(judged: JudgedRankings) -> JudgedRankings:
    """The rankings without their last document."""
    kept = judged.only(judged.rank < judged.num_ret[judged.topic])
    return replace(kept, num_ret=np.maximum(judged.num_ret - 1, 0))


def _signless(judged: JudgedRankings) -> JudgedRankings:
    """The rankings with 1 for each negative level, as code has that asks ``if level``."""
    rel, pool = (np.where(of < 0, 1, of) for of in (judged.rel, judged.pool_rel))
    return replace(judged, rel=rel, pool_rel=pool)


def _against(
    level: int, own: Family, judged: JudgedRankings, conventions: Conventions, measure: Measure
) -> FloatArray:
    return own.compute(judged, conventions.with_changes(ideal=Ideal.MAX_GRADE, max_grade=level), measure)


def _against_r(level: int, judged: JudgedRankings, conventions: Conventions, measure: Measure) -> FloatArray:
    """DCG divided by the DCG of an ideal list in which every relevant document has this level. If gains are
    binary, the gain in the ideal list is the level."""
    binary = conventions[GAIN] is Gain.BINARY
    same = replace(judged, pool_rel=np.where(judged.pool_rel > 0, level, 0))
    ideal = ideal_dcg(same, conventions.having(GAIN, Gain.LINEAR) if binary else conventions, measure)
    return _over(dcg(judged, conventions, measure), ideal)


def _over(values: np.ndarray[Any, Any], divisor: np.ndarray[Any, Any]) -> FloatArray:
    """The quotient; 0 where the divisor is 0."""
    return np.asarray(np.where(divisor > 0, values / np.maximum(divisor, 1e-300), 0.0), np.float64)


def sums_of_gains(
    gain: _PerEntry, judged: JudgedRankings, measure: Measure, discount: _PerEntry = _log
) -> tuple[FloatArray, FloatArray]:
    """DCG and ideal DCG of each topic with another gain and discount. The ideal list is sorted by level."""

    def dcg(topic: IntArray, rank: IntArray, rel: IntArray) -> FloatArray:
        counts = rel > 0 if measure.cutoff is None else (rel > 0) & (rank <= measure.cutoff)
        gains = gain(rel[counts].astype(np.float64)) / discount(rank[counts].astype(np.float64))
        return np.asarray(np.bincount(topic[counts], gains, judged.num_topics), np.float64)

    return dcg(judged.topic, judged.rank, judged.rel), dcg(*_listed(judged, -judged.pool_rel))


def _listed(judged: JudgedRankings, key: IntArray) -> tuple[IntArray, IntArray, IntArray]:
    """Topic, rank and level of each judged document in a list that is sorted by a key."""
    order = np.lexsort((key, judged.pool_topic))
    topic = judged.pool_topic[order]
    return topic, np.arange(1, len(topic) + 1) - np.searchsorted(topic, topic), judged.pool_rel[order]


def _ndcg(
    gain: _PerEntry, discount: _PerEntry, judged: JudgedRankings, conventions: Conventions, measure: Measure
) -> FloatArray:
    return _over(*sums_of_gains(gain, judged, measure, discount))


def _of_levels(
    least: int, wanted: int, own: Family, judged: JudgedRankings, conventions: Conventions, measure: Measure
) -> FloatArray:
    values = own.compute(judged, conventions.having(RELEVANCE_LEVEL, least), measure)
    return _over(values * judged.num_rel(least), judged.num_rel(wanted))


def _mixed(
    above: _PerEntry, below: _PerEntry, judged: JudgedRankings, conventions: Conventions, measure: Measure
) -> FloatArray:
    by_discount = [sums_of_gains(np.positive, judged, measure, discount) for discount in (above, below)]
    return _over(by_discount[0][0], by_discount[1][1])


def _with_ideal_of(
    number: int, judged: JudgedRankings, conventions: Conventions, measure: Measure
) -> FloatArray:
    short = replace(measure, cutoff=number)
    return _over(dcg(judged, conventions, measure), ideal_dcg(judged, conventions, short))


def _over_ascending(judged: JudgedRankings, conventions: Conventions, measure: Measure) -> FloatArray:
    topic, rank, rel = _listed(judged, judged.pool_rel)
    number = np.bincount(topic, minlength=judged.num_topics)
    ideal = replace(judged, num_ret=number, topic=topic, rank=rank, rel=rel, tied=None, document=None)
    return _over(dcg(judged, conventions, measure), dcg(ideal, conventions, measure))


def _each_level_once(judged: JudgedRankings) -> JudgedRankings:
    """The rankings with one judged document of each level of a topic."""
    topic, rel = np.unique(np.stack((judged.pool_topic, judged.pool_rel)), axis=1)
    return replace(judged, pool_topic=topic, pool_rel=rel)


def _over_depth(
    discount: _PerEntry, judged: JudgedRankings, conventions: Conventions, measure: Measure
) -> FloatArray:
    depth = _Hits(judged, conventions, measure.cutoff).depth
    return _over(sums_of_gains(np.positive, judged, measure, discount)[0], depth)


def _share_of_levels(judged: JudgedRankings, conventions: Conventions, measure: Measure) -> FloatArray:
    found, _ = sums_of_gains(np.positive, judged, measure, np.ones_like)
    return _over(found, sums_of_gains(np.positive, judged, replace(measure, cutoff=None), np.ones_like)[1])


def _upside_down(judged: JudgedRankings) -> JudgedRankings:
    rank = judged.num_ret[judged.topic] - judged.rank + 1
    order = by_rank(judged.topic, rank)
    return replace(judged.only(order), rank=rank[order], tied=None)
