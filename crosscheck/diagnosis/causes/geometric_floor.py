"""What a geometric mean does with values at and near 0."""

from __future__ import annotations

import math

import numpy as np

from crosscheck.conventions import GeometricFloor
from crosscheck.diagnosis.base import Cause, Situation, uses
from crosscheck.measures.base import GEOMETRIC_FLOOR
from crosscheck.model import BoolArray

__all__ = ["CAUSE"]


def _gate(situation: Situation) -> BoolArray:
    result = situation.evaluated(situation.base)
    return np.asarray(result.present & (result.values <= math.log(GEOMETRIC_FLOOR) + 1e-9))


_WORDS = {
    "max": "every value below 0.00001 counts as 0.00001",
    "replace-zero": "only 0 counts as 0.00001",
    "none": "0 makes the geometric mean 0",
}

CAUSE = Cause(
    label="geometric-floor",
    axis="geometric_floor",
    priority=38,
    summary="a geometric mean lifts every small value to 0.00001, only zeros, or none",
    prose="""\
A geometric mean is 0 as soon as one query scores 0. trec_eval's gm_map lifts every value below 0.00001 to
that; trectools replaces exact zeros only, and a plain geometric mean lifts nothing.

    qrels: 1 0 a 1          run: 1 Q0 a 1 2.0 tag
           2 0 b 1               2 Q0 x 1 2.0 tag

gm_map = 0.0032 with the floor; 0.0 without.
Way out: name the floor next to the number.""",
    needs="queries with a value of 0, and some between 0 and 0.00001",
    applies=uses("geometric_floor"),
    options=lambda situation: [GeometricFloor.NONE, GeometricFloor.REPLACE_ZERO, GeometricFloor.MAX],
    gate=_gate,
    on_mean=True,
    describe=lambda base, found: f"{_WORDS[str(found)]} (reference: {_WORDS[str(base)]})",
)
