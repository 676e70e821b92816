"""The key that a ranking is sorted by."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

from crosscheck.axes.base import Axis, AxisValue, Example, Mask, PassedAs, Stage, View

__all__ = ["ORDER", "Order"]


class Order(StrEnum):
    """Sort key of a ranking."""

    SCORE = "score"
    RANK_COLUMN = "rank-column"
    INPUT = "input"


def _options(view: View) -> Sequence[AxisValue]:
    by_rank = [Order.RANK_COLUMN] if view.has_ranks else []
    return [Order.SCORE, Order.INPUT, *by_rank]


def _gate(view: View) -> Mask:
    return view.where_ranks_change(ORDER, _options(view))


ORDER = Axis(
    name="order",
    default=Order.SCORE,
    stage=Stage.ORDER,
    position=1,
    label="rank-order",
    priority=15,
    summary="the ranking follows the rank column or the input order instead of the scores",
    phrases={
        Order.SCORE: "documents are ranked by score",
        Order.RANK_COLUMN: "documents are ranked by the rank column, whatever their scores",
        Order.INPUT: "documents are ranked in the order of the run file, whatever their scores",
    },
    contrast="documents are ordered by {found}, not by {base}",
    verb="ranks by {found}, not by {base}",
    short={
        Order.SCORE: "score",
        Order.RANK_COLUMN: "the rank column",
        Order.INPUT: "line order",
    },
    prose="""\
trec_eval ignores the rank column and the order of the lines: it sorts by score. MS MARCO's script and many
notebooks use the rank column, trectools' nDCG the order of the lines. They agree only if the run is written
in order of score.
""",
    example=Example(
        qrels=("1 0 a 1", "1 0 b 0"),
        run=("1 Q0 b 1 1.0 tag", "1 Q0 a 2 2.0 tag"),
        values=(("RR", "", 1.0), ("RR", "order=rank-column", 0.5), ("RR", "order=input", 0.5)),
        says="RR = {} by score; {} by the rank column and by input order.",
    ),
    way_out="write lines and ranks in order of score.",
    needs="lines whose order, rank column and scores contradict each other",
    tried=_options,
    gate=_gate,
    fixed_when_passed=PassedAs.RANK_ORDER,
)
