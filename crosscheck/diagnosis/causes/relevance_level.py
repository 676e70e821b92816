"""The lowest level that counts as relevant."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from crosscheck.conventions import AxisValue
from crosscheck.diagnosis.base import Cause, Situation
from crosscheck.measures.base import Family
from crosscheck.model import BoolArray

__all__ = ["CAUSE"]


def _options(situation: Situation) -> Sequence[AxisValue]:
    # One value per set of relevant documents: the level just above each level that occurs. None above the
    # highest, because a candidate that is 0 everywhere is no evidence for a level.
    occurring = [int(level) for level in np.unique(situation.judged.pool_rel).tolist() if level >= 0]
    above = [level + 1 for level in occurring[:-1]]
    return [*above, *([0] if 0 in occurring else [])]


def _gate(situation: Situation) -> BoolArray:
    judged = situation.judged
    levels: list[int] = [int(str(level)) for level in _options(situation)]
    changed = np.zeros(judged.num_topics, np.bool_)
    for level in levels:
        changed |= judged.num_rel(level) != judged.num_rel(situation.relevance_level)
    return situation.over_universe(changed)


def _applies(family: Family) -> bool:
    return family.rel and family.name != "NumRet"


CAUSE = Cause(
    label="relevance-level",
    axis="relevance_level",
    priority=30,
    summary="another relevance level is the lowest that counts as relevant",
    prose="""\
trec_eval counts every level from 1 on as relevant (-l 1). Some collections are scored from level 2 on (TREC
Deep Learning passages), and MS MARCO's script takes every line of the qrels as relevant, even level 0.

    qrels: 1 0 a 1          run: 1 Q0 a 1 2.0 tag
           1 0 b 2               1 Q0 b 2 1.0 tag

RR = 1.0 with level 1; 0.5 with level 2, where only b is relevant.
Way out: write the level into the measure's name, as in RR(rel=2).""",
    needs="relevance levels between the two",
    applies=_applies,
    options=_options,
    gate=_gate,
    describe=lambda base, found: f"documents count as relevant from level {found} on instead of {base}",
)
