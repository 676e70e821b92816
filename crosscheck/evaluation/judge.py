"""The third stage: selects the judged documents of a ranking and the documents that exist."""

from __future__ import annotations

import numpy as np
from msgspec.structs import replace

from crosscheck.axes.judging import (
    DEPTH,
    EXACT_LEVEL,
    FIRST_RESULT,
    NEGATIVES,
    UNIVERSE,
    UNJUDGED,
    FirstResult,
    Negatives,
    Universe,
    Unjudged,
)
from crosscheck.conventions import Conventions
from crosscheck.model import IntArray
from crosscheck.rankings.judged import JudgedRankings, every_document


def judge(judged: JudgedRankings, conventions: Conventions) -> JudgedRankings:
    """Apply the axes of this stage to ordered rankings.

    These are ``negatives``, ``exact_level``, ``first_result``, ``depth``, ``unjudged`` and ``universe``.
    ``depth`` cuts before unjudged documents are removed, as trec_eval's -M comes before -J.
    """
    c = conventions
    if not c.changed:
        return judged
    if c[NEGATIVES] is Negatives.NONRELEVANT:
        judged = replace(judged, rel=np.maximum(judged.rel, 0), pool_rel=np.maximum(judged.pool_rel, 0))
    if (exact := c[EXACT_LEVEL]) is not None:
        judged = replace(judged, rel=_only(exact, judged.rel), pool_rel=_only(exact, judged.pool_rel))
    if c[FIRST_RESULT] is FirstResult.SKIPPED:
        judged = _without_first(judged)
    if (depth := c[DEPTH]) is not None:
        judged = _cut(judged, depth)
    if c[UNJUDGED] is Unjudged.REMOVED:
        judged = without_unjudged(judged)
    elif (level := c[UNJUDGED].level) is not None:
        judged = _all_judged(judged, level)
    if c[UNIVERSE] is Universe.RETRIEVED:
        judged = replace(judged, pool_topic=judged.topic, pool_rel=judged.rel)
    return judged


def _only(level: int, rel: IntArray) -> IntArray:
    return np.where(rel == level, rel, np.minimum(rel, 0))


def _without_first(judged: JudgedRankings) -> JudgedRankings:
    """The rankings from their second document on. If there are groups of tied documents, the first group of a
    ranking loses one document."""
    judged = judged.only(judged.rank > 1)
    after, tied = judged.tied_after, judged.tied
    if after is not None and tied is not None:
        after, tied = np.maximum(after - 1, 0), tied - (after == 0)
    num_ret = np.maximum(judged.num_ret - 1, 0)
    return replace(judged, rank=judged.rank - 1, num_ret=num_ret, tied_after=after, tied=tied)


def _cut(judged: JudgedRankings, depth: int) -> JudgedRankings:
    # A group of tied documents that crosses the depth is kept; the measure decides which part of it counts.
    kept = judged.rank <= depth if judged.tied_after is None else judged.tied_after < depth
    return replace(judged.only(kept), num_ret=np.minimum(judged.num_ret, depth))


def without_unjudged(judged: JudgedRankings) -> JudgedRankings:
    """The rankings without unjudged documents, and without those with a negative level (trec_eval ``-J``)."""
    judged = judged.only(judged.rel >= 0)
    num_ret = judged.count(judged.topic)
    rank = np.arange(1, len(judged.topic) + 1) - (np.cumsum(num_ret) - num_ret)[judged.topic]
    after, tied = judged.tied_after, judged.tied
    if after is not None:
        _, first, inverse, size = np.unique(
            (judged.topic << 40) | after, return_index=True, return_inverse=True, return_counts=True
        )
        after, tied = (rank[first] - 1)[inverse], size[inverse]
    return replace(judged, num_ret=num_ret, rank=rank, tied_after=after, tied=tied)


def _all_judged(judged: JudgedRankings, level: int) -> JudgedRankings:
    """The rankings with every retrieved document judged; unjudged ones get ``level``."""
    return every_document(judged, np.where(judged.rel < 0, level, judged.rel), level)
