"""The divisor of the gain at each rank."""

from __future__ import annotations

from collections.abc import Sequence

from crosscheck.conventions import AxisValue, Discount
from crosscheck.diagnosis.base import Cause, Situation, uses
from crosscheck.model import BoolArray

__all__ = ["CAUSE"]


def _gate(situation: Situation) -> BoolArray:
    judged = situation.judged
    return situation.over_universe(judged.count(judged.topic[judged.rel > 0]) > 0)


def _options(situation: Situation) -> Sequence[AxisValue]:
    # In a ratio of two sums the base of a plain logarithm cancels.
    plain_log = [Discount.LN] if situation.measure.family in ("DCG", "ideal_dcg") else []
    log2 = [Discount.LOG2]
    return [Discount.JARVELIN, Discount.LN_JARVELIN, *plain_log, Discount.RANK, Discount.NONE, *log2]


_WORDS = {
    "log2(i+1)": "log2(rank + 1)",
    "jarvelin": "1 at rank 1, then log2(rank)",
    "ln-jarvelin": "1 at rank 1, then ln(rank)",
    "ln(i+1)": "ln(rank + 1)",
    "rank": "the rank",
    "none": "1 at every rank",
}

CAUSE = Cause(
    label="discount",
    axis="discount",
    priority=17,
    summary="gains are discounted by another function of the rank",
    prose="""\
trec_eval divides the gain at rank i by log2(i + 1). Järvelin and Kekäläinen's first form leaves ranks 1 and 2
undiscounted and divides by log2(i) after that; some code uses the natural logarithm in that form.

    qrels: 1 0 a 1          run: 1 Q0 b 1 2.0 tag
           1 0 b 0               1 Q0 a 2 1.0 tag

nDCG = 0.6309 with log2(i + 1); 1.0 with log2(i), which does not discount rank 2.
Way out: name the discount next to the number.""",
    needs="relevant documents at several ranks below the first",
    applies=uses("discount"),
    options=_options,
    gate=_gate,
    describe=lambda base, found: f"the discount is {_WORDS[str(found)]} instead of {_WORDS[str(base)]}",
)
