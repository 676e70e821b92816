"""Reciprocal rank."""

from __future__ import annotations

import numpy as np

from crosscheck.conventions import Conventions
from crosscheck.measures.base import JUDGED_ONLY, Family, relevant
from crosscheck.model import FloatArray, Measure
from crosscheck.rankings.judged import Judged

__all__ = ["FAMILIES", "reciprocal_rank"]


def reciprocal_rank(judged: Judged, conventions: Conventions, measure: Measure) -> FloatArray:
    """1 / rank of the first relevant document (trec_eval ``recip_rank``); 0.0 where there is none.

    A cutoff, of the measure or of the convention ``rr_cutoff``, makes it 0.0 beyond that rank.
    """
    limits = [k for k in (measure.cutoff, conventions.rr_cutoff) if k is not None]
    topic, rank = relevant(judged, conventions.relevance_level, min(limits, default=None))
    result = np.zeros(judged.num_topics)
    np.maximum.at(result, topic, 1.0 / rank)
    return result


FAMILIES = (
    Family(
        "RR",
        reciprocal_rank,
        "reciprocal rank of the first relevant document",
        trec_eval="recip_rank",
        cutoff="optional",
        params=JUDGED_ONLY,
        axes=frozenset({"rr_cutoff"}),
        aliases=("MRR",),
    ),
)
