"""The ideal list that DCG is normalised by."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

from crosscheck.axes.base import Axis, AxisValue, Example, Mask, Stage, View

__all__ = ["IDEAL", "OF_HIGHEST", "Ideal"]


class Ideal(StrEnum):
    """The ideal list that DCG is normalised by.

    ``qrels``: all judged documents, cut at k. ``retrieved``: the retrieved documents, sorted by level, then
    cut at k. ``retrieved-at-k``: the first k retrieved documents, sorted by level. ``hits-returned``: all
    judged documents, cut at the number retrieved. ``max-grade``: the highest level of the whole qrels at
    every position; ``max-grade-returned``: at as many positions as documents were retrieved down to k.
    ``untruncated``: all judged documents, not cut at k.
    """

    QRELS = "qrels"
    RETRIEVED = "retrieved"
    RETRIEVED_AT_K = "retrieved-at-k"
    HITS_RETURNED = "hits-returned"
    MAX_GRADE = "max-grade"
    MAX_GRADE_RETURNED = "max-grade-returned"
    UNTRUNCATED = "untruncated"


#: Ideal lists with the highest level at every position.
OF_HIGHEST = (Ideal.MAX_GRADE, Ideal.MAX_GRADE_RETURNED)


def _gate(view: View) -> Mask:
    judged = view.unordered
    return view.over_all_topics(judged.count(judged.pool_topic[judged.pool_rel > 0]) > 0)


def _options(view: View) -> Sequence[AxisValue]:
    cutoff = view.measure.cutoff
    at_k = [Ideal.RETRIEVED_AT_K] if cutoff else []
    short = cutoff and bool((view.unordered.num_ret < cutoff).any())
    returned = [Ideal.MAX_GRADE_RETURNED] if short else []  # else it is max-grade
    rest = [Ideal.UNTRUNCATED, Ideal.HITS_RETURNED, Ideal.MAX_GRADE, *returned, Ideal.QRELS]
    return [Ideal.RETRIEVED, *at_k, *rest]


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
        Ideal.RETRIEVED_AT_K: "the ideal ranking is made of the first k retrieved documents only",
        Ideal.HITS_RETURNED: "the ideal ranking is cut at the number of retrieved documents",
        Ideal.MAX_GRADE: "the ideal ranking has the highest level of the qrels at every rank",
        Ideal.MAX_GRADE_RETURNED: (
            "the ideal ranking has the highest level of the qrels for each document returned down to k"
        ),
        Ideal.UNTRUNCATED: "the ideal ranking is made of all judged documents and not cut at k",
    },
    contrast="the ideal list is {found}, not {base}",
    verb="takes {found} for the ideal list, not {base}",
    short={
        Ideal.QRELS: "all judged documents of the query, cut at k",
        Ideal.RETRIEVED: "the retrieved documents only, sorted",
        Ideal.RETRIEVED_AT_K: "only the first k retrieved documents (sorted)",
        Ideal.HITS_RETURNED: "all judged documents, cut at the number returned",
        Ideal.MAX_GRADE: "the highest relevance level at every position",
        Ideal.MAX_GRADE_RETURNED: "the highest relevance level for each document returned down to k",
        Ideal.UNTRUNCATED: "all judged documents, not cut at k",
    },
    cited={
        Ideal.QRELS: "ideal over all judged documents",
        Ideal.RETRIEVED: "ideal over the retrieved documents only",
        Ideal.RETRIEVED_AT_K: "ideal over the first k retrieved documents only",
    },
    prose="""\
trec_eval builds the ideal ranking from all judged documents of the query. Code that sees only the retrieved
list sorts that list instead, and a run that found one relevant document of ten can reach nDCG = 1. Much code
for retrieval-augmented generation and recommenders sorts no more than its first k documents, as in
sorted(gains[:k]): nDCG@k is 1 then wherever the relevant ones among these are in order. Other code counts one
relevant document for each that was returned, as in range(len(retrieved)), so that a short list needs fewer.
""",
    example=Example(
        qrels=("1 0 a 1", "1 0 b 2", "1 0 c 3"),
        run=("1 Q0 a 1 3.0 tag", "1 Q0 x 2 2.0 tag", "1 Q0 b 3 1.0 tag"),
        values=(
            ("nDCG@2", "", 0.2346),
            ("nDCG@2", "ideal=retrieved", 0.3801),
            ("nDCG@2", "ideal=retrieved-at-k", 1.0),
        ),
        says="nDCG@2 = {} against the judged documents; {} against the retrieved list, {} against its top 2.",
    ),
    way_out="build the ideal ranking from the qrels.",
    needs="more relevant documents than k, some retrieved below rank k, some not at all, and several levels",
    tried=_options,
    gate=_gate,
)
