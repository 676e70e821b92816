"""bpref where nothing is judged nonrelevant."""

from __future__ import annotations

import numpy as np

from crosscheck.conventions import BprefForm
from crosscheck.diagnosis.base import Cause, Situation, uses
from crosscheck.model import BoolArray

__all__ = ["CAUSE"]


def _gate(situation: Situation) -> BoolArray:
    judged, level = situation.judged, situation.relevance_level
    num_rel, num_nonrel = judged.num_rel(level), judged.num_nonrel(level)
    return situation.over_universe(np.asarray((num_rel > 0) | (num_nonrel == 0)))


_WORDS = {
    "trec_eval": "bpref counts 1 per relevant document where none is judged nonrelevant",
    "zero-when-no-nonrelevant": "bpref is 0 where no document is judged nonrelevant",
    "nan-when-no-nonrelevant": "bpref is NaN where none is judged nonrelevant and a relevant one is found",
    "over-R": "bpref divides by R instead of min(N, R)",
    "bpref-10": "bpref counts 10 + R nonrelevant documents (bpref-10)",
}

CAUSE = Cause(
    label="bpref-form",
    axis="bpref_form",
    priority=30,
    summary="bpref takes another form, mostly where few or no documents are judged nonrelevant",
    prose="""\
Without a judged nonrelevant document nothing can stand above a relevant one: trec_eval's bpref is then the
share of relevant documents retrieved. trectools divides 0 by 0 there and counts 0. Collections with sparse
judgements (MS MARCO, most of BEIR) consist of such queries.

    qrels: 1 0 a 1          run: 1 Q0 x 1 2.0 tag
                                 1 Q0 a 2 1.0 tag

bpref = 1.0 in trec_eval; 0.0 in trectools, NaN in ranx. With fewer nonrelevant than relevant documents the
form of the first paper (divided by R) and bpref-10 differ as well.
Way out: do not report bpref on sparse judgements.""",
    needs="queries without judged nonrelevant documents, and queries with fewer of them than relevant ones",
    applies=uses("bpref_form"),
    options=lambda situation: list(BprefForm),
    gate=_gate,
    describe=lambda base, found: _WORDS[str(found)],
)
