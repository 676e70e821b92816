"""Accuracy: how often a relevant document stands before a nonrelevant one."""

from __future__ import annotations

import numpy as np

from crosscheck.axes.relevance_level import RELEVANCE_LEVEL
from crosscheck.conventions import Conventions
from crosscheck.measures.base import Family, relevant
from crosscheck.measures.sums import places
from crosscheck.model import FloatArray, Measure
from crosscheck.rankings.judged import Judged

__all__ = ["FAMILIES", "accuracy"]


def accuracy(judged: Judged, conventions: Conventions, measure: Measure) -> FloatArray:
    """Probability that a relevant document stands before a nonrelevant one, both retrieved.

    Over all pairs of a relevant and a nonrelevant document among the first k (or the whole ranking), the
    share in the right order; unjudged documents are nonrelevant. 1.0 where none of them is nonrelevant
    (ir_measures divides by 0 there, an error). A query for which none is relevant has no value.
    Source: ir_measures 0.4.3, provider ``accuracy``.
    """
    topic, rank = relevant(judged, conventions[RELEVANCE_LEVEL], measure.cutoff)
    found = judged.count(topic)
    length = judged.num_ret if measure.cutoff is None else np.minimum(judged.num_ret, measure.cutoff)
    wrong = np.bincount(topic, weights=rank - places(judged, topic), minlength=judged.num_topics)
    pairs = (length - found) * found
    result = 1.0 - np.divide(wrong, pairs, out=np.zeros(len(found)), where=pairs > 0)
    return np.where(found > 0, result, np.nan)


FAMILIES = (
    Family(
        "Accuracy",
        accuracy,
        "share of the pairs of a relevant and a nonrelevant document in the right order",
        cutoff="optional",
        partial=True,
        pool=False,
    ),
)
