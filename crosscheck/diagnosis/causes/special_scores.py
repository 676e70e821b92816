"""Scores that are no ordinary numbers: NaN, and 0 or below."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from crosscheck.conventions import AxisValue, SpecialScores
from crosscheck.diagnosis.base import Cause, Situation
from crosscheck.measures.base import Family
from crosscheck.model import BoolArray

__all__ = ["CAUSE"]


def _options(situation: Situation) -> Sequence[AxisValue]:
    scores = situation.rankings.pairing.run.scores
    dropped = [SpecialScores.NONPOSITIVE_DROPPED] if (scores <= 0).any() else []
    kept = [SpecialScores.NAN_KEEPS_PLACE] if np.isnan(scores).any() else []
    return [*dropped, *kept, SpecialScores.NAN_LAST]


def _gate(situation: Situation) -> BoolArray:
    return situation.where_rows(lambda run: ~(run.scores > 0))


def _applies(family: Family) -> bool:
    return family.name not in ("NumRel", "NumQ")


_WORDS = {
    "nan-last": "every score counts, and a NaN stands last",
    "nan-keeps-place": "a NaN keeps its place in the sort",
    "nonpositive-dropped": "documents with a score of 0 or below count as not retrieved",
}

CAUSE = Cause(
    label="special-scores",
    axis="special_scores",
    priority=25,
    summary="documents with a score of 0 or below are dropped, or a NaN score stands elsewhere",
    prose="""\
trec_eval ranks any score, also negative ones. torchmetrics (since 2025) takes a relevant document with a
score of 0 or below for nonrelevant; a run of log probabilities then scores 0 everywhere. A NaN stands last in
trec_eval, and keeps its place in Python's sort.

    qrels: 1 0 a 1          run: 1 Q0 a 1 -1.0 tag
           1 0 b 1               1 Q0 b 2 -2.0 tag

AP = 1.0; 0.0 where scores of 0 or below count as not retrieved.
Way out: shift scores above 0, and never write NaN.""",
    needs="scores of 0 or below on relevant documents",
    applies=_applies,
    options=_options,
    gate=_gate,
    describe=lambda base, found: f"{_WORDS[str(found)]} (reference: {_WORDS[str(base)]})",
)
