"""Compatibility: similarity of a ranking to the nearest ideal one."""

from __future__ import annotations

import numpy as np

from crosscheck.axes.ties import Ties
from crosscheck.conventions import Conventions
from crosscheck.measures.base import Family, Merits, Tied, number
from crosscheck.measures.tied import Groups, beyond_pool, draws, last_rank
from crosscheck.model import FloatArray, IntArray, Measure
from crosscheck.rankings.judged import JudgedRankings

__all__ = ["FAMILIES", "compatibility"]

#: Number of table entries (topics times ranks) per block, so that memory stays bounded.
_BLOCK = 1_000_000


def compatibility(judged: JudgedRankings, conventions: Conventions, measure: Measure) -> FloatArray:
    """Rank-biased overlap of the ranking with the ideal list nearest to it (ir_measures ``Compat``).

    The ideal list holds the judged documents with a level above 0, highest level first. Documents of the same
    level are in the order of the ranking, followed by those that were not retrieved. (ir_measures' provider
    gives the latter a score of 0, so with negative scores they come first.) ``p`` is 0.95 by default. The
    value is divided by that of the ideal list itself, unless ``normalize`` is False; 0.0 if the ideal list is
    empty. Source: Clarke, Vtyurina and Smucker, TOIS 39(3), 2021.
    """
    topic, met = _meetings(judged)
    return _value(judged, measure, topic, met, np.ones(len(topic)))


def _value(
    judged: JudgedRankings, measure: Measure, topic: IntArray, met: IntArray, share: FloatArray
) -> FloatArray:
    """Compatibility per topic. From depth ``met[i]`` on, ranking and ideal list of topic ``topic[i]`` have
    ``share[i]`` documents more in common."""
    persistence = number(measure, "p", 0.95)
    normalise = bool(dict(measure.params).get("normalize", True))
    size = judged.count(judged.pool_topic[judged.pool_rel > 0])
    depth = np.maximum(judged.num_ret, size)
    result = np.zeros(judged.num_topics)
    step = max(1, _BLOCK // (int(depth.max(initial=0)) + 1))
    for first in range(0, judged.num_topics, step):
        last = min(first + step, judged.num_topics)
        here = slice(*np.searchsorted(topic, (first, last)))
        # If unjudged documents count as judged, there may be more good ones than places in either list.
        longest = int(max(depth[first:last].max(initial=0), met[here].max(initial=0)))
        overlap = np.zeros((last - first, longest + 1))
        np.add.at(overlap, (topic[here] - first, met[here]), share[here])
        ranks = np.arange(1, longest + 1)
        weights = np.where(ranks <= depth[first:last, None], _weights(persistence, longest), 0.0)
        value = _overlap(np.add.accumulate(overlap, axis=1)[:, 1:], weights)
        best = _overlap(np.minimum(ranks, size[first:last, None]).astype(np.float64), weights)
        result[first:last] = np.divide(value, best, out=value.copy(), where=best > 0) if normalise else value
    return result


def _weights(persistence: float, length: int) -> FloatArray:
    weights = np.full(length, persistence)
    weights[:1] = 1.0
    return np.multiply.accumulate(weights)


def _overlap(common: FloatArray, weights: FloatArray) -> FloatArray:
    """Weighted mean over all depths of the share of documents in common, per topic; added in rank order."""
    if not weights.shape[1]:
        return np.zeros(len(weights))
    shares = weights * common / np.arange(1, weights.shape[1] + 1)
    total, whole = np.add.accumulate(shares, axis=1)[:, -1], np.add.accumulate(weights, axis=1)[:, -1]
    return np.divide(total, whole, out=np.zeros(len(weights)), where=whole > 0)


def _meetings(judged: JudgedRankings) -> tuple[IntArray, IntArray]:
    """Topic of each retrieved relevant document, and the first depth at which ranking and ideal hold it."""
    hit = judged.rel > 0
    topic, rank, rel = judged.topic[hit], judged.rank[hit], judged.rel[hit]
    better = _better(judged, topic, rel)
    key = topic * (int(rel.max(initial=0)) + 1) + rel
    by_level = np.lexsort((rank, key))
    same = np.empty(len(key), np.int64)
    changes = np.flatnonzero(np.diff(key[by_level], prepend=-1))
    sizes = np.diff(np.append(changes, len(key)))
    same[by_level] = np.arange(len(key)) - np.repeat(changes, sizes)
    return topic, np.maximum(rank, better + same + 1)


def _better(judged: JudgedRankings, topic: IntArray, rel: IntArray) -> IntArray:
    """Number of judged documents of the topic with a higher level, for each pair of ``topic`` and ``rel``."""
    levels = np.unique(judged.pool_rel)
    wanted = judged.pool_rel > 0
    pool = judged.pool_topic[wanted] * (len(levels) + 1) - np.searchsorted(levels, judged.pool_rel[wanted])
    pool.sort()
    key = topic * (len(levels) + 1) - np.searchsorted(levels, rel)
    start = np.searchsorted(pool, topic * (len(levels) + 1) - len(levels))
    better: IntArray = np.searchsorted(pool, key) - start
    return better


def _expected(judged: JudgedRankings, conventions: Conventions, measure: Measure) -> FloatArray:
    """Expected compatibility under tied scores: the number of documents of the same level above a document in
    its group is hypergeometric."""
    judged = judged.only(judged.rel > 0)
    limit = last_rank(conventions)
    topics, depths, parts = list[IntArray](), list[IntArray](), list[FloatArray]()
    for level in np.unique(judged.rel).tolist():
        groups = Groups.of(judged.only(judged.rel == level))
        better = _better(judged, groups.topic, np.full(len(groups.topic), level))
        for i, places in enumerate(groups.inside(limit).tolist()):
            found, size = int(groups.found[i]), int(groups.size[i])
            needed = better[i] + groups.before[i] + np.arange(1, found + 1)
            for place, chances in zip(range(1, places + 1), draws(size - 1, found - 1), strict=False):
                depths.append(np.maximum(groups.start[i] + place, needed))
                parts.append(chances * found / size)
                topics.append(np.full(found, groups.topic[i]))
    nothing = np.zeros(0, np.int64)
    topic, met = np.concatenate([nothing, *topics]), np.concatenate([nothing, *depths])
    in_order = np.argsort(topic, kind="stable")
    share = np.concatenate([np.zeros(0), *parts])[in_order]
    return _value(judged, measure, topic[in_order], met[in_order], share)


def _by_level(judged: JudgedRankings, conventions: Conventions, measure: Measure) -> Merits:
    found = judged.only(judged.rel > 0)
    return found.topic, found.rank, found.rel.astype(np.float64)


def _unless(ties: Ties, conventions: Conventions, measure: Measure) -> str | None:
    if ties is Ties.AVERAGE:
        return None
    return beyond_pool(conventions) if number(measure, "p", 0.95) >= 0 else "a negative p"


FAMILIES = (
    Family(
        name="Compat",
        compute=compatibility,
        summary="rank-biased overlap with the ideal ranking",
        rel=False,
        params={"p": 0.95, "normalize": True},
        tied=Tied(average=_expected, merit=_by_level, unless=_unless),
    ),
)
