"""Unusual scores: NaN, and scores of 0 or below."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import TYPE_CHECKING

from crosscheck.axes.base import Axis, AxisValue, Example, Mask, PassedAs, Stage, View

if TYPE_CHECKING:
    from crosscheck.model import BoolArray, Run

__all__ = ["SPECIAL_SCORES", "SpecialScores"]


class SpecialScores(StrEnum):
    """Treatment of unusual scores.

    ``nan-last``: NaN ranks below all numbers; every other score counts. ``nan-keeps-place``: as in Python's
    sort, where nothing is smaller than NaN. ``nonpositive-dropped``: documents with a score of 0 or below
    count as not retrieved.
    """

    NAN_LAST = "nan-last"
    NAN_KEEPS_PLACE = "nan-keeps-place"
    NONPOSITIVE_DROPPED = "nonpositive-dropped"


def _options(view: View) -> Sequence[AxisValue]:
    positive = view.has_all("scores above 0", lambda run: not (run.scores <= 0).any())
    dropped = [] if positive else [SpecialScores.NONPOSITIVE_DROPPED]
    numbers = view.has_all("scores that are numbers", lambda run: not (run.scores != run.scores).any())
    kept = [] if numbers else [SpecialScores.NAN_KEEPS_PLACE]
    return [*dropped, *kept, SpecialScores.NAN_LAST]


def _gate(view: View) -> Mask:
    return view.where_rows(_special)


def _special(run: Run) -> BoolArray:
    return ~(run.scores > 0)


SPECIAL_SCORES = Axis(
    name="special_scores",
    default=SpecialScores.NAN_LAST,
    stage=Stage.READ,
    position=1,
    label="special-scores",
    priority=25,
    summary="documents with a score of 0 or below are dropped, or a NaN score is ranked elsewhere",
    phrases={
        SpecialScores.NAN_LAST: "every score counts, and a NaN score is last",
        SpecialScores.NAN_KEEPS_PLACE: "a NaN score keeps its place in the sort",
        SpecialScores.NONPOSITIVE_DROPPED: "documents with a score of 0 or below count as not retrieved",
    },
    short={
        SpecialScores.NAN_LAST: "every score counts, and a NaN is last",
        SpecialScores.NAN_KEEPS_PLACE: "a NaN keeps its place in the sort",
    },
    prose="""\
trec_eval ranks any score, also negative ones. torchmetrics (since 2025) counts a relevant document with a
score of 0 or below as nonrelevant; a run of log probabilities then scores 0 everywhere. A NaN is last in
trec_eval and keeps its place in Python's sort.
""",
    example=Example(
        qrels=("1 0 a 1", "1 0 b 1"),
        run=("1 Q0 a 1 -1.0 tag", "1 Q0 b 2 -2.0 tag"),
        values=(("AP", "", 1.0), ("AP", "special_scores=nonpositive-dropped", 0.0)),
        says="AP = {}; {} where scores of 0 or below count as not retrieved.",
    ),
    way_out="shift scores above 0, and never write NaN.",
    needs="scores of 0 or below on relevant documents",
    tried=_options,
    gate=_gate,
    fixed_when_passed=PassedAs.RANK_ORDER,
)
