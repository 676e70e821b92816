"""Values were rounded before they were compared."""

from __future__ import annotations

from crosscheck.axes.base import Axis, Example, Numbers, Stage

__all__ = ["ROUNDING"]


ROUNDING: Axis[int | None] = Axis(
    name="rounding",
    default=None,
    numbers=Numbers(least=0),
    stage=Stage.SUMMARISE,
    position=4,
    label="rounding",
    priority=21,
    summary="values were rounded to a few decimals",
    phrases={
        "none": "values are not rounded",
        "n": "values are rounded to {n} decimals",
    },
    contrast="{found}",
    prose="""\
trec_eval prints four decimals, gdeval and BEIR round to five, Lucene to three. A mean of rounded values (that
of ir_measures' gdeval) is not the rounded mean.
""",
    example=Example(
        qrels=("1 0 a 1", "1 0 b 0", "1 0 c 0"),
        run=("1 Q0 b 1 3.0 tag", "1 Q0 c 2 2.0 tag", "1 Q0 a 3 1.0 tag"),
        values=(("RR", "", 1 / 3), ("RR", "rounding=4", 0.3333)),
        says="RR = {}; printed with four decimals {}.",
    ),
    way_out="keep full precision until the last table.",
    needs="values with more decimals than are printed",
    tried=lambda view: [6, 5, 4, 3, 2],
    on_mean=True,
)
