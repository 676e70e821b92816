"""``relstring``: the first judgements of a ranking as text."""

from __future__ import annotations

import numpy as np

from crosscheck.rankings.judged import JudgedRankings

__all__ = ["relstrings"]


def relstrings(judged: JudgedRankings, length: int) -> list[bytes]:
    """One character per rank, for at most ``length`` ranks of each topic.

    The level itself up to 9, ``>`` for higher levels, ``-`` for an unjudged document, ``.`` for a negative
    level.
    """
    lengths = np.minimum(judged.num_ret, length)
    ends = np.cumsum(lengths)
    text = np.full(int(lengths.sum()), ord("-"), np.uint8)
    seen = judged.rank <= length
    shown = np.where(judged.rel > 9, ord(">"), ord("0") + judged.rel)
    shown = np.where(judged.rel < 0, ord("."), shown)
    starts = ends - lengths
    text[starts[judged.topic[seen]] + judged.rank[seen] - 1] = shown[seen]
    return [text[a:b].tobytes() for a, b in zip(starts.tolist(), ends.tolist(), strict=True)]
