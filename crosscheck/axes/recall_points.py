"""The number of relevant documents that a recall point requires."""

from __future__ import annotations

from enum import StrEnum

from crosscheck.axes.base import Axis, Example, Mask, Stage, View

__all__ = ["RECALL_POINTS", "RecallPoints"]


class RecallPoints(StrEnum):
    """Number of relevant documents that recall point p requires.

    floor(pR + 0.9); round(pR); or the fewest whose share of R is at least p (``floor+0.9`` without its
    rounding errors).
    """

    FLOOR = "floor+0.9"
    ROUND = "round"
    EXACT = "exact"


def _gate(view: View) -> Mask:
    return view.over_all_topics(view.unordered.num_rel(view.relevance_level) > 0)


RECALL_POINTS = Axis(
    name="recall_points",
    default=RecallPoints.FLOOR,
    stage=Stage.FORMULA,
    position=12,
    label="recall-points",
    priority=39,
    summary="recall points ask for another number of relevant documents",
    phrases={
        RecallPoints.FLOOR: "recall point p asks for floor(p * R + 0.9) relevant documents",
        RecallPoints.ROUND: "recall point p asks for p * R relevant documents, rounded",
        RecallPoints.EXACT: "recall point p asks for the fewest relevant documents that reach it",
    },
    contrast="recall p asks for {found} instead of {base}",
    short={
        RecallPoints.FLOOR: "p R + 0.9 without its fraction",
        RecallPoints.ROUND: "p R rounded to the nearest",
        RecallPoints.EXACT: "the fewest documents that reach p",
    },
    prose="""\
Interpolated precision at recall p is the highest precision from the p R-th relevant document on. trec_eval 9
uses p R + 0.9 cut to an integer, trec_eval 10 rounds p R to the nearest; 11pt_avg differs on most queries.
Code that compares the recall itself differs from both (0.7 * 3 + 0.9 is less than 3 in doubles).
""",
    example=Example(
        qrels=("1 0 a 1", "1 0 b 1"),
        run=("1 Q0 a 1 3.0 tag", "1 Q0 x 2 2.0 tag", "1 Q0 b 3 1.0 tag"),
        values=(("IPrec@0.6", "", 0.6667), ("IPrec@0.6", "recall_points=round", 1.0)),
        says=(
            "IPrec@0.6 = {} where 0.6 * 2 asks for both documents (trec_eval 9); {} where it is "
            "rounded to one (10)."
        ),
    ),
    way_out="name the version of trec_eval.",
    needs="numbers of relevant documents for which p R + 0.9 cut off and p R rounded differ",
    gate=_gate,
)
