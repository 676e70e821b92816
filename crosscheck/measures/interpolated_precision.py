"""Interpolated precision at recall points, and its average."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from crosscheck.axes.forms import RECALL_POINTS, RecallPoints
from crosscheck.axes.judging import RELEVANCE_LEVEL
from crosscheck.axes.ties import Ties
from crosscheck.conventions import Conventions
from crosscheck.measures.average_precision import precisions
from crosscheck.measures.base import JUDGED_ONLY, Family, Tied, number, numbers, relevant_retrieved
from crosscheck.measures.sums import places
from crosscheck.measures.tied import by_relevance
from crosscheck.model import FloatArray, IntArray, Measure
from crosscheck.rankings.judged import JudgedRankings

__all__ = ["FAMILIES", "eleven_point_average", "interpolated_precision"]

ELEVEN_POINTS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)


class _Curve:
    """The precision-recall curve of each topic: interpolated precision by number of relevant documents found.

    Attributes:
        found: relevant documents retrieved; shape (num_topics,).
    """

    def __init__(self, judged: JudgedRankings, level: int) -> None:
        self.found = relevant_retrieved(judged, level)
        topic, rank, precision, _ = precisions(judged, level)
        self._listed = self.found
        if level < 0:
            # trec_eval walks up the ranking and counts down from the number found, but meets more documents
            # than it counted.
            self._listed = judged.count(topic)
            precision = (places(judged, topic) + (self.found - self._listed)[topic]) / rank
        self._precision = np.append(precision, 0.0)
        self._end = np.cumsum(self._listed)
        with np.errstate(invalid="ignore"):
            # NaN if nothing was retrieved, as in trec_eval.
            self._last = self.found / judged.num_ret

    @cached_property
    def highest(self) -> FloatArray:
        """The highest precision anywhere; shape (num_topics,)."""
        return np.maximum(self._highest_from(self._end - self._listed), self._last)

    def at(self, needed: IntArray) -> FloatArray:
        """Highest precision from the ``needed``-th relevant document on; from the start if ``needed`` is 0.

        ``needed`` and the result have the shape (points, num_topics). 0.0 if fewer were found.
        """
        nth = np.maximum(np.minimum(needed, self.found), 1)
        behind = np.maximum(self._highest_from(self._end - self.found + nth - 1), self._last)
        if self._listed is not self.found:
            # Otherwise the highest value overall is at or after the first relevant document.
            behind = np.where(needed > 0, behind, self.highest)
        return np.where(needed > self.found, 0.0, behind)

    def _highest_from(self, first: IntArray) -> FloatArray:
        """Highest precision of each topic from the entry ``first`` on; 0.0 if the topic has no such entry."""
        bounds = np.empty((*first.shape, 2), np.int64)
        bounds[..., 0], bounds[..., 1] = first, self._end
        # A maximum does not depend on the order of evaluation, so reduceat is exact here.
        highest: FloatArray = np.maximum.reduceat(self._precision, bounds.ravel())[0::2].reshape(first.shape)
        return np.where(first < self._end, highest, 0.0)


def _needed(judged: JudgedRankings, conventions: Conventions, points: tuple[float, ...]) -> IntArray:
    """Number of relevant documents that each recall point requires; shape (points, num_topics)."""
    level, rounding = conventions[RELEVANCE_LEVEL], conventions[RECALL_POINTS]

    def found() -> IntArray:
        num_rel = judged.num_rel(level)
        shares: FloatArray = np.asarray(points, np.float64)[:, np.newaxis]
        exact: FloatArray = shares * num_rel
        match rounding:
            case RecallPoints.FLOOR:
                return (exact + 0.9).astype(np.int64)
            case RecallPoints.EXACT:
                return _reaching(shares, exact, num_rel)
            case RecallPoints.ROUND:
                # Rounds like C: halves away from zero, and 0.49999999999999994 to 0.
                whole = np.trunc(exact)
                away = np.where(np.abs(exact - whole) >= 0.5, np.sign(exact), 0.0)
                return (whole + away).astype(np.int64)

    return judged.once_per_pool(("recall points", level, rounding, points), found)


def _reaching(points: FloatArray, exact: FloatArray, num_rel: IntArray) -> IntArray:
    """The fewest relevant documents whose share of R is at least the point; 0 if R is 0."""
    least: IntArray = np.maximum(np.floor(exact).astype(np.int64) - 1, 0)
    share = np.maximum(num_rel, 1)
    for _ in range(3):  # the rounding errors of the product are far smaller than 1
        least += (least / share < points) & (num_rel > 0)
    return least


def _curve(judged: JudgedRankings, conventions: Conventions) -> _Curve:
    level = conventions[RELEVANCE_LEVEL]
    return judged.once(("curve", level), lambda: _Curve(judged, level))


def interpolated_precision(judged: JudgedRankings, conventions: Conventions, measure: Measure) -> FloatArray:
    """Highest precision at this recall or more (trec_eval ``iprec_at_recall_x``, ir_measures ``IPrec@x``).

    The axis ``recall_points`` sets the number of relevant documents that recall x requires: x R + 0.9 cut to
    an integer (trec_eval 9), x R rounded (10), or the fewest that reach it. 0.0 if fewer were found. Recall 0
    requires none: the value is the highest precision at any rank, and NaN if nothing was retrieved.
    """
    point, c = number(measure, "recall", 0.0), conventions
    # The usual points are mostly requested together.
    points = ELEVEN_POINTS if point in ELEVEN_POINTS else (point,)

    def values() -> FloatArray:
        return _curve(judged, c).at(_needed(judged, c, points))

    what = ("interpolated", c[RELEVANCE_LEVEL], c[RECALL_POINTS], points)
    found: FloatArray = judged.once(what, values)[points.index(point)]
    return found


def eleven_point_average(judged: JudgedRankings, conventions: Conventions, measure: Measure) -> FloatArray:
    """Mean of interpolated precision over recall points (trec_eval ``11pt_avg``).

    The points are 0, 0.1, ..., 1 by default, added from the last to the first. If the list of points does not
    ascend, trec_eval passes a recall before it looks for it; from there on every point has the highest
    precision of the ranking. NaN if nothing was retrieved and a point requires no document.
    """
    curve = _curve(judged, conventions)
    points = numbers(measure, "points", ELEVEN_POINTS)
    total = np.zeros(judged.num_topics)
    begun = np.zeros(judged.num_topics, np.bool_)
    stuck = np.zeros(judged.num_topics, np.bool_)
    reached = curve.found
    needed_at = _needed(judged, conventions, points)
    for needed, precision in zip(needed_at[::-1], curve.at(needed_at)[::-1], strict=True):
        begun |= needed <= curve.found
        stuck |= begun & ((needed > reached) | (needed <= 0))
        reached = np.where(begun & ~stuck, needed, reached)
        total += np.where(stuck, curve.highest, np.where(begun, precision, 0.0))
    return total / len(points)


def _unless(ties: Ties, conventions: Conventions, measure: Measure) -> str | None:
    if conventions[RELEVANCE_LEVEL] < 0:
        return "a negative relevance level"
    points = list(numbers(measure, "points", ELEVEN_POINTS))
    # If the list does not ascend, a recall that is not reached can raise the value.
    return "recall points that do not ascend" if points != sorted(points) or points[:1] < [0.0] else None


FAMILIES = (
    Family(
        name="IPrec",
        compute=interpolated_precision,
        summary="interpolated precision at a recall point",
        trec_eval_cut="iprec_at_recall",
        trec_eval_defaults=ELEVEN_POINTS,
        params={"recall": 0.1, **JUDGED_ONLY},
        required=("recall",),
        at_parameter="recall",
        reads=(RECALL_POINTS,),
        tied=Tied(merit=by_relevance, unless=_unless),
    ),
    Family(
        name="11pt_avg",
        compute=eleven_point_average,
        summary="mean of interpolated precision over recall points",
        trec_eval="11pt_avg",
        trec_eval_param="points",
        params={"points": ELEVEN_POINTS},
        reads=(RECALL_POINTS,),
        tied=Tied(merit=by_relevance, unless=_unless),
    ),
)
