"""The denominator of R-precision."""

from __future__ import annotations

from enum import StrEnum

from crosscheck.axes.base import Axis, Example, Mask, Stage, View

__all__ = ["RPREC_DENOMINATOR", "RprecDenominator"]


class RprecDenominator(StrEnum):
    """Denominator of R-precision."""

    R = "R"
    MIN_R_RETRIEVED = "min(R,retrieved)"


def _gate(view: View) -> Mask:
    judged = view.unordered
    return view.over_all_topics(judged.num_ret < judged.num_rel(view.relevance_level))


RPREC_DENOMINATOR = Axis(
    name="rprec_denominator",
    default=RprecDenominator.R,
    stage=Stage.FORMULA,
    position=9,
    label="rprec-denominator",
    priority=37,
    summary="R-precision divides by R, or by the number of documents returned when that is smaller",
    phrases={
        RprecDenominator.R: "R-precision divides by R",
        RprecDenominator.MIN_R_RETRIEVED: (
            "R-precision divides by the documents retrieved where they are fewer than R"
        ),
    },
    contrast="R-precision is divided by {found} instead of {base}",
    verb="divides R-precision by {found}, not by {base}",
    short={
        RprecDenominator.R: "R",
        RprecDenominator.MIN_R_RETRIEVED: "min(R,retrieved)",
    },
    prose="""\
trec_eval divides by R even if fewer than R documents were returned. Code that cuts the list at R and averages
over the remaining list divides by min(R, returned).
""",
    example=Example(
        qrels=("1 0 a 1", "1 0 b 1"),
        run=("1 Q0 a 1 2.0 tag",),
        values=(("Rprec", "", 0.5), ("Rprec", "rprec_denominator=min(R,retrieved)", 1.0)),
        says="Rprec = {} divided by R = 2; {} divided by the one document returned.",
    ),
    way_out="divide by R.",
    needs="queries with fewer documents returned than relevant ones exist",
    gate=_gate,
)
