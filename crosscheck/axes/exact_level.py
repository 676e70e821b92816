"""Only documents of one exact relevance level count, instead of all from that level on."""

from __future__ import annotations

from collections.abc import Sequence

from crosscheck.axes.base import Axis, AxisValue, Example, Mask, Numbers, Stage, View

__all__ = ["EXACT_LEVEL"]


def _options(view: View) -> Sequence[AxisValue]:
    if not (view.family.rel and view.family.relevance):
        return []
    # The highest level alone is the same as that value of relevance_level.
    _, rel = view.judgements()
    return [*sorted(level for level in set(rel.tolist()) if level > 0)[:-1], None]


def _gate(view: View) -> Mask:
    topic, rel = view.judgements()
    now = view.unordered.count(topic[rel >= max(view.relevance_level, 0)])
    changed = view.nowhere
    for level in _options(view):
        changed = changed | view.over_all_topics(view.unordered.count(topic[rel == level]) != now)
    return changed


EXACT_LEVEL: Axis[int | None] = Axis(
    name="exact_level",
    default=None,
    numbers=Numbers(least=1),
    stage=Stage.JUDGE,
    position=5,
    label="exact-level",
    priority=43,
    summary="only documents of exactly one relevance level count",
    phrases={
        "none": "a document is relevant from the relevance level on",
        "n": "only documents of exactly relevance level {n} count; those of other levels are nonrelevant",
    },
    contrast="{found}",
    short={"none": "documents of all levels count"},
    prose="""\
trec_eval counts a document as relevant from a level on (-l). Code that compares levels for equality, or
computes the precision of one grade, counts documents of higher levels as nonrelevant.
""",
    example=Example(
        qrels=("1 0 a 2", "1 0 b 1"),
        run=("1 Q0 a 1 2.0 tag", "1 Q0 b 2 1.0 tag"),
        values=(("P@2", "", 1.0), ("P@2", "exact_level=1", 0.5)),
        says="P@2 = {}; {} where only b, of level 1, counts.",
    ),
    way_out="count documents from the level on.",
    needs="several positive relevance levels",
    matters=lambda family: True,
    tried=_options,
    gate=_gate,
)
