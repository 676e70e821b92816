"""What average precision divides by."""

from __future__ import annotations

import numpy as np

from crosscheck.conventions import ApDenominator
from crosscheck.diagnosis.base import Cause, Situation, uses
from crosscheck.model import BoolArray

__all__ = ["CAUSE"]


def _gate(situation: Situation) -> BoolArray:
    judged, level, cutoff = situation.judged, situation.relevance_level, situation.measure.cutoff
    hit = judged.rel >= level
    if cutoff is not None:
        hit &= judged.rank <= cutoff
    num_rel = judged.num_rel(level)
    return situation.over_universe(
        np.asarray(judged.count(judged.topic[hit]) < num_rel) | (num_rel > (cutoff or np.inf))
    )


_WORDS = {
    "R": "all relevant documents (R)",
    "retrieved-relevant": "the relevant documents retrieved",
    "min(R,k)": "min(R, k)",
}

CAUSE = Cause(
    label="ap-denominator",
    axis="ap_denominator",
    priority=18,
    summary="average precision divides by all relevant documents, by those retrieved, or by min(R, k)",
    prose="""\
trec_eval divides by R, the relevant documents of the query, whether retrieved or not. Code that only sees the
ranking divides by the relevant documents in it, so finding one of ten can give 1.0; AP@k is often divided by
min(R, k).

    qrels: 1 0 a 1          run: 1 Q0 a 1 2.0 tag
           1 0 b 1

AP = 0.5 divided by R = 2; 1.0 divided by the one relevant document retrieved.
Way out: divide by R.""",
    needs="relevant documents that were not retrieved, and more relevant documents than k",
    applies=uses("ap_denominator"),
    options=lambda situation: [
        ApDenominator.RETRIEVED_RELEVANT,
        *([ApDenominator.MIN_R_K] if situation.measure.cutoff else []),
        ApDenominator.R,
    ],
    gate=_gate,
    describe=lambda base, found: f"AP is divided by {_WORDS[str(found)]} instead of {_WORDS[str(base)]}",
)
