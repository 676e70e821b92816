"""The gain of a relevance level: the level itself, its square, 2^level - 1, 2^level, or 1."""

from __future__ import annotations

from enum import StrEnum

from crosscheck.axes.base import Axis, Example, Mask, Stage, View
from crosscheck.axes.ideal import IDEAL, OF_HIGHEST

__all__ = ["GAIN", "Gain"]


class Gain(StrEnum):
    """Gain of a relevance level ``r > 0``: r, 2^r - 1, 1, 2^r, or r^2.

    ``2^level-of-all``: 2^r for every document, so that level 0 and unjudged retrieved documents gain 1.
    """

    LINEAR = "linear"
    EXPONENTIAL = "exponential"
    BINARY = "binary"
    POWER = "2^level"
    POWER_OF_ALL = "2^level-of-all"
    SQUARE = "level^2"


_RARE = (Gain.POWER, Gain.POWER_OF_ALL, Gain.SQUARE)


def _gate(view: View) -> Mask:
    import numpy as np

    judged = view.unordered
    positive = judged.pool_rel > 0
    topic, rel = judged.pool_topic[positive], judged.pool_rel[positive]
    if not view.family.ratio or view.conventions[IDEAL] in OF_HIGHEST:
        return view.over_all_topics(judged.count(topic) > 0)
    # In a ratio of two sums over a single level, the gain of that level cancels.
    highest = np.zeros(int(topic.max(initial=-1)) + 1, np.int64)
    np.maximum.at(highest, topic, rel)
    return view.over_all_topics(judged.count(topic[rel < highest[topic]]) > 0)


GAIN = Axis(
    name="gain",
    default=Gain.LINEAR,
    stage=Stage.FORMULA,
    position=3,
    weighs=True,
    label="gain",
    priority=12,
    summary="the gain of a relevance level is the level itself, its square, 2^level - 1, 2^level, or 1",
    phrases={
        Gain.LINEAR: "the gain of a document is its relevance level",
        Gain.EXPONENTIAL: "the gain of a document is 2^level - 1, not its level",
        Gain.BINARY: "the gain of every relevant document is 1, whatever its level",
        Gain.POWER: "the gain of a document with a level above 0 is 2^level",
        Gain.POWER_OF_ALL: "the gain of every document is 2^level, so that nonrelevant ones gain 1",
        Gain.SQUARE: "the gain of a document is the square of its level",
    },
    contrast="the gain is {found} instead of {base}",
    verb="takes {found} for the gain, not {base}",
    short={
        Gain.LINEAR: "the relevance level",
        Gain.EXPONENTIAL: "2^level - 1",
        Gain.BINARY: "1 if relevant",
        Gain.POWER: "2^level where the level is above 0",
        Gain.POWER_OF_ALL: "2^level, and so 1 for nonrelevant and unjudged documents",
        Gain.SQUARE: "the square of the level",
    },
    cited={
        Gain.LINEAR: "linear gain",
        Gain.EXPONENTIAL: "exponential gain (2^level - 1)",
        Gain.BINARY: "binary gain",
    },
    prose="""\
The gain in trec_eval's nDCG is the relevance level itself (Järvelin and Kekäläinen). Web search and learning
to rank mostly use 2^level - 1 (Burges et al.); some tools use 1 for every relevant document. The square of
the level is rare, and so is 2^level, which gives nonrelevant documents 2^0 = 1 unless they are left out. With
a single positive level the ratio hides the difference.
""",
    example=Example(
        qrels=("1 0 a 1", "1 0 b 2"),
        run=("1 Q0 a 1 2.0 tag", "1 Q0 b 2 1.0 tag"),
        values=(("nDCG", "", 0.8597), ("nDCG", "gain=exponential", 0.7967), ("nDCG", "gain=binary", 1.0)),
        says="nDCG = {} with linear gain, {} with 2^level - 1, {} with binary gain.",
    ),
    way_out="name the gain next to the number.",
    needs="queries with two different positive relevance levels",
    tried=lambda view: [Gain.EXPONENTIAL, Gain.LINEAR, Gain.BINARY, *_RARE],
    gate=_gate,
)
