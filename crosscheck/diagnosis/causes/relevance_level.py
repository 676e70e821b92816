"""The lowest level that counts as relevant."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from crosscheck.conventions import AxisValue
from crosscheck.diagnosis.base import Cause, Situation
from crosscheck.measures.base import Family
from crosscheck.measures.subtopics import judgements
from crosscheck.model import BoolArray, IntArray

__all__ = ["CAUSE"]


def _options(situation: Situation) -> Sequence[AxisValue]:
    # One value per set of relevant documents: the level just above each level that occurs. None above the
    # highest, because a candidate that is 0 everywhere is no evidence for a level.
    _, rel = _judgements(situation)
    occurring = [int(level) for level in np.unique(rel).tolist() if level >= 0]
    above = [level + 1 for level in occurring[:-1]]
    return [*above, *([0] if 0 in occurring else [])]


def _gate(situation: Situation) -> BoolArray:
    judged = situation.judged
    topic, rel = _judgements(situation)
    levels: list[int] = [int(str(level)) for level in _options(situation)]
    changed = np.zeros(judged.num_topics, np.bool_)
    for level in levels:
        now = max(situation.relevance_level, 0)
        changed |= judged.count(topic[rel >= level]) != judged.count(topic[rel >= now])
    return situation.over_universe(changed)


def _judgements(situation: Situation) -> tuple[IntArray, IntArray]:
    """Topic and level of each judgement that counts."""
    judged = situation.judged
    return judgements(judged) if situation.family.subtopics else (judged.pool_topic, judged.pool_rel)


def _applies(family: Family) -> bool:
    return family.rel and family.name != "NumRet"


CAUSE = Cause(
    label="relevance-level",
    axis="relevance_level",
    priority=31,
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
