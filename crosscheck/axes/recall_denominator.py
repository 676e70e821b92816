"""The denominator of recall."""

from __future__ import annotations

from enum import StrEnum

from crosscheck.axes.base import Axis, Example, Mask, Stage, View

__all__ = ["RECALL_DENOMINATOR", "RecallDenominator"]


class RecallDenominator(StrEnum):
    """Denominator of recall. R: relevant documents in the qrels; retrieved-R: relevant ones in the run."""

    R = "R"
    MIN_R_K = "min(R,k)"
    RETRIEVED_R = "retrieved-R"
    K = "k"


def _gate(view: View) -> Mask:
    num_rel = view.unordered.num_rel(view.relevance_level)
    return view.over_all_topics((view.found() < num_rel) | (num_rel != view.measure.cutoff))


RECALL_DENOMINATOR = Axis(
    name="recall_denominator",
    default=RecallDenominator.R,
    stage=Stage.FORMULA,
    position=7,
    label="recall-denominator",
    priority=19,
    summary="recall divides by all relevant documents, by min(R, k), by k, or by those retrieved",
    phrases={
        RecallDenominator.R: "recall divides by the number of relevant documents",
        RecallDenominator.MIN_R_K: "recall at k divides by k where more than k documents are relevant",
        RecallDenominator.RETRIEVED_R: "recall divides by the number of relevant documents in the run",
        RecallDenominator.K: "recall at k divides by k, however many documents are relevant",
    },
    contrast="recall is divided by {found} instead of {base}",
    verb="divides recall by {found}, not by {base}",
    short={
        RecallDenominator.R: "R",
        RecallDenominator.MIN_R_K: "min(R, k)",
        RecallDenominator.RETRIEVED_R: "the relevant documents retrieved",
        RecallDenominator.K: "k",
    },
    cited={RecallDenominator.R: "divided by all relevant documents"},
    prose="""\
trec_eval divides recall at k by R, all relevant documents of the query. With R > k it cannot reach 1, so some
tools divide by min(R, k) ("capped recall"); code without the qrels divides by the relevant documents in the
run, and code with one divisor for all measures divides by k, which is precision.
""",
    example=Example(
        qrels=("1 0 a 1", "1 0 b 1"),
        run=("1 Q0 a 1 2.0 tag",),
        values=(("R@1", "", 0.5), ("R@1", "recall_denominator=min(R,k)", 1.0)),
        says="R@1 = {} divided by R = 2; {} divided by min(R, 1) = 1.",
    ),
    way_out="divide by R, and give capped recall another name.",
    needs="queries with more than k relevant documents, and relevant documents that were not retrieved",
    tried=lambda view: [
        RecallDenominator.MIN_R_K,
        RecallDenominator.RETRIEVED_R,
        RecallDenominator.R,
        RecallDenominator.K,
    ],
    gate=_gate,
)
