"""A hidden cutoff of reciprocal rank."""

from __future__ import annotations

import numpy as np

from crosscheck.diagnosis.base import Cause, Situation, uses
from crosscheck.measures.base import relevant
from crosscheck.model import BoolArray

__all__ = ["CAUSE"]

_CUTOFFS = (10, 100, 5, 20, 50, 1000)


def _gate(situation: Situation) -> BoolArray:
    judged = situation.judged
    topic, _ = relevant(judged, situation.relevance_level)
    early, _ = relevant(judged, situation.relevance_level, min(_CUTOFFS))
    return situation.over_universe(np.asarray((judged.count(topic) > 0) & (judged.count(early) == 0)))


CAUSE = Cause(
    label="rr-cutoff",
    axis="rr_cutoff",
    priority=33,
    summary="reciprocal rank is 0 where the first relevant document stands below a hidden cutoff",
    prose="""\
trec_eval's recip_rank looks at the whole ranking. MS MARCO stops at rank 10 (documents: 100), Lucene's
QualityStats at rank 5, and both still call it MRR.

    qrels: 1 0 a 1          run: a at rank 11

RR = 0.0909; 0.0 with a cutoff at 10.
Way out: write the cutoff into the name, RR@10.""",
    needs="first relevant documents below rank 10, at several depths",
    applies=uses("rr_cutoff"),
    options=lambda situation: [] if situation.measure.cutoff else [*_CUTOFFS, None],
    gate=_gate,
    describe=lambda base, found: (
        f"reciprocal rank is cut at rank {found}" if found else "reciprocal rank has no cutoff"
    ),
)
