"""Average precision."""

from __future__ import annotations

import numpy as np

from crosscheck.conventions import ApDenominator, Conventions
from crosscheck.measures.base import Family, divide, relevant, sum_by_topic
from crosscheck.model import FloatArray, IntArray, Measure
from crosscheck.rankings.judged import Judged

__all__ = ["FAMILIES", "average_precision"]


def average_precision(judged: Judged, conventions: Conventions, measure: Measure) -> FloatArray:
    """Precision at each relevant document, added up and divided by R (trec_eval ``map``, ``map_cut_k``).

    Values lie in [0, 1]. Relevant documents that were not retrieved (or stand below the cutoff) add
    nothing but count in R, unless ``ap_denominator`` says otherwise. 0.0 where the denominator is 0.
    Source: Buckley and Voorhees, "Retrieval System Evaluation", in TREC (2005).
    """
    topic, rank = relevant(judged, conventions.relevance_level, measure.cutoff)
    found = judged.count(topic)
    so_far = np.arange(1, len(topic) + 1) - (np.cumsum(found) - found)[topic]
    total = sum_by_topic(judged, topic, so_far / rank)
    return divide(total, _denominator(judged, conventions, measure, found))


def _denominator(judged: Judged, conventions: Conventions, measure: Measure, found: IntArray) -> IntArray:
    num_rel = judged.num_rel(conventions.relevance_level)
    match conventions.ap_denominator:
        case ApDenominator.R:
            return num_rel
        case ApDenominator.RETRIEVED_RELEVANT:
            return found
        case ApDenominator.MIN_R_K:
            return num_rel if measure.cutoff is None else np.minimum(num_rel, measure.cutoff)


FAMILIES = (
    Family(
        "AP",
        average_precision,
        "average precision",
        trec_eval="map",
        trec_eval_cut="map_cut",
        cutoff="optional",
        axes=frozenset({"ap_denominator"}),
        aliases=("MAP",),
    ),
)
