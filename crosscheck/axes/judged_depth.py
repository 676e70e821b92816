"""A cut of each ranking to its first judged documents."""

from __future__ import annotations

from collections.abc import Sequence

from crosscheck.axes.base import Axis, AxisValue, Example, Mask, Numbers, Stage, View
from crosscheck.axes.depth import DEPTHS

__all__ = ["JUDGED_DEPTH"]


def _options(view: View) -> Sequence[AxisValue]:
    deepest = int(view.unordered.count(view.unordered.topic).max(initial=0))
    return [*(depth for depth in DEPTHS if depth < deepest), None]


def _gate(view: View) -> Mask:
    return view.over_all_topics(view.unordered.count(view.unordered.topic) > min(DEPTHS))


JUDGED_DEPTH: Axis[int | None] = Axis(
    name="judged_depth",
    default=None,
    numbers=Numbers(least=0),
    stage=Stage.FORMULA,
    position=1,
    weighs=True,
    label="judged-depth",
    priority=35,
    summary="only the first judged documents of each ranking are looked at, unjudged ones not counted",
    phrases={
        "none": "bpref looks at all judged documents of a ranking",
        "n": "bpref looks at the first {n} judged documents only, unjudged ones not counted",
    },
    contrast="{found}",
    short={
        "none": "all judged documents are looked at",
        "n": "only the first {n} judged documents are looked at",
    },
    prose="""\
trec_eval's -M cuts the ranking before anything else. trectools' bpref drops unjudged documents first and then
cuts (at 1000, unless told otherwise), so that a document deeper in the ranking may still count.
""",
    example=Example(
        qrels=("1 0 a 1", "1 0 b 1", "1 0 c 1", "1 0 d 1", "1 0 e 1", "1 0 f 1", "1 0 z 0"),
        run=(
            "1 Q0 x 1 7.0 tag",
            "1 Q0 a 2 6.0 tag",
            "1 Q0 b 3 5.0 tag",
            "1 Q0 c 4 4.0 tag",
            "1 Q0 d 5 3.0 tag",
            "1 Q0 e 6 2.0 tag",
            "1 Q0 f 7 1.0 tag",
        ),
        qrels_shown=("1 0 a 1", "(and b to f 1,", " z 0)"),
        run_shown=("1 Q0 x 1 7.0 tag", "1 Q0 a 2 6.0 tag", "(and b to f after it)"),
        values=(("bpref", "", 1.0), ("bpref", "judged_depth=5", 0.8333), ("bpref", "depth=5", 0.6667)),
        says="bpref = {}; {} over the first five judged documents; {} over the first five documents.",
    ),
    way_out="cut every run at the same depth before it is evaluated.",
    needs="more judged documents retrieved than are looked at, with unjudged ones between them",
    tried=_options,
    gate=_gate,
)
