"""Retrieved documents without a judgement are removed first."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from crosscheck.conventions import AxisValue, Unjudged
from crosscheck.diagnosis.base import Cause, Situation
from crosscheck.diagnosis.causes.negative_relevance import TELLING
from crosscheck.model import BoolArray

__all__ = ["CAUSE"]


def _gate(situation: Situation) -> BoolArray:
    judged = situation.judged
    return situation.over_universe(np.asarray(judged.count(judged.topic[judged.rel >= 0]) < judged.num_ret))


def _options(situation: Situation) -> Sequence[AxisValue]:
    """Default levels: those that occur where gains tell them apart, 0 where it is not just nonrelevant."""
    family = situation.family
    levels = {max(situation.relevance_level, 1)}
    if "gain" in family.axes:
        levels |= {level for level in np.unique(situation.judged.pool_rel).tolist() if level > 0}
    if family.name in TELLING:
        levels.add(0)
    rated = [value for value in Unjudged if value.level in levels]
    return [Unjudged.REMOVED, *rated, Unjudged.NONRELEVANT]


_WORDS = {
    "removed": "unjudged documents are removed first",
    "nonrelevant": "unjudged documents keep their ranks as nonrelevant",
    **{f"level-{n}": f"unjudged documents count as judged at level {n}" for n in range(5)},
}

CAUSE = Cause(
    label="unjudged-documents",
    axis="unjudged",
    priority=32,
    summary="documents without a judgement are removed before ranks are counted, or get a default level",
    prose="""\
trec_eval treats a document that nobody judged as nonrelevant; it keeps its rank. With -J, judged_only or
remove-unjudged such documents are taken out first and the others move up. Elasticsearch's rank_eval can give
them a default rating (unknown_doc_rating), and users who rate the unknown as relevant get an upper bound; R
and the ideal list still know the judged documents only, so that values above 1 are possible.

    qrels: 1 0 a 1          run: 1 Q0 x 1 2.0 tag
                                 1 Q0 a 2 1.0 tag

RR = 0.5; 1.0 once the unjudged x is removed.
Way out: say how unjudged documents are treated, and report Judged@k.""",
    needs="unjudged documents above relevant ones, and several relevance levels",
    applies=lambda family: family.ranked or family.name in ("SetP", "SetF", "NumRet"),
    options=_options,
    gate=_gate,
    describe=lambda base, found: _WORDS[str(found)],
)
