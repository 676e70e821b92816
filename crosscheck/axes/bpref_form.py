"""The form of bpref, mostly its value if no document is judged nonrelevant."""

from __future__ import annotations

import math
from enum import StrEnum

from crosscheck.axes.base import Axis, Example, Mask, Stage, View

__all__ = ["BPREF_FORM", "BprefForm"]


class BprefForm(StrEnum):
    """The form of bpref.

    ``trec_eval``: 1 - min(n, R) / min(N, R), and 1 if no document is judged nonrelevant (N = 0).
    ``zero-when-no-nonrelevant`` and ``nan-when-no-nonrelevant`` (if a relevant document was retrieved) differ
    only for N = 0. ``over-R``: 1 - min(n, R) / R, the form of the first paper. ``bpref-10``: 1 - min(n, 10 +
    R) / (10 + R).
    """

    TREC_EVAL = "trec_eval"
    ZERO_WHEN_NO_NONRELEVANT = "zero-when-no-nonrelevant"
    NAN_WHEN_NO_NONRELEVANT = "nan-when-no-nonrelevant"
    OVER_R = "over-R"
    BPREF_10 = "bpref-10"


def _gate(view: View) -> Mask:
    judged, level = view.unordered, view.relevance_level
    num_rel, num_nonrel = judged.num_rel(level), judged.num_nonrel(level)
    return view.over_all_topics((num_rel > 0) | (num_nonrel == 0))


BPREF_FORM = Axis(
    name="bpref_form",
    default=BprefForm.TREC_EVAL,
    stage=Stage.FORMULA,
    position=11,
    weighs=True,
    label="bpref-form",
    priority=30,
    summary="bpref takes another form, mostly where few or no documents are judged nonrelevant",
    phrases={
        BprefForm.TREC_EVAL: (
            "bpref counts 1 per retrieved relevant document where nothing is judged not relevant"
        ),
        BprefForm.ZERO_WHEN_NO_NONRELEVANT: "bpref is 0 where nothing is judged not relevant",
        BprefForm.NAN_WHEN_NO_NONRELEVANT: (
            "bpref is NaN where nothing is judged not relevant and something relevant is retrieved"
        ),
        BprefForm.OVER_R: "bpref divides by R instead of min(N, R)",
        BprefForm.BPREF_10: "bpref counts the first 10 + R documents judged not relevant",
    },
    contrast="{found}",
    short={
        BprefForm.TREC_EVAL: "bpref counts 1 per relevant document where none is judged nonrelevant",
        BprefForm.ZERO_WHEN_NO_NONRELEVANT: "bpref is 0 where no document is judged nonrelevant",
        BprefForm.NAN_WHEN_NO_NONRELEVANT: (
            "bpref is NaN where none is judged nonrelevant and a relevant one is found"
        ),
        BprefForm.BPREF_10: "bpref counts 10 + R nonrelevant documents (bpref-10)",
    },
    prose="""\
Without a judged nonrelevant document nothing can be ranked above a relevant one: trec_eval's bpref is then
the share of relevant documents retrieved. trectools divides 0 by 0 there and returns 0. Collections with
sparse judgements (MS MARCO, most of BEIR) consist of such queries.
""",
    example=Example(
        qrels=("1 0 a 1",),
        run=("1 Q0 x 1 2.0 tag", "1 Q0 a 2 1.0 tag"),
        values=(
            ("bpref", "", 1.0),
            ("bpref", "bpref_form=zero-when-no-nonrelevant", 0.0),
            ("bpref", "bpref_form=nan-when-no-nonrelevant", math.nan),
        ),
        says=(
            "bpref = {} in trec_eval; {} in trectools, {} in ranx. With fewer nonrelevant than "
            "relevant documents the\n"
            "form of the first paper (divided by R) and bpref-10 differ as well."
        ),
    ),
    way_out="do not report bpref on sparse judgements.",
    needs="queries without judged nonrelevant documents, and queries with fewer of them than relevant ones",
    gate=_gate,
)
