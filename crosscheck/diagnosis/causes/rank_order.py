"""The ranking is sorted by something other than the score."""

from __future__ import annotations

from collections.abc import Sequence

from crosscheck.conventions import AxisValue, Order
from crosscheck.diagnosis.base import Cause, Situation, ranked
from crosscheck.model import BoolArray

__all__ = ["CAUSE"]


def _options(situation: Situation) -> Sequence[AxisValue]:
    has_ranks = situation.rankings.pairing.run.ranks is not None
    return [Order.SCORE, Order.INPUT, *([Order.RANK_COLUMN] if has_ranks else [])]


def _gate(situation: Situation) -> BoolArray:
    return situation.where_ranks_change(_options(situation), "order")


_WORDS = {"score": "score", "rank-column": "the rank column", "input": "input order"}

CAUSE = Cause(
    label="rank-order",
    axis="order",
    priority=15,
    summary="the ranking follows the rank column or the input order instead of the scores",
    prose="""\
trec_eval ignores the rank column and the order of the lines: it sorts by score. MS MARCO's script and many
notebooks take the rank column, trectools' nDCG takes the lines as they come. They agree only while a run is
written in order.

    qrels: 1 0 a 1          run: 1 Q0 b 1 1.0 tag
           1 0 b 0               1 Q0 a 2 2.0 tag

RR = 1.0 by score; 0.5 by the rank column and by input order.
Way out: write lines and ranks in order of score.""",
    needs="lines whose order, rank column and scores contradict each other",
    applies=ranked,
    options=_options,
    gate=_gate,
    describe=lambda base, found: f"documents are ordered by {_WORDS[str(found)]}, not by {_WORDS[str(base)]}",
)
