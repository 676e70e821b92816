"""The documents that exist for a query."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

from crosscheck.axes.base import Axis, AxisValue, Example, Mask, Stage, View
from crosscheck.axes.ids import IDS

__all__ = ["UNIVERSE", "Universe"]


class Universe(StrEnum):
    """The documents that exist for a query: all judged ones, or only those that the run retrieved.

    ``appended``: all judged ones, and those that were not retrieved are added to the ranking with a score of
    0, at the rank that this score and the tie rule give them.
    """

    QRELS = "qrels"
    RETRIEVED = "retrieved"
    APPENDED = "appended"


def _options(view: View) -> Sequence[AxisValue]:
    # Other axes can make any mean depend on the judged documents: whether there are relevant ones.
    about = view.family
    return [
        Universe.QRELS,
        *([Universe.RETRIEVED] if about.pool or not about.is_sum else []),
        Universe.APPENDED,
    ]


def _gate(view: View) -> Mask:
    judged = view.judged
    return view.over_all_topics(judged.count(judged.topic) < judged.count(judged.pool_topic))


def _doubtful(view: View) -> Mask:
    # A document that was not retrieved may be a retrieved one spelt differently.
    return view.everywhere if len(IDS.options(view)) > 1 else view.nowhere


UNIVERSE = Axis(
    name="universe",
    default=Universe.QRELS,
    stage=Stage.READ,
    position=5,
    label="universe",
    priority=24,
    summary="only retrieved documents exist, or the other judged ones are appended with a score of 0",
    phrases={
        Universe.QRELS: "all judged documents exist, retrieved or not",
        Universe.RETRIEVED: "only the retrieved documents exist",
        Universe.APPENDED: "judged documents that were not retrieved are appended with a score of 0",
    },
    contrast="{found}",
    short={
        Universe.QRELS: "all documents of the qrels exist, retrieved or not",
    },
    cited={Universe.RETRIEVED: "computed on the retrieved documents only"},
    prose="""\
trec_eval takes the relevant documents, and the ideal ranking, from the qrels. Functions that take two lists
of labels and scores (scikit-learn, torchmetrics, XGBoost, LightGBM) know nothing beyond the list: R, the
ideal ranking and every denominator shrink to the retrieved documents. If they are called with the union of
run and qrels instead, the judged documents that were not retrieved get a score of 0 and are part of the
ranking.
""",
    example=Example(
        qrels=("1 0 a 1", "1 0 b 1"),
        run=("1 Q0 a 1 2.0 tag",),
        values=(
            ("AP", "", 0.5),
            ("AP", "universe=retrieved", 1.0),
            ("AP", "universe=appended", 1.0),
        ),
        says="AP = {}; {} where b, which was not retrieved, does not exist; {} with b in second place.",
    ),
    way_out="also pass the judged documents that were not retrieved, after all others.",
    needs="relevant documents that were not retrieved, in several measures (recall and R-precision show it)",
    matters=lambda family: family.pool or family.retrieved,
    tried=_options,
    gate=_gate,
    doubtful=_doubtful,
    doubt=5,  # after ids
)
