"""R-precision, and precision after other multiples of R."""

from __future__ import annotations

import numpy as np

from crosscheck.axes.denominators import RPREC_DENOMINATOR, RprecDenominator
from crosscheck.axes.judging import RELEVANCE_LEVEL
from crosscheck.axes.ties import Ties
from crosscheck.conventions import Conventions
from crosscheck.measures.base import (
    JUDGED_ONLY,
    Family,
    Tied,
    divide,
    number,
    relevant,
    relevant_retrieved,
)
from crosscheck.measures.tied import Groups, by_relevance, hits, last_rank
from crosscheck.model import FloatArray, IntArray, Measure
from crosscheck.rankings.judged import JudgedRankings

__all__ = ["FAMILIES", "r_precision", "r_precision_denominator", "r_precision_multiple"]


def r_precision(judged: JudgedRankings, conventions: Conventions, measure: Measure) -> FloatArray:
    """Precision after R documents, where R is the number of relevant documents of the topic (trec_eval
    ``Rprec``).

    The divisor is R even if fewer documents were retrieved, unless ``rprec_denominator`` is
    ``min(R,retrieved)``; 0.0 if nothing is relevant.
    """
    topic, rank = relevant(judged, conventions[RELEVANCE_LEVEL])
    num_rel = judged.num_rel(conventions[RELEVANCE_LEVEL])
    return divide(judged.count(topic[rank <= num_rel[topic]]), r_precision_denominator(judged, conventions))


def _expected(judged: JudgedRankings, conventions: Conventions, measure: Measure) -> FloatArray:
    num_rel = judged.num_rel(conventions[RELEVANCE_LEVEL])
    return divide(_found_above(judged, conventions, num_rel), r_precision_denominator(judged, conventions))


def _found_above(judged: JudgedRankings, conventions: Conventions, depth: IntArray) -> FloatArray:
    """Expected number of relevant documents down to the rank ``depth`` of each topic."""
    groups = Groups.of(hits(judged, conventions[RELEVANCE_LEVEL]))
    return groups.found_within(judged, np.minimum(depth, last_rank(conventions))[groups.topic])


def r_precision_denominator(judged: JudgedRankings, conventions: Conventions) -> IntArray:
    """Denominator of R-precision, per topic."""
    num_rel = judged.num_rel(conventions[RELEVANCE_LEVEL])
    if conventions[RPREC_DENOMINATOR] is RprecDenominator.MIN_R_RETRIEVED:
        return np.minimum(num_rel, judged.num_ret)
    return num_rel


def r_precision_multiple(judged: JudgedRankings, conventions: Conventions, measure: Measure) -> FloatArray:
    """Precision after x R documents (trec_eval ``Rprec_mult_x``).

    The number of documents is x R + 0.9 cut to an integer, in all versions of trec_eval. The divisor stays
    the same if fewer were retrieved; 0.0 if the number is 0.
    """
    level = conventions[RELEVANCE_LEVEL]
    depth = _multiple(judged, conventions, measure)
    topic, rank = relevant(judged, level)
    # trec_eval walks up the ranking and counts down from the number found, to 0. It can meet more than it
    # counted, but only below level 0.
    found = relevant_retrieved(judged, level) - judged.count(topic[rank > depth[topic]])
    return np.where(depth > 0, divide(np.maximum(found, 0), depth), 0.0)


def _multiple(judged: JudgedRankings, conventions: Conventions, measure: Measure) -> IntArray:
    num_rel = judged.num_rel(conventions[RELEVANCE_LEVEL])
    depth: IntArray = (number(measure, "multiple", 1.0) * num_rel + 0.9).astype(np.int64)
    return depth


def _expected_multiple(judged: JudgedRankings, conventions: Conventions, measure: Measure) -> FloatArray:
    depth = _multiple(judged, conventions, measure)
    return np.where(depth > 0, divide(_found_above(judged, conventions, depth), depth), 0.0)


def _unless(ties: Ties, conventions: Conventions, measure: Measure) -> str | None:
    return "a negative relevance level" if conventions[RELEVANCE_LEVEL] < 0 else None


FAMILIES = (
    Family(
        name="Rprec",
        compute=r_precision,
        summary="precision after R documents",
        trec_eval="Rprec",
        params=JUDGED_ONLY,
        reads=(RPREC_DENOMINATOR,),
        aliases=("RPrec",),
        to_r=True,
        divisor=lambda judged, conventions, measure: r_precision_denominator(judged, conventions),
        tied=Tied(average=_expected, merit=by_relevance),
    ),
    Family(
        name="Rprec_mult",
        compute=r_precision_multiple,
        summary="precision after a multiple of R documents",
        trec_eval_cut="Rprec_mult",
        trec_eval_defaults=(0.2, 0.4, 0.6, 0.8, 1.0, 1.2, 1.4, 1.6, 1.8, 2.0),
        params={"multiple": 1.0},
        required=("multiple",),
        at_parameter="multiple",
        tied=Tied(average=_expected_multiple, merit=by_relevance, unless=_unless),
    ),
)
