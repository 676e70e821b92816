"""bpref where nothing is judged nonrelevant."""

from __future__ import annotations

import numpy as np

from crosscheck.conventions import BprefForm
from crosscheck.diagnosis.base import Cause, Situation, uses
from crosscheck.model import BoolArray

__all__ = ["CAUSE"]


def _gate(situation: Situation) -> BoolArray:
    return situation.over_universe(np.asarray(situation.judged.num_nonrel(situation.relevance_level) == 0))


CAUSE = Cause(
    label="bpref-form",
    axis="bpref_form",
    priority=33,
    summary="bpref is computed differently where no document is judged nonrelevant",
    prose="""\
Without a judged nonrelevant document nothing can stand above a relevant one: trec_eval's bpref is then the share
of relevant documents retrieved. trectools divides 0 by 0 there and counts 0. Collections with sparse judgements
(MS MARCO, most of BEIR) consist of such queries.

    qrels: 1 0 a 1          run: 1 Q0 x 1 2.0 tag
                                 1 Q0 a 2 1.0 tag

bpref = 1.0 in trec_eval; 0.0 in trectools.
Way out: do not report bpref on sparse judgements.""",
    needs="queries without judged nonrelevant documents",
    applies=uses("bpref_form"),
    options=lambda situation: list(BprefForm),
    gate=_gate,
    describe=lambda base, found: (
        "bpref is 0 where no document is judged nonrelevant"
        if found == BprefForm.ZERO_WHEN_NO_NONRELEVANT
        else "bpref counts 1 per relevant document where none is judged nonrelevant"
    ),
)
