"""The treatment of values at and near 0 in a geometric mean."""

from __future__ import annotations

import math
from enum import StrEnum

from crosscheck.axes.base import Axis, Example, Mask, Stage, View

__all__ = ["FLOOR", "GEOMETRIC_FLOOR", "GeometricFloor"]

#: The lowest value in trec_eval's geometric mean.
FLOOR = 0.00001


class GeometricFloor(StrEnum):
    """Treatment of small values in a geometric mean: max(x, 0.00001); 0.00001 for exact 0 only; unchanged."""

    MAX = "max"
    REPLACE_ZERO = "replace-zero"
    NONE = "none"


def _gate(view: View) -> Mask:
    values, present = view.values()
    low: Mask = present & (values <= math.log(FLOOR) + 1e-9)
    return low


GEOMETRIC_FLOOR = Axis(
    name="geometric_floor",
    default=GeometricFloor.MAX,
    stage=Stage.FORMULA,
    position=13,
    label="geometric-floor",
    priority=38,
    summary="a geometric mean lifts every small value to 0.00001, only zeros, or none",
    phrases={
        GeometricFloor.MAX: "a geometric mean counts every value below 0.00001 as 0.00001",
        GeometricFloor.REPLACE_ZERO: "a geometric mean counts 0 as 0.00001, and other values as they are",
        GeometricFloor.NONE: "a geometric mean is 0 where one value is 0",
    },
    short={
        GeometricFloor.MAX: "every value below 0.00001 counts as 0.00001",
        GeometricFloor.REPLACE_ZERO: "only 0 counts as 0.00001",
        GeometricFloor.NONE: "0 makes the geometric mean 0",
    },
    prose="""\
A geometric mean is 0 as soon as one query scores 0. trec_eval's gm_map raises every value below 0.00001 to
0.00001; trectools replaces exact zeros only, and a plain geometric mean changes nothing.
""",
    example=Example(
        qrels=("1 0 a 1", "2 0 b 1"),
        run=("1 Q0 a 1 2.0 tag", "2 Q0 x 1 2.0 tag"),
        values=(("gm_map", "", 0.0032), ("gm_map", "geometric_floor=none", 0.0)),
        says="gm_map = {} with the floor; {} without.",
    ),
    way_out="name the floor next to the number.",
    needs="queries with a value of 0, and some between 0 and 0.00001",
    tried=lambda view: [GeometricFloor.NONE, GeometricFloor.REPLACE_ZERO, GeometricFloor.MAX],
    gate=_gate,
    on_mean=True,
)
