"""Precision, success and their set forms."""

from __future__ import annotations

import numpy as np

from crosscheck.conventions import Conventions, PrecisionDenominator
from crosscheck.measures.base import Family, divide, relevant
from crosscheck.model import FloatArray, Measure
from crosscheck.rankings.judged import Judged

__all__ = ["FAMILIES", "precision", "set_precision", "success"]


def precision(judged: Judged, conventions: Conventions, measure: Measure) -> FloatArray:
    """Relevant documents among the first k, divided by k (trec_eval ``P_k``).

    Values lie in [0, 1]. A topic with fewer than k documents is still divided by k, unless
    ``precision_denominator`` is ``min(k,retrieved)``; with nothing retrieved it is 0.0. Unjudged
    documents are nonrelevant.
    """
    assert measure.cutoff is not None
    topic, _ = relevant(judged, conventions.relevance_level, measure.cutoff)
    found = judged.count(topic)
    if conventions.precision_denominator is PrecisionDenominator.MIN_K_RETRIEVED:
        return divide(found, np.minimum(judged.num_ret, measure.cutoff))
    return divide(found, float(measure.cutoff))


def success(judged: Judged, conventions: Conventions, measure: Measure) -> FloatArray:
    """1.0 where any of the first k documents is relevant, else 0.0 (trec_eval ``success_k``)."""
    topic, _ = relevant(judged, conventions.relevance_level, measure.cutoff)
    return (judged.count(topic) > 0).astype(np.float64)


def set_precision(judged: Judged, conventions: Conventions, measure: Measure) -> FloatArray:
    """Relevant retrieved over retrieved (trec_eval ``set_P``); 0.0 where nothing was retrieved."""
    topic, _ = relevant(judged, conventions.relevance_level)
    return divide(judged.count(topic), judged.num_ret)


FAMILIES = (
    Family(
        "P",
        precision,
        "precision in the first k documents",
        trec_eval_cut="P",
        cutoff="required",
        axes=frozenset({"precision_denominator"}),
        aliases=("Precision",),
    ),
    Family(
        "Success",
        success,
        "whether one of the first k documents is relevant",
        trec_eval_cut="success",
        cutoff="required",
    ),
    Family("SetP", set_precision, "precision of the whole result set", trec_eval="set_P", ranked=False),
)
