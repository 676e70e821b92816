"""The gain of a relevance level: the level itself, 2^level - 1, or 1."""

from __future__ import annotations

import numpy as np

from crosscheck.conventions import Gain
from crosscheck.diagnosis.base import Cause, Situation, uses
from crosscheck.model import BoolArray

__all__ = ["CAUSE"]


def _gate(situation: Situation) -> BoolArray:
    judged = situation.judged
    positive = judged.pool_rel > 0
    topic, rel = judged.pool_topic[positive], judged.pool_rel[positive]
    highest = np.zeros(judged.num_topics, np.int64)
    np.maximum.at(highest, topic, rel)
    lowest = np.full(judged.num_topics, np.iinfo(np.int64).max)
    np.minimum.at(lowest, topic, rel)
    if situation.measure.family == "DCG" or situation.base.ideal == "max-grade":
        return situation.over_universe(highest > 1)
    # In a ratio of two sums over one and the same level, the gain of that level cancels.
    return situation.over_universe(highest > np.minimum(lowest, highest))


_WORDS = {"linear": "the relevance level", "exponential": "2^level - 1", "binary": "1 if relevant"}

CAUSE = Cause(
    label="gain",
    axis="gain",
    priority=12,
    summary="the gain of a relevance level is the level itself, 2^level - 1, or 1",
    prose="""\
trec_eval's nDCG gains the relevance level itself (Järvelin and Kekäläinen). Web search and learning to rank
mostly use 2^level - 1 (Burges et al.), some tools only relevant or not. With a single positive level the
ratio hides the difference.

    qrels: 1 0 a 1          run: 1 Q0 a 1 2.0 tag
           1 0 b 2               1 Q0 b 2 1.0 tag

nDCG = 0.8597 with linear gain, 0.7967 with 2^level - 1, 1.0 with binary gain.
Way out: name the gain next to the number.""",
    needs="queries with two different positive relevance levels",
    applies=uses("gain"),
    options=lambda situation: [Gain.EXPONENTIAL, Gain.LINEAR, Gain.BINARY],
    gate=_gate,
    describe=lambda base, found: f"the gain is {_WORDS[str(found)]} instead of {_WORDS[str(base)]}",
)
