"""What R-precision divides by."""

from __future__ import annotations

import numpy as np

from crosscheck.conventions import RprecDenominator
from crosscheck.diagnosis.base import Cause, Situation, uses
from crosscheck.model import BoolArray

__all__ = ["CAUSE"]


def _gate(situation: Situation) -> BoolArray:
    judged = situation.judged
    return situation.over_universe(np.asarray(judged.num_ret < judged.num_rel(situation.relevance_level)))


CAUSE = Cause(
    label="rprec-denominator",
    axis="rprec_denominator",
    priority=37,
    summary="R-precision divides by R, or by the number of documents returned when that is smaller",
    prose="""\
trec_eval divides by R even where fewer than R documents were returned. Code that cuts the list at R and takes
the mean of what is there divides by min(R, returned).

    qrels: 1 0 a 1          run: 1 Q0 a 1 2.0 tag
           1 0 b 1

Rprec = 0.5 divided by R = 2; 1.0 divided by the one document returned.
Way out: divide by R.""",
    needs="queries with fewer documents returned than relevant ones exist",
    applies=uses("rprec_denominator"),
    options=lambda situation: list(RprecDenominator),
    gate=_gate,
    describe=lambda base, found: f"R-precision is divided by {found} instead of {base}",
)
