"""What recall divides by."""

from __future__ import annotations

import numpy as np

from crosscheck.conventions import RecallDenominator
from crosscheck.diagnosis.base import Cause, Situation, uses
from crosscheck.model import BoolArray

__all__ = ["CAUSE"]


def _gate(situation: Situation) -> BoolArray:
    judged, level = situation.judged, situation.relevance_level
    num_rel = judged.num_rel(level)
    retrieved = judged.count(judged.topic[judged.rel >= level])
    return situation.over_universe(
        np.asarray(retrieved < num_rel) | (num_rel > (situation.measure.cutoff or np.inf))
    )


_WORDS = {"R": "R", "min(R,k)": "min(R, k)", "retrieved-R": "the relevant documents retrieved"}

CAUSE = Cause(
    label="recall-denominator",
    axis="recall_denominator",
    priority=19,
    summary="recall divides by all relevant documents, by min(R, k), or by those retrieved",
    prose="""\
trec_eval divides recall at k by R, all relevant documents of the query. With R > k it cannot reach 1, so some
tools divide by min(R, k) ("capped recall"); code without the qrels divides by the relevant documents it saw.

    qrels: 1 0 a 1          run: 1 Q0 a 1 2.0 tag
           1 0 b 1

R@1 = 0.5 divided by R = 2; 1.0 divided by min(R, 1) = 1.
Way out: divide by R, and give capped recall another name.""",
    needs="queries with more than k relevant documents, and relevant documents that were not retrieved",
    applies=uses("recall_denominator"),
    options=lambda situation: [RecallDenominator.MIN_R_K, RecallDenominator.RETRIEVED_R, RecallDenominator.R],
    gate=_gate,
    describe=lambda base, found: f"recall is divided by {_WORDS[str(found)]} instead of {_WORDS[str(base)]}",
)
