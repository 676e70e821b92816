"""The value of a query whose qrels hold nothing relevant."""

from __future__ import annotations

import numpy as np

from crosscheck.conventions import NoRelevant
from crosscheck.diagnosis.base import Cause, Situation, averaged
from crosscheck.model import BoolArray

__all__ = ["CAUSE"]


def _gate(situation: Situation) -> BoolArray:
    return situation.over_universe(np.asarray(situation.judged.num_rel(situation.relevance_level) == 0))


_WORDS = {"zero": "0", "one": "1", "skip": "no value", "nan": "NaN"}

CAUSE = Cause(
    label="no-relevant",
    axis="no_relevant",
    priority=36,
    summary="a query without relevant documents counts as 1, as NaN or not at all",
    prose="""\
A query whose judged documents are all nonrelevant scores 0 in trec_eval and stays in the mean. XGBoost and
LightGBM score it 1, trectools NaN, sentence-transformers and Lucene leave it out.

    qrels: 1 0 a 1          run: 1 Q0 a 1 2.0 tag
           2 0 b 0               2 Q0 b 1 2.0 tag

Mean RR = 0.5 with query 2 as 0; 1.0 without it, or with it as 1.
Way out: keep such queries at 0, or remove them from the qrels and say so.""",
    needs="queries without relevant documents",
    applies=averaged,
    options=lambda situation: [NoRelevant.SKIP, NoRelevant.ONE, NoRelevant.NAN, NoRelevant.ZERO],
    gate=_gate,
    on_mean=True,
    describe=lambda base, found: (
        f"a query without relevant documents gets {_WORDS[str(found)]} instead of {_WORDS[str(base)]}"
    ),
)
