"""The lowest level that counts as relevant."""

from __future__ import annotations

from collections.abc import Sequence

from crosscheck.axes.base import Axis, Example, Mask, Numbers, Stage, View

__all__ = ["RELEVANCE_LEVEL"]


def _options(view: View) -> Sequence[int]:
    # One value per set of relevant documents: the level just above each level that occurs. The highest level
    # gets no such value, because a candidate that is 0 everywhere is no evidence for a level.
    _, rel = view.judgements()
    occurring = sorted(level for level in set(rel.tolist()) if level >= 0)
    return [*(level + 1 for level in occurring[:-1]), *([0] if 0 in occurring else [])]


def _gate(view: View) -> Mask:
    topic, rel = view.judgements()
    now = view.unordered.count(topic[rel >= max(view.relevance_level, 0)])
    changed = view.nowhere
    for level in _options(view):
        changed = changed | view.over_all_topics(view.unordered.count(topic[rel >= level]) != now)
    return changed


RELEVANCE_LEVEL: Axis[int] = Axis(
    name="relevance_level",
    default=1,
    numbers=Numbers(none=False),
    stage=Stage.FORMULA,
    position=2,
    weighs=True,
    label="relevance-level",
    priority=31,
    summary="another relevance level is the lowest that counts as relevant",
    phrases={
        "n": "a document is relevant from relevance level {n} on",
    },
    contrast="documents count as relevant from level {found} on instead of {base}",
    verb="takes documents for relevant from level {found} on, not from {base} on",
    short={
        "n": "{n}",
    },
    cited={"n": "relevant from level {n} on"},
    prose="""\
trec_eval counts every level from 1 on as relevant (-l 1). Some collections are scored from level 2 on (TREC
Deep Learning passages), and MS MARCO's script counts every line of the qrels as relevant, even level 0.
""",
    example=Example(
        qrels=("1 0 a 1", "1 0 b 2"),
        run=("1 Q0 a 1 2.0 tag", "1 Q0 b 2 1.0 tag"),
        values=(("RR", "", 1.0), ("RR", "relevance_level=2", 0.5)),
        says="RR = {} with level 1; {} with level 2, where only b is relevant.",
    ),
    way_out="write the level into the measure's name, as in RR(rel=2).",
    needs="relevance levels between the two",
    matters=lambda family: family.rel and family.relevance,
    tried=_options,
    gate=_gate,
)
