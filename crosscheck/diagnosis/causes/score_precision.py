"""Scores are compared in single or in double precision."""

from __future__ import annotations

from crosscheck.conventions import Order, ScorePrecision
from crosscheck.diagnosis.base import Cause, Situation, ranked
from crosscheck.model import BoolArray

__all__ = ["CAUSE"]


def _gate(situation: Situation) -> BoolArray:
    if situation.base.order is not Order.SCORE:
        return situation.over_universe(situation.judged.num_ret < 0)
    return situation.where_ranks_change(list(ScorePrecision), "score_precision")


CAUSE = Cause(
    label="score-precision",
    axis="score_precision",
    priority=14,
    summary="scores are compared in single (float32) or in double precision",
    prose="""\
trec_eval 9 and pytrec_eval read scores as float32: two scores that differ only beyond the seventh digit are
tied there, and the docno decides. trec_eval 10, ranx and most Python code compare doubles.

    qrels: 1 0 a 1          run: 1 Q0 a 1 1.00000001 tag
           1 0 b 0               1 Q0 b 2 1.0 tag

RR = 1.0 in double precision; in float32 the scores tie, b stands first, and RR = 0.5.
Way out: write scores that differ in float32, or the negated rank.""",
    needs="scores that differ in double precision and are equal in float32",
    applies=ranked,
    options=lambda situation: list(ScorePrecision),
    gate=_gate,
    describe=lambda base, found: f"scores are compared as {found} instead of {base}",
)
