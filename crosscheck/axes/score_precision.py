"""The precision in which scores are compared."""

from __future__ import annotations

from enum import StrEnum

from crosscheck.axes.base import Axis, Example, Mask, PassedAs, Stage, View
from crosscheck.axes.order import ORDER, Order

__all__ = ["SCORE_PRECISION", "ScorePrecision"]


class ScorePrecision(StrEnum):
    """Precision in which scores are compared: single or double."""

    FLOAT32 = "float32"
    FLOAT64 = "float64"


def _gate(view: View) -> Mask:
    if view.conventions[ORDER] is not Order.SCORE or view.same_in_float32():
        return view.nowhere
    return view.where_ranks_change(SCORE_PRECISION, list(ScorePrecision))


SCORE_PRECISION = Axis(
    name="score_precision",
    default=ScorePrecision.FLOAT32,
    stage=Stage.ORDER,
    position=3,
    label="score-precision",
    priority=14,
    summary="scores are compared in single (float32) or in double precision",
    phrases={
        ScorePrecision.FLOAT32: "scores are compared in single precision (float32)",
        ScorePrecision.FLOAT64: "scores are compared in double precision (float64)",
    },
    contrast="scores are compared as {found} instead of {base}",
    verb="compares scores as {found}, not as {base}",
    short={
        ScorePrecision.FLOAT32: "float32",
        ScorePrecision.FLOAT64: "float64",
    },
    prose="""\
trec_eval 9 and pytrec_eval read scores as float32: two scores that differ only beyond the seventh digit are
tied there, and the docno decides. trec_eval 10, ranx and most Python code compare doubles.
""",
    example=Example(
        qrels=("1 0 a 1", "1 0 b 0"),
        run=("1 Q0 a 1 1.00000001 tag", "1 Q0 b 2 1.0 tag"),
        values=(("RR", "score_precision=float64", 1.0), ("RR", "", 0.5)),
        says="RR = {} in double precision; in float32 the scores tie, b is first, and RR = {}.",
    ),
    way_out="write scores that differ in float32, or the negated rank.",
    needs="scores that differ in double precision and are equal in float32",
    gate=_gate,
    fixed_when_passed=PassedAs.RANK_ORDER,
)
