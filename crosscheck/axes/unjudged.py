"""The treatment of retrieved documents without a judgement."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

from crosscheck.axes.base import Axis, AxisValue, Example, Mask, Stage, View
from crosscheck.axes.gain import GAIN

__all__ = ["UNJUDGED", "Unjudged"]


class Unjudged(StrEnum):
    """Treatment of retrieved documents without a judgement: nonrelevant; removed; or judged at a default
    level, which adds nothing to R and to ideal lists."""

    NONRELEVANT = "nonrelevant"
    REMOVED = "removed"
    LEVEL_0 = "level-0"
    LEVEL_1 = "level-1"
    LEVEL_2 = "level-2"
    LEVEL_3 = "level-3"
    LEVEL_4 = "level-4"

    @property
    def level(self) -> int | None:
        """The default level, or None."""
        name, _, level = self.value.partition("-")
        return int(level) if name == "level" else None


def _gate(view: View) -> Mask:
    judged = view.judged
    return view.over_all_topics(judged.count(judged.topic[judged.rel >= 0]) < judged.num_ret)


def _options(view: View) -> Sequence[AxisValue]:
    """The treatments to try.

    Of the default levels, these are the lowest relevant one; if gains matter, those that occur and the next
    one; and 0 if judged nonrelevant documents differ from unjudged ones.
    """
    family = view.family
    levels = {max(view.relevance_level, 1)}
    if GAIN in family.reads:
        occurring = {level for level in view.judged.pool_rel.tolist() if level > 0}
        levels |= occurring | {max(occurring, default=0) + 1}
    if family.nonrelevant:
        levels.add(0)
    rated = [value for value in Unjudged if value.level in levels]
    return [Unjudged.REMOVED, *rated, Unjudged.NONRELEVANT]


UNJUDGED = Axis(
    name="unjudged",
    default=Unjudged.NONRELEVANT,
    stage=Stage.JUDGE,
    position=3,
    label="unjudged-documents",
    priority=32,
    summary="documents without a judgement are removed before ranks are counted, or get a default level",
    phrases={
        Unjudged.NONRELEVANT: "documents without a judgement count as not relevant",
        Unjudged.REMOVED: "documents without a judgement are removed from the ranking",
        Unjudged.LEVEL_0: "documents without a judgement count as judged at relevance level 0",
        Unjudged.LEVEL_1: "documents without a judgement count as judged at relevance level 1",
        Unjudged.LEVEL_2: "documents without a judgement count as judged at relevance level 2",
        Unjudged.LEVEL_3: "documents without a judgement count as judged at relevance level 3",
        Unjudged.LEVEL_4: "documents without a judgement count as judged at relevance level 4",
    },
    contrast="{found}",
    short={
        Unjudged.REMOVED: "unjudged documents are removed first",
        Unjudged.NONRELEVANT: "unjudged documents keep their ranks as nonrelevant",
        Unjudged.LEVEL_0: "unjudged documents count as judged at level 0",
        Unjudged.LEVEL_1: "unjudged documents count as judged at level 1",
        Unjudged.LEVEL_2: "unjudged documents count as judged at level 2",
        Unjudged.LEVEL_3: "unjudged documents count as judged at level 3",
        Unjudged.LEVEL_4: "unjudged documents count as judged at level 4",
    },
    prose="""\
trec_eval treats a document without a judgement as nonrelevant; it keeps its rank. With -J, judged_only or
remove-unjudged such documents are removed first and the others move up. Elasticsearch's rank_eval can give
them a default rating (unknown_doc_rating); rating them as relevant gives an upper bound. R and the ideal list
still count judged documents only, so values above 1 are possible.
""",
    example=Example(
        qrels=("1 0 a 1",),
        run=("1 Q0 x 1 2.0 tag", "1 Q0 a 2 1.0 tag"),
        values=(("RR", "", 0.5), ("RR", "unjudged=removed", 1.0)),
        says="RR = {}; {} once the unjudged x is removed.",
    ),
    way_out="say how unjudged documents are treated, and report Judged@k.",
    needs="unjudged documents above relevant ones, and several relevance levels",
    tried=_options,
    gate=_gate,
)
