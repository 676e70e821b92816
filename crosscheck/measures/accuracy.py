"""Accuracy: how often a relevant document is ranked above a nonrelevant one."""

from __future__ import annotations

import numpy as np

from crosscheck.axes.judging import RELEVANCE_LEVEL
from crosscheck.axes.ties import Ties
from crosscheck.conventions import Conventions
from crosscheck.measures.base import Family, Tied, relevant
from crosscheck.measures.sums import places, sum_by_topic
from crosscheck.measures.tied import FAR, Groups, by_relevance, hits, last_rank
from crosscheck.model import FloatArray, IntArray, Measure
from crosscheck.rankings.judged import JudgedRankings

__all__ = ["FAMILIES", "accuracy"]


def accuracy(judged: JudgedRankings, conventions: Conventions, measure: Measure) -> FloatArray:
    """Probability that a relevant document is ranked above a nonrelevant one, both retrieved.

    The share of pairs (relevant, nonrelevant) in the right order, among the first k documents or the whole
    ranking. Unjudged documents are nonrelevant. 1.0 if none of them is nonrelevant (ir_measures divides by 0
    there, which is an error). A query with no relevant document among them has no value. Source: ir_measures
    0.4.3, provider ``accuracy``.
    """
    topic, rank = relevant(judged, conventions[RELEVANCE_LEVEL], measure.cutoff)
    found = judged.count(topic)
    length = judged.num_ret if measure.cutoff is None else np.minimum(judged.num_ret, measure.cutoff)
    wrong = sum_by_topic(judged, topic, (rank - places(judged, topic)).astype(np.float64))
    return _share(found, length, wrong)


def _share(found: IntArray, length: IntArray, wrong: FloatArray) -> FloatArray:
    pairs = (length - found) * found
    result = 1.0 - np.divide(wrong, pairs, out=np.zeros(len(found)), where=pairs > 0)
    return np.where(found > 0, result, np.nan)


def _expected(judged: JudgedRankings, conventions: Conventions, measure: Measure) -> FloatArray:
    """Expected accuracy: each pair within a group is in the right order half the time."""
    groups = Groups.of(hits(judged, conventions[RELEVANCE_LEVEL]))
    above = (groups.start - groups.before) + (groups.size - groups.found) / 2
    found = np.bincount(groups.topic, groups.found, judged.num_topics).astype(np.int64)
    return _share(found, judged.num_ret, sum_by_topic(judged, groups.topic, groups.found * above))


def _unless(ties: Ties, conventions: Conventions, measure: Measure) -> str | None:
    # Without a relevant document above the cutoff there is no value.
    return "a cutoff or a depth" if last_rank(conventions, measure.cutoff) < FAR else None


FAMILIES = (
    Family(
        name="Accuracy",
        compute=accuracy,
        summary="share of the pairs of a relevant and a nonrelevant document in the right order",
        cutoff="optional",
        undefined_without_hits=True,
        pool=False,
        tied=Tied(average=_expected, merit=by_relevance, unless=_unless),
    ),
)
