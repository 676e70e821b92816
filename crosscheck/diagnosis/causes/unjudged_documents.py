"""Retrieved documents without a judgement are removed first."""

from __future__ import annotations

import numpy as np

from crosscheck.conventions import Unjudged
from crosscheck.diagnosis.base import Cause, Situation
from crosscheck.model import BoolArray

__all__ = ["CAUSE"]


def _gate(situation: Situation) -> BoolArray:
    judged = situation.judged
    return situation.over_universe(np.asarray(judged.count(judged.topic[judged.rel >= 0]) < judged.num_ret))


_WORDS = {
    "removed": "unjudged documents are removed first",
    "nonrelevant": "unjudged documents keep their ranks as nonrelevant",
}

CAUSE = Cause(
    label="unjudged-documents",
    axis="unjudged",
    priority=31,
    summary="documents without a judgement are removed before ranks are counted",
    prose="""\
trec_eval treats a document that nobody judged as nonrelevant; it keeps its rank. With -J, judged_only or
remove-unjudged such documents are taken out first and the others move up.

    qrels: 1 0 a 1          run: 1 Q0 x 1 2.0 tag
                                 1 Q0 a 2 1.0 tag

RR = 0.5; 1.0 once the unjudged x is removed.
Way out: say how unjudged documents are treated, and report Judged@k.""",
    needs="unjudged documents above relevant ones",
    applies=lambda family: family.ranked or family.name in ("SetP", "SetF", "NumRet"),
    options=lambda situation: list(Unjudged),
    gate=_gate,
    describe=lambda base, found: _WORDS[str(found)],
)
