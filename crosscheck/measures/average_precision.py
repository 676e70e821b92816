"""Average precision and what is made of it: its logarithm, yaap, and its form over sets."""

from __future__ import annotations

import math

import numpy as np

from crosscheck.axes.ap_denominator import AP_DENOMINATOR, ApDenominator
from crosscheck.axes.geometric_floor import GEOMETRIC_FLOOR
from crosscheck.axes.relevance_level import RELEVANCE_LEVEL
from crosscheck.conventions import Conventions
from crosscheck.measures.base import (
    JUDGED_ONLY,
    Family,
    divide,
    floored_log,
    logs,
    relevant,
    relevant_above,
    relevant_retrieved,
)
from crosscheck.measures.sums import Terms, places, sum_above
from crosscheck.model import FloatArray, IntArray, Measure
from crosscheck.rankings.judged import Judged

__all__ = [
    "FAMILIES",
    "ap_denominator",
    "average_precision",
    "geometric_map",
    "precisions",
    "set_average_precision",
    "yaap",
]


def average_precision(judged: Judged, conventions: Conventions, measure: Measure) -> FloatArray:
    """Precision at each relevant document, added up and divided by R (trec_eval ``map``, ``map_cut_k``).

    Values lie in [0, 1]. Relevant documents that were not retrieved (or stand below the cutoff) add
    nothing but count in R, unless ``ap_denominator`` says otherwise. 0.0 where the denominator is 0.
    Source: Buckley and Voorhees, "Retrieval System Evaluation", in TREC (2005).
    """
    total = _sum_of_precisions(judged, conventions, measure.cutoff)
    return divide(total, ap_denominator(judged, conventions, measure))


def _sum_of_precisions(judged: Judged, conventions: Conventions, cutoff: int | None) -> FloatArray:
    level = conventions[RELEVANCE_LEVEL]
    what = ("sum of precisions", level)
    return sum_above(judged, judged.once, what, lambda: precisions(judged, level), cutoff)


def precisions(judged: Judged, level: int) -> Terms:
    """Precision at each retrieved relevant document; as :func:`~crosscheck.measures.base.relevant`."""

    def found() -> Terms:
        topic, rank = relevant(judged, level)
        return Terms.of(topic, rank, places(judged, topic) / rank)

    return judged.once(("precisions", level), found)


def ap_denominator(judged: Judged, conventions: Conventions, measure: Measure) -> IntArray:
    """What average precision divides by, per topic."""
    num_rel = judged.num_rel(conventions[RELEVANCE_LEVEL])
    match conventions[AP_DENOMINATOR]:
        case ApDenominator.R:
            return num_rel
        case ApDenominator.RETRIEVED_RELEVANT:
            return relevant_above(judged, conventions[RELEVANCE_LEVEL], measure.cutoff)
        case ApDenominator.MIN_R_K:
            return num_rel if measure.cutoff is None else np.minimum(num_rel, measure.cutoff)
        case ApDenominator.K:
            return num_rel if measure.cutoff is None else np.full(len(num_rel), measure.cutoff)
        case ApDenominator.MIN_R_RETRIEVED:
            seen = judged.num_ret if measure.cutoff is None else np.minimum(judged.num_ret, measure.cutoff)
            return np.minimum(num_rel, seen)


def geometric_map(judged: Judged, conventions: Conventions, measure: Measure) -> FloatArray:
    """ln(max(AP, 0.00001)), whose mean trec_eval's ``gm_map`` is the exponential of.

    Source: Robertson, "On GMAP", CIKM 2006.
    """
    return floored_log(average_precision(judged, conventions, measure), conventions)


def yaap(judged: Judged, conventions: Conventions, measure: Measure) -> FloatArray:
    """ln((1 + s) / (1 + R - s)), s being the sum of precisions behind AP (trec_eval ``yaap``).

    Negative where little was found; 0.0 where nothing is relevant. Source: Robertson's "yet another
    average precision", in trec_eval's form.
    """
    total = _sum_of_precisions(judged, conventions, None)
    num_rel = judged.num_rel(conventions[RELEVANCE_LEVEL])
    with np.errstate(divide="ignore"):
        odds = (1.0 + total) / (1.0 + num_rel - total)
    return np.where(num_rel > 0, logs(math.log, odds), 0.0)


def set_average_precision(judged: Judged, conventions: Conventions, measure: Measure) -> FloatArray:
    """SetP times SetR (trec_eval ``set_map``); 0.0 where nothing is relevant or nothing was retrieved."""
    found = relevant_retrieved(judged, conventions[RELEVANCE_LEVEL])
    return divide(found * found, judged.num_ret * judged.num_rel(conventions[RELEVANCE_LEVEL]))


FAMILIES = (
    Family(
        "AP",
        average_precision,
        "average precision",
        trec_eval="map",
        trec_eval_cut="map_cut",
        cutoff="optional",
        params=JUDGED_ONLY,
        reads=(AP_DENOMINATOR,),
        aliases=("MAP",),
        divisor=ap_denominator,
    ),
    Family(
        "gm_map",
        geometric_map,
        "logarithm of average precision, for its geometric mean over topics",
        trec_eval="gm_map",
        reads=(AP_DENOMINATOR, GEOMETRIC_FLOOR),
        aggregate="geometric",
    ),
    Family("yaap", yaap, "average precision as log odds", trec_eval="yaap"),
    Family(
        "SetAP",
        set_average_precision,
        "precision times recall of the whole result set",
        trec_eval="set_map",
        params=JUDGED_ONLY,
        ranked=False,
    ),
)
