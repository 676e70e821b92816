"""Only the first judged documents of each ranking are looked at."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from crosscheck.conventions import AxisValue
from crosscheck.diagnosis.base import Cause, Situation, uses
from crosscheck.diagnosis.causes.depth import DEPTHS
from crosscheck.model import BoolArray, IntArray

__all__ = ["CAUSE"]


def _judged_retrieved(situation: Situation) -> IntArray:
    return situation.judged.count(situation.judged.topic)


def _options(situation: Situation) -> Sequence[AxisValue]:
    deepest = int(_judged_retrieved(situation).max(initial=0))
    return [*(depth for depth in DEPTHS if depth < deepest), None]


def _gate(situation: Situation) -> BoolArray:
    return situation.over_universe(np.asarray(_judged_retrieved(situation) > min(DEPTHS)))


CAUSE = Cause(
    label="judged-depth",
    axis="judged_depth",
    priority=35,
    summary="only the first judged documents of each ranking are looked at, unjudged ones not counted",
    prose="""\
trec_eval's -M cuts the ranking before anything else. trectools' bpref drops unjudged documents first and then
cuts (at 1000, unless told otherwise), so that a document may stand deeper in the ranking and still count.

    qrels: 1 0 a 1          run: 1 Q0 x 1 7.0 tag
           (and b to f 1,        1 Q0 a 2 6.0 tag
            z 0)                 (and b to f behind it)

bpref = 1.0; 0.8333 over the first five judged documents; 0.6667 over the first five documents.
Way out: cut every run at the same depth before it is evaluated.""",
    needs="more judged documents retrieved than are looked at, with unjudged ones between them",
    applies=uses("judged_depth"),
    options=_options,
    gate=_gate,
    describe=lambda base, found: (
        f"only the first {found} judged documents are looked at"
        if found
        else "all judged documents are looked at"
    ),
)
