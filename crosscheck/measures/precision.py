"""Precision, success and their set forms."""

from __future__ import annotations

import numpy as np

from crosscheck.axes.precision_denominator import PRECISION_DENOMINATOR, PrecisionDenominator
from crosscheck.axes.relevance_level import RELEVANCE_LEVEL
from crosscheck.conventions import Conventions
from crosscheck.measures.base import JUDGED_ONLY, Family, divide, relevant_above, relevant_retrieved
from crosscheck.model import FloatArray, IntArray, Measure
from crosscheck.rankings.judged import Judged

__all__ = [
    "FAMILIES",
    "precision",
    "precision_denominator",
    "relative_precision",
    "set_precision",
    "set_relative_precision",
    "success",
]


def precision(judged: Judged, conventions: Conventions, measure: Measure) -> FloatArray:
    """Relevant documents among the first k, divided by k (trec_eval ``P_k``).

    Values lie in [0, 1]. A topic with fewer than k documents is still divided by k, unless
    ``precision_denominator`` is ``min(k,retrieved)``, ``min(k,R)``, or ``judged`` for the judged documents
    among them; where that is 0 it is 0.0. Unjudged documents are nonrelevant.
    """
    found = relevant_above(judged, conventions[RELEVANCE_LEVEL], measure.cutoff)
    return divide(found, precision_denominator(judged, conventions, measure))


def precision_denominator(judged: Judged, conventions: Conventions, measure: Measure) -> IntArray | int:
    """What precision divides by, per topic or for all of them."""
    assert measure.cutoff is not None
    match conventions[PRECISION_DENOMINATOR]:
        case PrecisionDenominator.K:
            return measure.cutoff
        case PrecisionDenominator.MIN_K_RETRIEVED:
            return np.minimum(judged.num_ret, measure.cutoff)
        case PrecisionDenominator.JUDGED:
            return judged.count(judged.topic[(judged.rel >= 0) & (judged.rank <= measure.cutoff)])
        case PrecisionDenominator.MIN_K_R:
            return np.minimum(judged.num_rel(conventions[RELEVANCE_LEVEL]), measure.cutoff)


def success(judged: Judged, conventions: Conventions, measure: Measure) -> FloatArray:
    """1.0 where any of the first k documents is relevant, else 0.0 (trec_eval ``success_k``)."""
    found = relevant_above(judged, conventions[RELEVANCE_LEVEL], measure.cutoff)
    return (found > 0).astype(np.float64)


def relative_precision(judged: Judged, conventions: Conventions, measure: Measure) -> FloatArray:
    """Precision at k over the best that is possible there (trec_eval ``relative_P_k``).

    Relevant documents among the first k, divided by min(k, R); 0.0 where nothing is relevant.
    """
    assert measure.cutoff is not None
    found = relevant_above(judged, conventions[RELEVANCE_LEVEL], measure.cutoff)
    return divide(found, np.minimum(judged.num_rel(conventions[RELEVANCE_LEVEL]), measure.cutoff))


def set_precision(judged: Judged, conventions: Conventions, measure: Measure) -> FloatArray:
    """Relevant retrieved over retrieved (trec_eval ``set_P``); 0.0 where nothing was retrieved."""
    return divide(relevant_retrieved(judged, conventions[RELEVANCE_LEVEL]), judged.num_ret)


def set_relative_precision(judged: Judged, conventions: Conventions, measure: Measure) -> FloatArray:
    """Relevant retrieved over the most that could have been (trec_eval ``set_relative_P``).

    The divisor is min(retrieved, R); 0.0 where that is 0.
    """
    level = conventions[RELEVANCE_LEVEL]
    return divide(relevant_retrieved(judged, level), np.minimum(judged.num_ret, judged.num_rel(level)))


FAMILIES = (
    Family(
        "P",
        precision,
        "precision in the first k documents",
        trec_eval_cut="P",
        cutoff="required",
        params=JUDGED_ONLY,
        reads=(PRECISION_DENOMINATOR,),
        aliases=("Precision",),
        divisor=precision_denominator,
        pool=False,
    ),
    Family(
        "Success",
        success,
        "whether one of the first k documents is relevant",
        trec_eval_cut="success",
        trec_eval_defaults=(1, 5, 10),
        cutoff="required",
        params=JUDGED_ONLY,
        pool=False,
    ),
    Family(
        "relative_P",
        relative_precision,
        "precision in the first k documents over the best possible",
        trec_eval_cut="relative_P",
        cutoff="required",
    ),
    Family(
        "SetP",
        set_precision,
        "precision of the whole result set",
        trec_eval="set_P",
        params={"relative": False, **JUDGED_ONLY},
        ranked=False,
        pool=False,
        divisor=lambda judged, conventions, measure: judged.num_ret,
    ),
    Family(
        "SetRelP",
        set_relative_precision,
        "precision of the whole result set over the best possible",
        trec_eval="set_relative_P",
        params=JUDGED_ONLY,
        ranked=False,
    ),
)
