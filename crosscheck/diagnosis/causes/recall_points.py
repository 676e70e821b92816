"""How many documents a recall point asks for."""

from __future__ import annotations

import numpy as np

from crosscheck.conventions import RecallPoints
from crosscheck.diagnosis.base import Cause, Situation, uses
from crosscheck.model import BoolArray

__all__ = ["CAUSE"]


def _gate(situation: Situation) -> BoolArray:
    return situation.over_universe(np.asarray(situation.judged.num_rel(situation.relevance_level) > 0))


_WORDS = {
    "floor+0.9": "p R + 0.9 without its fraction",
    "round": "p R rounded to the nearest",
    "exact": "the fewest documents that reach p",
}

CAUSE = Cause(
    label="recall-points",
    axis="recall_points",
    priority=39,
    summary="recall points ask for another number of relevant documents",
    prose="""\
Interpolated precision at recall p looks behind the p R-th relevant document. trec_eval 9 takes p R + 0.9
without its fraction, trec_eval 10 rounds p R to the nearest; 11pt_avg differs on most queries. Code that
compares the recall itself differs from both (0.7 * 3 + 0.9 is less than 3 in doubles).

    qrels: 1 0 a 1          run: 1 Q0 a 1 3.0 tag
           1 0 b 1               1 Q0 x 2 2.0 tag
                                 1 Q0 b 3 1.0 tag

IPrec@0.6 = 0.6667 where 0.6 * 2 asks for both documents (trec_eval 9); 1.0 where it is rounded to one (10).
Way out: name the version of trec_eval.""",
    needs="numbers of relevant documents for which p R + 0.9 cut off and p R rounded differ",
    applies=uses("recall_points"),
    options=lambda situation: list(RecallPoints),
    gate=_gate,
    describe=lambda base, found: f"recall p asks for {_WORDS[str(found)]} instead of {_WORDS[str(base)]}",
)
