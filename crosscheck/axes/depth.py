"""A cut of each ranking to its first documents."""

from __future__ import annotations

from collections.abc import Sequence

from crosscheck.axes.base import Axis, AxisValue, Example, Mask, Numbers, Stage, View
from crosscheck.axes.ideal import IDEAL, Ideal
from crosscheck.axes.precision_denominator import PRECISION_DENOMINATOR
from crosscheck.axes.recall_denominator import RECALL_DENOMINATOR
from crosscheck.axes.universe import UNIVERSE, Universe
from crosscheck.axes.unjudged import UNJUDGED, Unjudged

__all__ = ["DEPTH", "DEPTHS"]


#: Depths that existing tools use, likeliest first.
DEPTHS = (1000, 100, 10, 50, 20, 10000, 500, 200, 5)


#: Measures that read these count the documents above their cutoff, at whatever ranks.
_ONLY_COUNT = frozenset((PRECISION_DENOMINATOR, RECALL_DENOMINATOR))


def _options(view: View) -> Sequence[AxisValue]:
    deepest = int(view.unordered.num_ret.max(initial=0))
    cutoff = view.measure.cutoff or 0
    whole: list[AxisValue] = [None] if view.conventions[DEPTH] is not None else []
    found = [d for d in DEPTHS if cutoff < d < deepest]
    return [*found, *([cutoff] if 0 < cutoff < deepest and _looks_below(view, cutoff) else []), *whole]


def _looks_below(view: View, cutoff: int) -> bool:
    """Whether a measure may look at documents below its cutoff: for its ideal list, as those that exist, or
    because they move up where unjudged documents are removed."""
    c, judged = view.conventions, view.judged
    if c[IDEAL] is Ideal.RETRIEVED or c[UNIVERSE] is Universe.RETRIEVED or c[UNJUDGED] is Unjudged.REMOVED:
        return True
    if not _ONLY_COUNT.isdisjoint(view.family.reads):
        return False
    above = judged.count(judged.topic[(judged.rel >= 0) & (judged.rank <= cutoff)])
    return bool((above < judged.num_ret.clip(max=cutoff)).any())


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
