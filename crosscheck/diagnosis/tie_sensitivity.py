"""Sensitivity of a value to ties: worst, best and expected value over all orders of tied documents."""

from __future__ import annotations

import numpy as np
from msgspec import Struct

from crosscheck.axes.ties import Ties
from crosscheck.conventions import Conventions
from crosscheck.evaluation.rankings import Rankings
from crosscheck.evaluation.recomputer import Recomputer
from crosscheck.model import BoolArray, FloatArray, Measure

__all__ = ["TieRange", "range_of", "tie_range"]


class TieRange(Struct, frozen=True, eq=False):
    """One measure over all orders of tied documents; arrays over all topics, NaN if there is no value.

    Attributes:
        value: under the conventions' own tie rule.
        worst, best: the lowest and the highest value that any order gives; None if no order of the measure is
            known to give them.
        expected: the mean over all orders (McSherry and Najork 2008); None if the measure has no exact form
            of it.
        present: queries with a value.
        refused: the reason why ``worst`` and ``best``, or ``expected``, are None.
    """

    value: FloatArray
    worst: FloatArray | None
    best: FloatArray | None
    expected: FloatArray | None
    present: BoolArray
    refused: tuple[str, ...] = ()

    @property
    def open(self) -> BoolArray:
        """Queries whose value depends on the order of tied documents, by ``worst`` and ``best``."""
        if self.best is None or self.worst is None:
            return np.zeros(len(self.present), np.bool_)
        with np.errstate(invalid="ignore"):
            return np.asarray(self.present & (self.best - self.worst > 1e-12))


def tie_range(rankings: Rankings, measure: Measure, conventions: Conventions) -> TieRange:
    """The values of a measure over all orders of documents tied under its conventions.

    Raises:
        InputError: a document occurs twice under a query, and the conventions refuse that.
        UsageError: the conventions order by a rank column that the run does not have.
    """
    return range_of(Recomputer(rankings, measure, conventions))


def range_of(situation: Recomputer) -> TieRange:
    """As :func:`tie_range`, for the conventions of a recomputer, which caches the results."""

    refused = dict.fromkeys(
        why
        for ties in (Ties.BEST, Ties.AVERAGE)
        if (why := situation.refusal(situation.base.with_changes(ties=ties)))
    )

    def under(ties: Ties) -> FloatArray | None:
        return (
            situation.evaluated(situation.base.with_changes(ties=ties)).values
            if situation.allows(ties)
            else None
        )

    rules = (Ties.WORST, Ties.BEST, Ties.AVERAGE)
    situation.prepare(situation.base.with_changes(ties=ties) for ties in rules if situation.allows(ties))
    own = situation.evaluated(situation.base)
    return TieRange(
        value=own.values,
        worst=under(Ties.WORST),
        best=under(Ties.BEST),
        expected=under(Ties.AVERAGE),
        present=own.present,
        refused=tuple(refused),
    )
