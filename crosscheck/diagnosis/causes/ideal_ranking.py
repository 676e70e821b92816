"""The list that DCG is normalised by."""

from __future__ import annotations

from crosscheck.conventions import Ideal
from crosscheck.diagnosis.base import Cause, Situation, uses
from crosscheck.model import BoolArray

__all__ = ["CAUSE"]


def _gate(situation: Situation) -> BoolArray:
    judged = situation.judged
    return situation.over_universe(judged.count(judged.pool_topic[judged.pool_rel > 0]) > 0)


_WORDS = {
    "qrels": "all judged documents of the query, cut at k",
    "retrieved": "the retrieved documents only, sorted",
    "hits-returned": "all judged documents, cut at the number returned",
    "max-grade": "the highest relevance level at every position",
    "untruncated": "all judged documents, not cut at k",
}

CAUSE = Cause(
    label="ideal-ranking",
    axis="ideal",
    priority=16,
    summary="nDCG is normalised by another ideal list",
    prose="""\
trec_eval builds the ideal ranking from all judged documents of the query. Code that sees only the retrieved
list sorts that list instead, and a run that found one relevant document of ten can reach nDCG = 1.

    qrels: 1 0 a 1          run: 1 Q0 a 1 2.0 tag
           1 0 b 1

nDCG = 0.6131 against the judged documents; 1.0 against the retrieved list.
Way out: build the ideal ranking from the qrels.""",
    needs="relevant documents that were not retrieved, more relevant documents than k, and several levels",
    applies=uses("ideal"),
    options=lambda situation: [
        Ideal.RETRIEVED,
        Ideal.UNTRUNCATED,
        Ideal.HITS_RETURNED,
        Ideal.MAX_GRADE,
        Ideal.QRELS,
    ],
    gate=_gate,
    describe=lambda base, found: f"the ideal list is {_WORDS[str(found)]}, not {_WORDS[str(base)]}",
)
