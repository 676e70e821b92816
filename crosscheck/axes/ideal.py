"""The ideal list that DCG is normalised by."""

from __future__ import annotations

from enum import StrEnum

from crosscheck.axes.base import Axis, Example, Mask, Stage, View

__all__ = ["IDEAL", "Ideal"]


class Ideal(StrEnum):
    """The ideal list that DCG is normalised by.

    ``qrels``: all judged documents, cut at k. ``retrieved``: the retrieved documents, sorted by level.
    ``hits-returned``: all judged documents, cut at the number retrieved. ``max-grade``: the highest level of
    the whole qrels at every position. ``untruncated``: all judged documents, not cut at k.
    """

    QRELS = "qrels"
    RETRIEVED = "retrieved"
    HITS_RETURNED = "hits-returned"
    MAX_GRADE = "max-grade"
    UNTRUNCATED = "untruncated"


def _gate(view: View) -> Mask:
    judged = view.unordered
    return view.over_all_topics(judged.count(judged.pool_topic[judged.pool_rel > 0]) > 0)


IDEAL = Axis(
    name="ideal",
    default=Ideal.QRELS,
    stage=Stage.FORMULA,
    position=5,
    label="ideal-ranking",
    priority=16,
    summary="nDCG is normalised by another ideal list",
    phrases={
        Ideal.QRELS: "the ideal ranking is made of all judged documents, cut at k",
        Ideal.RETRIEVED: "the ideal ranking is made of the retrieved documents only",
        Ideal.HITS_RETURNED: "the ideal ranking is cut at the number of retrieved documents",
        Ideal.MAX_GRADE: "the ideal ranking has the highest level of the qrels at every rank",
        Ideal.UNTRUNCATED: "the ideal ranking is made of all judged documents and not cut at k",
    },
    contrast="the ideal list is {found}, not {base}",
    verb="takes {found} for the ideal list, not {base}",
    short={
        Ideal.QRELS: "all judged documents of the query, cut at k",
        Ideal.RETRIEVED: "the retrieved documents only, sorted",
        Ideal.HITS_RETURNED: "all judged documents, cut at the number returned",
        Ideal.MAX_GRADE: "the highest relevance level at every position",
        Ideal.UNTRUNCATED: "all judged documents, not cut at k",
    },
    cited={
        Ideal.QRELS: "ideal over all judged documents",
        Ideal.RETRIEVED: "ideal over the retrieved documents only",
    },
    prose="""\
trec_eval builds the ideal ranking from all judged documents of the query. Code that sees only the retrieved
list sorts that list instead, and a run that found one relevant document of ten can reach nDCG = 1.
""",
    example=Example(
        qrels=("1 0 a 1", "1 0 b 1"),
        run=("1 Q0 a 1 2.0 tag",),
        values=(("nDCG", "", 0.6131), ("nDCG", "ideal=retrieved", 1.0)),
        says="nDCG = {} against the judged documents; {} against the retrieved list.",
    ),
    way_out="build the ideal ranking from the qrels.",
    needs="relevant documents that were not retrieved, more relevant documents than k, and several levels",
    tried=lambda view: [
        Ideal.RETRIEVED,
        Ideal.UNTRUNCATED,
        Ideal.HITS_RETURNED,
        Ideal.MAX_GRADE,
        Ideal.QRELS,
    ],
    gate=_gate,
)
