"""The denominator of average precision."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

from crosscheck.axes.base import Axis, AxisValue, Example, Mask, Stage, View

__all__ = ["AP_DENOMINATOR", "ApDenominator"]


class ApDenominator(StrEnum):
    """Denominator of average precision; without a cutoff, ``k`` and ``min(R,k)`` are R.

    In ``min(R,retrieved)``, documents count as retrieved down to the cutoff.
    """

    R = "R"
    RETRIEVED_RELEVANT = "retrieved-relevant"
    MIN_R_K = "min(R,k)"
    K = "k"
    MIN_R_RETRIEVED = "min(R,retrieved)"


def _gate(view: View) -> Mask:
    num_rel, cutoff = view.judged.num_rel(view.relevance_level), view.measure.cutoff
    found = view.found(cutoff)
    return view.over_all_topics((found < num_rel) | ((found > 0) & (num_rel != (cutoff or num_rel))))


def _options(view: View) -> Sequence[AxisValue]:
    capped = [ApDenominator.MIN_R_K, ApDenominator.R] if view.measure.cutoff else [ApDenominator.R]
    rare = [ApDenominator.K] if view.measure.cutoff else []
    return [ApDenominator.RETRIEVED_RELEVANT, *capped, *rare, ApDenominator.MIN_R_RETRIEVED]


AP_DENOMINATOR = Axis(
    name="ap_denominator",
    default=ApDenominator.R,
    stage=Stage.FORMULA,
    position=8,
    label="ap-denominator",
    priority=18,
    summary="average precision divides by all relevant documents, by those retrieved, by k or min(R, k)",
    phrases={
        ApDenominator.R: "average precision divides by the number of relevant documents",
        ApDenominator.RETRIEVED_RELEVANT: (
            "average precision divides by the number of relevant documents retrieved"
        ),
        ApDenominator.MIN_R_K: "average precision at k divides by k if more than k documents are relevant",
        ApDenominator.K: "average precision at k divides by k, however many documents are relevant",
        ApDenominator.MIN_R_RETRIEVED: (
            "average precision divides by the documents retrieved if they are fewer than the relevant ones"
        ),
    },
    contrast="AP is divided by {found} instead of {base}",
    verb="divides AP by {found}, not by {base}",
    short={
        ApDenominator.R: "all relevant documents (R)",
        ApDenominator.RETRIEVED_RELEVANT: "the relevant documents retrieved",
        ApDenominator.MIN_R_K: "min(R, k)",
        ApDenominator.K: "k",
        ApDenominator.MIN_R_RETRIEVED: "min(R, documents returned down to the cutoff)",
    },
    cited={ApDenominator.R: "divided by all relevant documents"},
    prose="""\
trec_eval divides by R, the relevant documents of the query, whether retrieved or not. Code that only sees the
ranking divides by the relevant documents in it, so finding one of ten can give 1.0; AP@k is often divided by
min(R, k), or by k alone, and a list that is shorter than k then by min(R, returned).
""",
    example=Example(
        qrels=("1 0 a 1", "1 0 b 1"),
        run=("1 Q0 a 1 2.0 tag",),
        values=(("AP", "", 0.5), ("AP", "ap_denominator=retrieved-relevant", 1.0)),
        says="AP = {} divided by R = 2; {} divided by the one relevant document retrieved.",
    ),
    way_out="divide by R.",
    needs="relevant documents that were not retrieved, and more relevant documents than k",
    tried=_options,
    gate=_gate,
)
