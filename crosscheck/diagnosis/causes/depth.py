"""Only the first documents of each ranking are looked at."""

from __future__ import annotations

from collections.abc import Sequence

from crosscheck.conventions import AxisValue
from crosscheck.diagnosis.base import Cause, Situation, ranked
from crosscheck.model import BoolArray

__all__ = ["CAUSE", "DEPTHS"]

#: Depths that tools are known to use, likeliest first.
DEPTHS = (1000, 100, 10, 50, 20, 10000, 500, 200, 5)


def _options(situation: Situation) -> Sequence[AxisValue]:
    deepest = int(situation.judged.num_ret.max(initial=0))
    shallowest = situation.measure.cutoff or 0
    whole: list[AxisValue] = [None] if situation.base.depth is not None else []
    return [*(d for d in DEPTHS if shallowest < d < deepest), *whole]


def _gate(situation: Situation) -> BoolArray:
    limits = [int(str(d)) for d in _options(situation) if d is not None]
    return situation.over_universe(situation.judged.num_ret > min(limits, default=2**31))


CAUSE = Cause(
    label="depth",
    axis="depth",
    priority=34,
    summary="only the first documents of each ranking are looked at",
    prose="""\
trec_eval takes every line of the run (unless -M says otherwise). trectools looks at 1000 documents for bpref,
Rprec and reciprocal rank, retrieval libraries at the k they were asked for.

    qrels: 1 0 a 1          run: a at rank 101

AP = 0.0099; 0.0 at depth 100.
Way out: cut every run at the same depth, and name it.""",
    needs="relevant documents deeper in the ranking, at several depths",
    applies=ranked,
    options=_options,
    gate=_gate,
    describe=lambda base, found: (
        f"rankings are cut at {found} documents" if found else "rankings are not cut"
    ),
)
