"""Values were rounded before they were compared."""

from __future__ import annotations

from crosscheck.diagnosis.base import Cause

__all__ = ["CAUSE"]

CAUSE = Cause(
    label="rounding",
    axis="rounding",
    priority=21,
    summary="values were rounded to a few decimals",
    prose="""\
trec_eval prints four decimals, gdeval and BEIR round to five, Lucene to three. A mean of rounded values (that
of ir_measures' gdeval) is not the rounded mean.

    qrels: 1 0 a 1          run: 1 Q0 b 1 3.0 tag
           1 0 b 0               1 Q0 c 2 2.0 tag
           1 0 c 0               1 Q0 a 3 1.0 tag

RR = 0.3333333333333333; printed with four decimals 0.3333.
Way out: keep full precision until the last table.""",
    needs="values with more decimals than are printed",
    applies=lambda family: not family.total,
    options=lambda situation: [6, 5, 4, 3, 2],
    on_mean=True,
    describe=lambda base, found: f"values are rounded to {found} decimals",
)
