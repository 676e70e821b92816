"""The highest relevance level of the scale, for formulas that need it."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

from crosscheck.axes.base import Axis, AxisValue, Example, Mask, Numbers, Stage, View
from crosscheck.axes.ideal import IDEAL, OF_HIGHEST

__all__ = ["MAX_GRADE", "MaxGrade"]


class MaxGrade(StrEnum):
    """Source of the highest relevance level of the scale; a number is that level itself.

    ``measure``: the measure's parameter or default. The default is 4 for ERR, and the highest level of the
    whole qrels for the ideal lists of the highest level.
    """

    MEASURE = "measure"
    QRELS = "qrels"
    QUERY = "query"


_LEVELS = (3, 2, 5, 1, 4)


def _gate(view: View) -> Mask:
    judged = view.unordered
    return view.over_all_topics(judged.count(judged.pool_topic[judged.pool_rel > 0]) > 0)


def _options(view: View) -> Sequence[AxisValue]:
    given = "max_rel" in dict(view.measure.params)
    used = IDEAL not in view.family.reads or view.conventions[IDEAL] in OF_HIGHEST
    return [MaxGrade.QRELS, MaxGrade.QUERY, MaxGrade.MEASURE, *_LEVELS] if used and not given else []


MAX_GRADE: Axis[MaxGrade | int] = Axis(
    name="max_grade",
    default=MaxGrade.MEASURE,
    numbers=Numbers(least=0, none=False),
    stage=Stage.FORMULA,
    position=15,
    weighs=True,
    label="max-grade",
    priority=42,
    summary="the highest level of the scale is that of the qrels, of the query, or another number",
    phrases={
        MaxGrade.MEASURE: "the highest level of the scale is the one that the measure has by default",
        MaxGrade.QRELS: "the highest level of the scale is the highest one of the whole qrels",
        MaxGrade.QUERY: "the highest level of the scale is the highest one that the query has",
        "n": "the highest level of the scale is {n}",
    },
    contrast="the highest level of the scale is {found} instead of {base}",
    verb="takes {found} for the highest level of the scale, not {base}",
    short={
        MaxGrade.MEASURE: "the measure's own",
        MaxGrade.QRELS: "that of the whole qrels",
        MaxGrade.QUERY: "that of the query",
        "n": "{n}",
    },
    prose="""\
ERR turns levels into probabilities, (2^level - 1) / 2^max, and so needs the highest level of the scale.
gdeval and ir_measures take 4, whatever the qrels hold; other code looks it up in the qrels, or among the
judgements of the query, so that the best document of every query is equally good. An ideal list that has the
highest level at every rank (ideal=max-grade) needs it as well; there it is that of the qrels by default.
""",
    example=Example(
        qrels=("1 0 a 1", "2 0 b 3"),
        run=("1 Q0 a 1 2.0 tag", "2 Q0 b 1 2.0 tag"),
        values=(
            ("ERR", "", 0.25),
            ("ERR", "max_grade=3", 0.5),
            ("ERR", "max_grade=qrels", 0.5),
            ("ERR", "max_grade=query", 0.6875),
        ),
        says="Mean ERR = {} with 4; {} with 3, {} with that of the qrels, {} with that of each query.",
    ),
    way_out="give the highest level, as in ERR(max_rel=3)@20.",
    needs="queries with different highest levels",
    tried=_options,
    gate=_gate,
)
