"""Expected reciprocal rank."""

from __future__ import annotations

import numpy as np

from crosscheck.axes.max_grade import MAX_GRADE
from crosscheck.conventions import Conventions
from crosscheck.measures.base import Family, highest_level
from crosscheck.measures.sums import running, sum_by_topic
from crosscheck.model import FloatArray, Measure
from crosscheck.rankings.judged import Judged

__all__ = ["FAMILIES", "expected_reciprocal_rank"]


_MAX_REL = 4


def expected_reciprocal_rank(judged: Judged, conventions: Conventions, measure: Measure) -> FloatArray:
    """Expected 1 / rank at which a user is satisfied (ir_measures ``ERR@k``).

    A document of level r satisfies with probability (2^r - 1) / 2^max_rel; ``max_rel`` is 4 by default, as
    in gdeval, or what the axis ``max_grade`` says, and higher levels count as that. Values lie in [0, 1).
    Unjudged documents satisfy nobody; not normalised. Source: Chapelle et al., CIKM 2009; gdeval (TREC Web
    tracks), which prints 5 decimals.
    """
    hit = judged.rel > 0
    if measure.cutoff is not None:
        hit &= judged.rank <= measure.cutoff
    topic, rank = judged.topic[hit], judged.rank[hit]
    highest = highest_level(judged, conventions, _MAX_REL)[topic]
    satisfied = (np.ldexp(1.0, np.minimum(judged.rel[hit], highest)) - 1.0) / np.ldexp(1.0, highest)
    going_on = running(np.multiply, judged, topic, 1.0 - satisfied)
    before = np.ones(len(topic))
    before[1:] = np.where(topic[1:] == topic[:-1], going_on[:-1], 1.0)
    return sum_by_topic(judged, topic, satisfied * before / rank)


FAMILIES = (
    Family(
        "ERR",
        expected_reciprocal_rank,
        "expected reciprocal rank of the document that satisfies",
        cutoff="optional",
        rel=False,
        params={"max_rel": _MAX_REL},
        reads=(MAX_GRADE,),
        pool=False,
    ),
)
