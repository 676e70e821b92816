"""R-precision, and precision after other multiples of R."""

from __future__ import annotations

import numpy as np

from crosscheck.axes.relevance_level import RELEVANCE_LEVEL
from crosscheck.axes.rprec_denominator import RPREC_DENOMINATOR, RprecDenominator
from crosscheck.conventions import Conventions
from crosscheck.measures.base import JUDGED_ONLY, Family, divide, number, relevant, relevant_retrieved
from crosscheck.model import FloatArray, IntArray, Measure
from crosscheck.rankings.judged import Judged

__all__ = ["FAMILIES", "r_precision", "r_precision_denominator", "r_precision_multiple"]


def r_precision(judged: Judged, conventions: Conventions, measure: Measure) -> FloatArray:
    """Precision after R documents, R being the relevant documents of the topic (trec_eval ``Rprec``).

    Fewer than R retrieved documents are still divided by R, unless ``rprec_denominator`` is
    ``min(R,retrieved)``; 0.0 where nothing is relevant.
    """
    topic, rank = relevant(judged, conventions[RELEVANCE_LEVEL])
    num_rel = judged.num_rel(conventions[RELEVANCE_LEVEL])
    return divide(judged.count(topic[rank <= num_rel[topic]]), r_precision_denominator(judged, conventions))


def r_precision_denominator(judged: Judged, conventions: Conventions) -> IntArray:
    """What R-precision divides by, per topic."""
    num_rel = judged.num_rel(conventions[RELEVANCE_LEVEL])
    if conventions[RPREC_DENOMINATOR] is RprecDenominator.MIN_R_RETRIEVED:
        return np.minimum(num_rel, judged.num_ret)
    return num_rel


def r_precision_multiple(judged: Judged, conventions: Conventions, measure: Measure) -> FloatArray:
    """Precision after x R documents (trec_eval ``Rprec_mult_x``).

    The number of documents is x R + 0.9 without its fraction, in all versions of trec_eval. Where fewer
    were retrieved, all of them count and the divisor stays; 0.0 where the number is 0.
    """
    level = conventions[RELEVANCE_LEVEL]
    depth = (number(measure, "multiple", 1.0) * judged.num_rel(level) + 0.9).astype(np.int64)
    topic, rank = relevant(judged, level)
    # trec_eval walks up the ranking and counts down from the number found, to 0. It can meet more than it
    # counted, but only below level 0.
    found = relevant_retrieved(judged, level) - judged.count(topic[rank > depth[topic]])
    return np.where(depth > 0, divide(np.maximum(found, 0), depth), 0.0)


FAMILIES = (
    Family(
        "Rprec",
        r_precision,
        "precision after R documents",
        trec_eval="Rprec",
        params=JUDGED_ONLY,
        reads=(RPREC_DENOMINATOR,),
        aliases=("RPrec",),
        to_r=True,
        divisor=lambda judged, conventions, measure: r_precision_denominator(judged, conventions),
    ),
    Family(
        "Rprec_mult",
        r_precision_multiple,
        "precision after a multiple of R documents",
        trec_eval_cut="Rprec_mult",
        trec_eval_defaults=(0.2, 0.4, 0.6, 0.8, 1.0, 1.2, 1.4, 1.6, 1.8, 2.0),
        params={"multiple": 1.0},
        required=("multiple",),
        at="multiple",
    ),
)
