"""Retrieved documents without a judgement get a default level."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from crosscheck.conventions import AxisValue
from crosscheck.diagnosis.base import Cause, Situation
from crosscheck.model import BoolArray

__all__ = ["CAUSE"]

#: Families to which a document judged nonrelevant is another thing than an unjudged one.
_TELLING = frozenset({"bpref", "gm_bpref", "infAP", "num_nonrel_judged_ret", "unj"})
#: Most levels that are tried, from the lowest on.
_LEVELS = 5


def _options(situation: Situation) -> Sequence[AxisValue]:
    family = situation.family
    nonrelevant = [0] if family.name in _TELLING else []
    if "gain" not in family.axes:
        return [max(situation.relevance_level, 1), *nonrelevant, None]
    levels = {1, *np.unique(situation.judged.pool_rel).tolist()}
    return [*sorted(level for level in levels if level > 0)[:_LEVELS], None]


def _gate(situation: Situation) -> BoolArray:
    judged = situation.judged
    return situation.over_universe(np.asarray(judged.count(judged.topic[judged.rel >= 0]) < judged.num_ret))


CAUSE = Cause(
    label="unjudged-level",
    axis="unjudged_level",
    priority=31,
    summary="documents without a judgement count as judged at a default level",
    prose="""\
trec_eval treats a document that nobody judged as nonrelevant. Elasticsearch's rank_eval can give it a default
rating (unknown_doc_rating), and users who rate the unknown as relevant get an upper bound. R and the ideal
list still know the judged documents only, so that values above 1 are possible.

    qrels: 1 0 a 1          run: 1 Q0 x 1 2.0 tag
                                 1 Q0 a 2 1.0 tag

RR = 0.5; 1.0 where x, which nobody judged, counts as level 1.
Way out: leave unjudged documents unjudged, and report Judged@k.""",
    needs="unjudged documents above relevant ones, and several relevance levels",
    applies=lambda family: family.ranked and family.name != "Judged",
    options=_options,
    gate=_gate,
    describe=lambda base, found: (
        "unjudged documents are not judged"
        if found is None
        else f"unjudged documents count as judged at level {found}"
    ),
)
