"""Expected reciprocal rank."""

from __future__ import annotations

import numpy as np

from crosscheck.axes.forms import MAX_GRADE
from crosscheck.axes.ties import Ties
from crosscheck.conventions import Conventions
from crosscheck.measures.base import Family, Merits, Tied, highest_level
from crosscheck.measures.sums import running, sum_by_topic
from crosscheck.measures.tied import Groups, last_rank, product_of_first
from crosscheck.model import FloatArray, Measure
from crosscheck.rankings.judged import JudgedRankings

__all__ = ["FAMILIES", "expected_reciprocal_rank"]


_MAX_REL = 4


def expected_reciprocal_rank(
    judged: JudgedRankings, conventions: Conventions, measure: Measure
) -> FloatArray:
    """Expected 1 / rank at which a user is satisfied (ir_measures ``ERR@k``).

    A document of level r satisfies the user with probability (2^r - 1) / 2^max_rel; ``max_rel`` is 4 by
    default, as in gdeval, or set by the axis ``max_grade``; higher levels count as ``max_rel``. Values lie in
    [0, 1). Unjudged documents never satisfy. Not normalised. Source: Chapelle et al., CIKM 2009; gdeval (TREC
    Web tracks), which prints 5 decimals.
    """
    hit = judged.rel > 0
    if measure.cutoff is not None:
        hit &= judged.rank <= measure.cutoff
    topic, rank = judged.topic[hit], judged.rank[hit]
    satisfied = _satisfied(judged.only(hit), conventions)
    going_on = running(np.multiply, judged, topic, 1.0 - satisfied)
    before = np.ones(len(topic))
    before[1:] = np.where(topic[1:] == topic[:-1], going_on[:-1], 1.0)
    return sum_by_topic(judged, topic, satisfied * before / rank)


def _satisfied(judged: JudgedRankings, conventions: Conventions) -> FloatArray:
    """Probability that each of the given documents, whose levels are above 0, satisfies the user."""
    highest = highest_level(judged, conventions, _MAX_REL)[judged.topic]
    satisfied: FloatArray = (np.ldexp(1.0, np.minimum(judged.rel, highest)) - 1.0) / np.ldexp(1.0, highest)
    return satisfied


def _expected(judged: JudgedRankings, conventions: Conventions, measure: Measure) -> FloatArray:
    """ERR averaged over all orders of the tied documents, per topic.

    The probability of stopping at a rank is the probability of reaching the rank minus that of reaching the
    next one.
    """
    judged = judged.only(judged.rel > 0)
    groups, going_on = Groups.of(judged), 1.0 - _satisfied(judged, conventions)
    within = groups.inside(last_rank(conventions, measure.cutoff))
    ends = np.cumsum(groups.found)
    reached, value = np.ones(judged.num_topics), np.zeros(len(ends))
    for i, end in enumerate(ends.tolist()):
        here = product_of_first(going_on[end - groups.found[i] : end], int(groups.size[i]))
        ranks = groups.start[i] + np.arange(1, within[i] + 1)
        stops = (here[:-1] - here[1:])[: within[i]]
        topic = groups.topic[i]
        value[i] = reached[topic] * float(np.sum(stops / ranks))
        reached[topic] *= here[-1]
    return sum_by_topic(judged, groups.topic, value)


def _merits(judged: JudgedRankings, conventions: Conventions, measure: Measure) -> Merits:
    found = judged.only(judged.rel > 0)
    return found.topic, found.rank, _satisfied(found, conventions)


def _unless(ties: Ties, conventions: Conventions, measure: Measure) -> str | None:
    highest = dict(measure.params).get("max_rel", _MAX_REL)
    return "a negative max_rel" if isinstance(highest, int) and highest < 0 else None


FAMILIES = (
    Family(
        name="ERR",
        compute=expected_reciprocal_rank,
        summary="expected reciprocal rank of the document that satisfies",
        cutoff="optional",
        rel=False,
        params={"max_rel": _MAX_REL},
        reads=(MAX_GRADE,),
        pool=False,
        tied=Tied(average=_expected, merit=_merits, unless=_unless),
    ),
)
