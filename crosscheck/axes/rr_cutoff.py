"""A hidden cutoff of reciprocal rank."""

from __future__ import annotations

from crosscheck.axes.base import Axis, Example, Mask, Numbers, Stage, View

__all__ = ["RR_CUTOFF"]


_CUTOFFS = (10, 100, 5, 20, 50, 1000)


def _gate(view: View) -> Mask:
    return view.over_all_topics((view.found() > 0) & (view.found(min(_CUTOFFS)) == 0))


RR_CUTOFF: Axis[int | None] = Axis(
    name="rr_cutoff",
    default=None,
    numbers=Numbers(least=1),
    stage=Stage.FORMULA,
    position=10,
    weighs=True,
    label="rr-cutoff",
    priority=33,
    summary="reciprocal rank is 0 if the first relevant document is below a hidden cutoff",
    phrases={
        "none": "reciprocal rank looks at the whole ranking",
        "n": "reciprocal rank is 0 where the first relevant document is below rank {n}",
    },
    contrast="{found}",
    short={
        "none": "reciprocal rank has no cutoff",
        "n": "reciprocal rank is cut at rank {n}",
    },
    prose="""\
trec_eval's recip_rank looks at the whole ranking. MS MARCO stops at rank 10 (documents: 100), Lucene's
QualityStats at rank 5, and both still call it MRR.
""",
    example=Example(
        qrels=("1 0 a 1",),
        run=(*(f"1 Q0 x{rank} {rank} {20 - rank} tag" for rank in range(1, 11)), "1 Q0 a 11 1 tag"),
        run_shown=("a at rank 11",),
        values=(("RR", "", 0.0909), ("RR", "rr_cutoff=10", 0.0)),
        says="RR = {}; {} with a cutoff at 10.",
    ),
    way_out="write the cutoff into the name, RR@10.",
    needs="first relevant documents below rank 10, at several depths",
    tried=lambda view: [] if view.measure.cutoff else [*_CUTOFFS, None],
    gate=_gate,
)
