"""How much of a value is luck: worst, best and expected value over all orders of tied documents."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from crosscheck.axes.ties import Ties
from crosscheck.conventions import Conventions
from crosscheck.evaluation.rankings import Rankings
from crosscheck.evaluation.recomputer import Recomputer
from crosscheck.model import BoolArray, FloatArray, Measure

__all__ = ["TieRange", "range_of", "tie_range"]


@dataclass(frozen=True, slots=True, eq=False)
class TieRange:
    """One measure over all orders of tied documents; arrays over the universe, NaN where there is no value.

    Attributes:
        value: under the conventions' own tie rule.
        worst, best: the lowest and the highest value that any order gives. They are exact for measures that
            no relevant document can lower by moving up; of infAP, measures over subtopics and the like
            they are those of the orders with relevant documents last and first.
        expected: the mean over all orders (McSherry and Najork 2008); None where the measure has no closed
            form here (bpref and others).
        present: queries with a value.
    """

    value: FloatArray
    worst: FloatArray
    best: FloatArray
    expected: FloatArray | None
    present: BoolArray

    @property
    def open(self) -> BoolArray:
        """Queries whose value depends on the order of tied documents."""
        return np.asarray(self.present & (self.best - self.worst > 1e-12))


def tie_range(rankings: Rankings, measure: Measure, conventions: Conventions) -> TieRange:
    """The values of a measure over all orders of documents that its conventions leave tied.

    Raises:
        InputError: a document stands twice under a query, and the conventions refuse that.
        UsageError: the conventions order by a rank column that the run does not have.
    """
    return range_of(Recomputer(rankings, measure, conventions))


def range_of(situation: Recomputer) -> TieRange:
    """As :func:`tie_range`, for the conventions of a situation; recomputations are kept there."""

    def under(ties: Ties) -> FloatArray:
        return situation.evaluated(situation.base.with_changes(ties=ties)).values

    own = situation.evaluated(situation.base)
    worst, best = under(Ties.WORST), under(Ties.BEST)
    closed = situation.in_groups(Ties.AVERAGE)
    return TieRange(
        value=own.values,
        worst=np.minimum(worst, best),
        best=np.maximum(worst, best),
        expected=under(Ties.AVERAGE) if closed else None,
        present=own.present,
    )
