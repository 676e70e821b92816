"""What P@k divides by."""

from __future__ import annotations

import numpy as np

from crosscheck.conventions import PrecisionDenominator
from crosscheck.diagnosis.base import Cause, Situation, uses
from crosscheck.model import BoolArray

__all__ = ["CAUSE"]


def _gate(situation: Situation) -> BoolArray:
    cutoff = situation.measure.cutoff
    assert cutoff is not None
    judged = situation.judged
    seen = judged.count(judged.topic[(judged.rel >= 0) & (judged.rank <= cutoff)])
    return situation.over_universe(np.asarray((judged.num_ret < cutoff) | (seen < cutoff)))


_WORDS = {
    "k": "k",
    "min(k,retrieved)": "min(k, documents returned)",
    "judged": "the judged documents among the first k",
}

CAUSE = Cause(
    label="precision-denominator",
    axis="precision_denominator",
    priority=13,
    summary="P@k divides by k, by the documents returned when they are fewer, or by the judged ones",
    prose="""\
trec_eval divides P@k by k even where fewer than k documents were returned. Others divide by min(k, returned),
which rewards short lists, or by the judged documents among the first k (Elasticsearch's ignore_unlabeled).

    qrels: 1 0 a 1          run: 1 Q0 a 1 2.0 tag
           1 0 b 0               1 Q0 b 2 1.0 tag

P@5 = 0.2 divided by 5; 0.5 divided by the 2 documents returned.
Way out: divide by k.""",
    needs="queries with fewer than k documents returned, and unjudged documents among the first k",
    applies=uses("precision_denominator"),
    options=lambda situation: list(PrecisionDenominator),
    gate=_gate,
    describe=lambda base, found: f"P@k is divided by {_WORDS[str(found)]} instead of {_WORDS[str(base)]}",
)
