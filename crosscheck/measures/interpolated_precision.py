"""Interpolated precision at recall points, and its average."""

from __future__ import annotations

import numpy as np

from crosscheck.conventions import Conventions, RecallPoints
from crosscheck.measures.base import (
    JUDGED_ONLY,
    Family,
    number,
    numbers,
    places,
    relevant,
    relevant_retrieved,
)
from crosscheck.model import FloatArray, IntArray, Measure
from crosscheck.rankings.judged import Judged

__all__ = ["FAMILIES", "eleven_point_average", "interpolated_precision"]

ELEVEN_POINTS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)


class _Curve:
    """The precision-recall curve of each topic: interpolated precision by number of documents found."""

    def __init__(self, judged: Judged, conventions: Conventions) -> None:
        level = conventions.relevance_level
        self._rounding = conventions.recall_points
        self.num_rel = judged.num_rel(level)
        self.found = relevant_retrieved(judged, level)
        topic, rank = relevant(judged, level)
        listed = judged.count(topic)
        # What the walk finds and what was counted differ only below level 0, where unjudged documents
        # are met but not counted; trec_eval walks upwards from the count.
        so_far = places(judged, topic) + (self.found - listed)[topic]
        self._end = np.cumsum(listed)
        self._start = self._end - listed + (listed - self.found)
        self._precision = np.append(so_far / rank, 0.0)
        with np.errstate(invalid="ignore", divide="ignore"):
            #: With nothing retrieved, trec_eval divides 0 by 0.
            self._at_end = self.found / judged.num_ret
        first = self._start + np.minimum(self.found - listed, 0)
        self.highest = np.maximum(self._highest_from(first), self._at_end)

    def needed(self, point: float) -> IntArray:
        """Number of relevant documents that a recall point asks for."""
        exact = point * self.num_rel
        if self._rounding is RecallPoints.FLOOR:
            return (exact + 0.9).astype(np.int64)
        # round() in C takes halves away from zero, and 0.49999999999999994 to 0.
        whole = np.trunc(exact)
        return (whole + np.where(np.abs(exact - whole) >= 0.5, np.sign(exact), 0)).astype(np.int64)

    def at(self, needed: IntArray) -> FloatArray:
        """Highest precision at or behind the ``needed``-th relevant document; from rank 1 on for none."""
        inside = np.clip(needed, 1, np.maximum(self.found, 1))
        from_there = np.maximum(self._highest_from(self._start + inside - 1), self._at_end)
        value = np.where(needed <= 0, self.highest, from_there)
        return np.where(needed > self.found, 0.0, value)

    def _highest_from(self, first: IntArray) -> FloatArray:
        """Maximum of the topic's precisions from an entry on; 0.0 where there is none."""
        bounds = np.empty(2 * len(first), np.int64)
        bounds[0::2], bounds[1::2] = np.minimum(first, self._end), self._end
        highest: FloatArray = np.maximum.reduceat(self._precision, bounds)[0::2]
        return np.where(first < self._end, highest, 0.0)
