"""How a negative relevance level is read."""

from __future__ import annotations

import numpy as np

from crosscheck.conventions import Negatives
from crosscheck.diagnosis.base import Cause, Situation
from crosscheck.model import BoolArray

__all__ = ["CAUSE", "TELLING"]


def _gate(situation: Situation) -> BoolArray:
    judged = situation.judged
    return situation.over_universe(np.asarray(judged.count(judged.pool_topic[judged.pool_rel < 0]) > 0))


#: Families that tell judged nonrelevant documents from others.
TELLING = frozenset({"bpref", "gm_bpref", "infAP", "num_nonrel_judged_ret", "unj"})

CAUSE = Cause(
    label="negative-relevance",
    axis="negatives",
    priority=29,
    summary="a negative relevance level counts as judged nonrelevant or as relevant instead of unjudged",
    prose="""\
A negative level marks a document that was pooled and not judged. trec_eval ignores it; ranx and gdeval count
it as judged nonrelevant, which lowers bpref. trectools takes it for a relevant document that was retrieved
and for a judged nonrelevant one at once, which can lift bpref above 1.

    qrels: 1 0 a 1          run: 1 Q0 b 1 2.0 tag
           1 0 b -1              1 Q0 a 2 1.0 tag

bpref = 1.0 in trec_eval; 0.0 where b counts as nonrelevant.
Way out: remove negative lines before judging with other tools.""",
    needs="negative relevance levels above relevant documents",
    applies=lambda family: family.name in TELLING,
    options=lambda situation: list(Negatives),
    gate=_gate,
    describe=lambda base, found: f"negative levels are read as {found} instead of {base}",
)
