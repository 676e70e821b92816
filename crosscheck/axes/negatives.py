"""The treatment of a negative relevance level."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

from crosscheck.axes.base import Axis, AxisValue, Example, Mask, Stage, View
from crosscheck.axes.gain import GAIN
from crosscheck.axes.ideal import IDEAL

__all__ = ["NEGATIVES", "SUBTRACTING", "Negatives"]


class Negatives(StrEnum):
    """Treatment of a negative relevance level.

    ``relevant``: bpref counts it as relevant if retrieved, and also among the judged nonrelevant (trectools).
    Other measures ignore it. ``negative-gain``: the gain of a negative level is negative: the level, or
    2^level - 1; other gains are 0. ``negative-gain-guarded``: the same, and nDCG is 0 where its ideal list
    loses as much as it gains, or more.
    """

    UNJUDGED = "unjudged"
    NONRELEVANT = "nonrelevant"
    RELEVANT = "relevant"
    NEGATIVE_GAIN = "negative-gain"
    NEGATIVE_GAIN_GUARDED = "negative-gain-guarded"


#: Under these the gain of a negative level is negative.
SUBTRACTING = (Negatives.NEGATIVE_GAIN, Negatives.NEGATIVE_GAIN_GUARDED)


def _options(view: View) -> Sequence[AxisValue]:
    of_judged = [Negatives.NONRELEVANT, Negatives.RELEVANT] if view.family.nonrelevant else []
    reads = view.family.reads
    of_gains = [Negatives.NEGATIVE_GAIN] if GAIN in reads else []
    of_ratios = [Negatives.NEGATIVE_GAIN_GUARDED] if IDEAL in reads else []
    return [*of_judged, *of_gains, *of_ratios, Negatives.UNJUDGED]


def _gate(view: View) -> Mask:
    judged = view.unordered
    return view.over_all_topics(judged.count(judged.pool_topic[judged.pool_rel < 0]) > 0)


NEGATIVES = Axis(
    name="negatives",
    default=Negatives.UNJUDGED,
    stage=Stage.JUDGE,
    position=4,
    label="negative-relevance",
    priority=29,
    summary="a negative relevance level counts as judged nonrelevant, as relevant, or as a negative gain",
    phrases={
        Negatives.UNJUDGED: "a negative relevance level counts as not judged",
        Negatives.NONRELEVANT: "a negative relevance level counts as judged not relevant",
        Negatives.RELEVANT: "bpref counts a retrieved document with a negative relevance level as relevant",
        Negatives.NEGATIVE_GAIN: "a negative relevance level is a negative gain",
        Negatives.NEGATIVE_GAIN_GUARDED: (
            "a negative relevance level is a negative gain, and nDCG is 0 where the ideal list gains nothing"
        ),
    },
    contrast="negative levels are read as {found} instead of {base}",
    verb="reads negative levels as {found}, not as {base}",
    short={
        Negatives.UNJUDGED: "unjudged",
        Negatives.NONRELEVANT: "nonrelevant",
        Negatives.RELEVANT: "relevant",
        Negatives.NEGATIVE_GAIN: "a negative gain",
        Negatives.NEGATIVE_GAIN_GUARDED: "a negative gain (and nDCG as 0 where the ideal list gains nothing)",
    },
    prose="""\
A negative level marks a document that was pooled and not judged. trec_eval ignores it; ranx and gdeval count
it as judged nonrelevant, which lowers bpref. trectools counts it both as a retrieved relevant document and as
a judged nonrelevant one, which can raise bpref above 1. Code that sums rel or 2^rel - 1 subtracts for it;
where that makes the sum over the ideal list negative, it divides by it, or gives 0 (if ideal > 0 else 0).
""",
    example=Example(
        qrels=("1 0 a 1", "1 0 b -1"),
        run=("1 Q0 b 1 2.0 tag", "1 Q0 a 2 1.0 tag"),
        values=(("bpref", "", 1.0), ("bpref", "negatives=nonrelevant", 0.0)),
        says="bpref = {} in trec_eval; {} where b counts as nonrelevant.",
    ),
    way_out="remove negative lines before judging with other tools.",
    needs="negative relevance levels above relevant documents",
    matters=lambda family: family.nonrelevant or GAIN in family.reads,
    tried=_options,
    gate=_gate,
)
