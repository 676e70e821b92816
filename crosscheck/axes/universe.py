"""Which documents exist for a query."""

from __future__ import annotations

from enum import StrEnum

from crosscheck.axes.base import Axis, Example, Mask, Stage, View

__all__ = ["UNIVERSE", "Universe"]


class Universe(StrEnum):
    """The documents that exist for a query: all judged ones, or only those that the run retrieved."""

    QRELS = "qrels"
    RETRIEVED = "retrieved"


def _gate(view: View) -> Mask:
    judged = view.judged
    return view.over_universe(judged.count(judged.topic) < judged.count(judged.pool_topic))


UNIVERSE = Axis(
    name="universe",
    default=Universe.QRELS,
    stage=Stage.JUDGE,
    position=1,
    label="universe",
    priority=24,
    summary="only retrieved documents exist: relevant ones that were not retrieved count nowhere",
    phrases={
        Universe.QRELS: "all judged documents exist, retrieved or not",
        Universe.RETRIEVED: "only the retrieved documents exist",
    },
    contrast="{found}",
    short={
        Universe.QRELS: "all documents of the qrels exist, retrieved or not",
    },
    prose="""\
trec_eval takes the relevant documents, and the ideal ranking, from the qrels. Functions that get two lists of
labels and scores (scikit-learn, torchmetrics, XGBoost, LightGBM) know nothing beyond the list: R, the ideal
ranking and every denominator shrink to what was retrieved.
""",
    example=Example(
        qrels=("1 0 a 1", "1 0 b 1"),
        run=("1 Q0 a 1 2.0 tag",),
        values=(("R@1", "", 0.5), ("R@1", "universe=retrieved", 1.0)),
        says="R@1 = {}; {} where b, which was not retrieved, does not exist.",
    ),
    way_out="pass the judged documents that were not retrieved as well, behind all others.",
    needs="relevant documents that were not retrieved, in several measures (recall and R-precision show it)",
    matters=lambda family: family.pool,
    gate=_gate,
)
