"""The denominator of P@k."""

from __future__ import annotations

from enum import StrEnum

from crosscheck.axes.base import Axis, Example, Mask, Stage, View

__all__ = ["PRECISION_DENOMINATOR", "PrecisionDenominator"]


class PrecisionDenominator(StrEnum):
    """Denominator of P@k."""

    K = "k"
    MIN_K_RETRIEVED = "min(k,retrieved)"
    JUDGED = "judged"
    MIN_K_R = "min(k,R)"


def _gate(view: View) -> Mask:
    cutoff = view.measure.cutoff
    assert cutoff is not None
    judged = view.judged
    seen = judged.count(judged.topic[(judged.rel >= 0) & (judged.rank <= cutoff)])
    few = judged.num_rel(view.relevance_level) < cutoff
    return view.over_all_topics((judged.num_ret < cutoff) | (seen < cutoff) | few)


PRECISION_DENOMINATOR = Axis(
    name="precision_denominator",
    default=PrecisionDenominator.K,
    stage=Stage.FORMULA,
    position=6,
    label="precision-denominator",
    priority=13,
    summary="P@k divides by k, by the documents returned when they are fewer, by judged ones, or min(k, R)",
    phrases={
        PrecisionDenominator.K: "precision at k divides by k",
        PrecisionDenominator.MIN_K_RETRIEVED: (
            "precision at k divides by the documents retrieved where they are fewer than k"
        ),
        PrecisionDenominator.JUDGED: "precision at k divides by the judged documents among the first k",
        PrecisionDenominator.MIN_K_R: (
            "precision at k divides by the number of relevant documents where they are fewer than k"
        ),
    },
    contrast="P@k is divided by {found} instead of {base}",
    verb="divides P@k by {found}, not by {base}",
    short={
        PrecisionDenominator.K: "k",
        PrecisionDenominator.MIN_K_RETRIEVED: "min(k, documents returned)",
        PrecisionDenominator.JUDGED: "the judged documents among the first k",
        PrecisionDenominator.MIN_K_R: "min(k, R)",
    },
    cited={PrecisionDenominator.K: "divided by k"},
    prose="""\
trec_eval divides P@k by k even if fewer than k documents were returned. Others divide by min(k, returned),
which rewards short lists, by the judged documents among the first k (Elasticsearch's ignore_unlabeled), or by
min(k, R), the best possible value (trec_eval's relative_P).
""",
    example=Example(
        qrels=("1 0 a 1", "1 0 b 0"),
        run=("1 Q0 a 1 2.0 tag", "1 Q0 b 2 1.0 tag"),
        values=(("P@5", "", 0.2), ("P@5", "precision_denominator=min(k,retrieved)", 0.5)),
        says="P@5 = {} divided by 5; {} divided by the 2 documents returned.",
    ),
    way_out="divide by k.",
    needs="queries with few relevant documents, with fewer than k returned, and unjudged ones among these",
    gate=_gate,
)
