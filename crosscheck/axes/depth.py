"""A cut of each ranking to its first documents."""

from __future__ import annotations

from collections.abc import Sequence

from crosscheck.axes.base import Axis, AxisValue, Example, Mask, Numbers, Stage, View

__all__ = ["DEPTH", "DEPTHS"]


#: Depths that existing tools use, likeliest first.
DEPTHS = (1000, 100, 10, 50, 20, 10000, 500, 200, 5)


def _options(view: View) -> Sequence[AxisValue]:
    deepest = int(view.unordered.num_ret.max(initial=0))
    shallowest = view.measure.cutoff or 0
    whole: list[AxisValue] = [None] if view.conventions[DEPTH] is not None else []
    return [*(d for d in DEPTHS if shallowest < d < deepest), *whole]


def _gate(view: View) -> Mask:
    if view.conventions[DEPTH] is not None:
        return view.everywhere  # how many documents there are below is not seen
    limits = [int(str(d)) for d in _options(view) if d is not None]
    return view.over_all_topics(view.unordered.num_ret > min(limits, default=2**31))


DEPTH: Axis[int | None] = Axis(
    name="depth",
    default=None,
    numbers=Numbers(least=0),
    stage=Stage.JUDGE,
    position=2,
    label="depth",
    priority=34,
    summary="only the first documents of each ranking are looked at",
    phrases={
        "none": "every retrieved document counts",
        "n": "only the first {n} documents of a query count",
    },
    contrast="{found}",
    short={
        "none": "rankings are not cut",
        "n": "rankings are cut at {n} documents",
    },
    prose="""\
trec_eval takes every line of the run (unless -M says otherwise). trectools looks at 1000 documents for bpref,
Rprec and reciprocal rank, retrieval libraries at the k they were asked for.
""",
    example=Example(
        qrels=("1 0 a 1",),
        run=(*(f"1 Q0 x{rank} {rank} {200 - rank} tag" for rank in range(1, 101)), "1 Q0 a 101 1 tag"),
        run_shown=("a at rank 101",),
        values=(("AP", "", 0.0099), ("AP", "depth=100", 0.0)),
        says="AP = {}; {} at depth 100.",
    ),
    way_out="cut every run at the same depth, and name it.",
    needs="relevant documents deeper in the ranking, at several depths",
    tried=_options,
    gate=_gate,
)
