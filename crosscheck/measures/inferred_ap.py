"""Inferred average precision, for pools of which only a sample was judged."""

from __future__ import annotations

import numpy as np

from crosscheck.axes.judging import RELEVANCE_LEVEL
from crosscheck.conventions import Conventions
from crosscheck.measures.base import Family, Tied, divide
from crosscheck.measures.sums import sum_by_topic
from crosscheck.measures.tied import Groups, draws, last_rank
from crosscheck.model import BoolArray, FloatArray, IntArray, Measure
from crosscheck.rankings.judged import JudgedRankings

__all__ = ["FAMILIES", "inferred_ap"]

#: Keeps the estimate defined if no document above the relevant one was judged; trec_eval's value.
EPSILON = 0.00001


def inferred_ap(judged: JudgedRankings, conventions: Conventions, measure: Measure) -> FloatArray:
    """Average precision estimated from a sample of the pool (trec_eval ``infAP``).

    A negative level marks a document that was pooled but not judged. A document without a judgement was not
    pooled and counts as nonrelevant. 0.0 if nothing is relevant. Even on complete judgements the value
    differs slightly from AP because of the smoothing. Source: Yilmaz and Aslam, CIKM 2006.
    """
    level = max(conventions[RELEVANCE_LEVEL], 0)
    is_rel = judged.rel >= level
    topic = judged.topic[is_rel]
    above = (judged.rank[is_rel] - 1).astype(np.float64)
    found = _above(judged, is_rel, is_rel).astype(np.float64)
    nonrel = _above(judged, (judged.rel >= 0) & ~is_rel, is_rel)
    pooled = found + nonrel + _above(judged, judged.rel < 0, is_rel)
    share = (found + EPSILON) / ((found + nonrel) + 2 * EPSILON)
    expected = 1.0 / (above + 1.0) + ((above / (above + 1.0)) * divide(pooled, above)) * share
    value = np.where(above == 0, 1.0, expected)
    return divide(sum_by_topic(judged, topic, value), judged.num_rel(conventions[RELEVANCE_LEVEL]))


def _expected(judged: JudgedRankings, conventions: Conventions, measure: Measure) -> FloatArray:
    """Expected infAP under tied scores.

    The number of judged documents of the group above a relevant one is hypergeometric. Given that number,
    the formula is linear in the number of relevant ones among them and in that of pooled, unjudged documents.
    """
    level = max(conventions[RELEVANCE_LEVEL], 0)
    groups = Groups.of(judged)
    relevant, known = groups.number(judged.rel >= level), groups.number(judged.rel >= 0)
    pooled = groups.found - known
    before = [groups.above(number).tolist() for number in (relevant, known, pooled)]
    within = groups.inside(last_rank(conventions))
    value = np.zeros(len(groups.topic))
    for i in np.flatnonzero((relevant > 0) & (within > 0)).tolist():
        size, start, judged_here = int(groups.size[i]), int(groups.start[i]), int(known[i])
        found_before, known_before, pooled_before = (of[i] for of in before)
        seen = np.arange(judged_here)
        found = found_before + seen * ((int(relevant[i]) - 1) / max(judged_here - 1, 1))
        share = (found + EPSILON) / (known_before + seen + 2 * EPSILON)
        unknown = int(pooled[i]) / max(size - judged_here, 1)
        total = 0.0
        for place, chances in zip(range(int(within[i])), draws(size - 1, judged_here - 1), strict=False):
            above = start + place
            met = known_before + seen + pooled_before + (place - seen) * unknown
            expected = (1.0 + met * share) / (above + 1.0) if above else np.ones(len(seen))
            total += float(np.cumsum(chances * expected)[-1])
        value[i] = relevant[i] * total / size
    return divide(sum_by_topic(judged, groups.topic, value), judged.num_rel(conventions[RELEVANCE_LEVEL]))


def _above(judged: JudgedRankings, kind: BoolArray, at: BoolArray) -> IntArray:
    """Number of entries of one kind above each of the entries ``at``, within the same topic."""
    before = np.concatenate(([0], np.cumsum(kind)))
    first = np.searchsorted(judged.topic, judged.topic[at])
    counted: IntArray = before[np.flatnonzero(at)] - before[first]
    return counted


FAMILIES = (
    Family(
        name="infAP",
        compute=inferred_ap,
        summary="average precision inferred from sampled judgements",
        trec_eval="infAP",
        nonrelevant=True,
        tied=Tied(average=_expected),
    ),
)
