"""The value of a query without relevant documents in the qrels."""

from __future__ import annotations

from enum import StrEnum

from crosscheck.axes.base import Axis, Example, Mask, Stage, View

__all__ = ["NO_RELEVANT", "NoRelevant"]


class NoRelevant(StrEnum):
    """Value of a query without relevant documents in the qrels."""

    ZERO = "zero"
    ONE = "one"
    SKIP = "skip"
    NAN = "nan"


def _gate(view: View) -> Mask:
    return view.over_all_topics(view.unordered.num_rel(view.relevance_level) == 0)


NO_RELEVANT = Axis(
    name="no_relevant",
    default=NoRelevant.ZERO,
    stage=Stage.SUMMARISE,
    position=2,
    label="no-relevant",
    priority=36,
    summary="a query without relevant documents counts as 1, as NaN or not at all",
    phrases={
        NoRelevant.ZERO: "queries without relevant documents score 0",
        NoRelevant.ONE: "queries without relevant documents score 1",
        NoRelevant.SKIP: "queries without relevant documents have no value",
        NoRelevant.NAN: "queries without relevant documents score NaN (not a number)",
    },
    contrast="a query without relevant documents gets {found} instead of {base}",
    verb="gives {found}, not {base}, to a query without relevant documents",
    short={
        NoRelevant.ZERO: "0",
        NoRelevant.ONE: "1",
        NoRelevant.SKIP: "no value",
        NoRelevant.NAN: "NaN",
    },
    prose="""\
A query whose judged documents are all nonrelevant scores 0 in trec_eval and stays in the mean. XGBoost and
LightGBM score it 1, trectools NaN, sentence-transformers and Lucene leave it out.
""",
    example=Example(
        qrels=("1 0 a 1", "2 0 b 0"),
        run=("1 Q0 a 1 2.0 tag", "2 Q0 b 1 2.0 tag"),
        values=(("RR", "", 0.5), ("RR", "no_relevant=skip", 1.0), ("RR", "no_relevant=one", 1.0)),
        says="Mean RR = {} with query 2 as 0; {} without it, or with it as 1.",
    ),
    way_out="keep such queries at 0, or remove them from the qrels and say so.",
    needs="queries without relevant documents",
    tried=lambda view: [NoRelevant.SKIP, NoRelevant.ONE, NoRelevant.NAN, NoRelevant.ZERO],
    gate=_gate,
    on_mean=True,
)
