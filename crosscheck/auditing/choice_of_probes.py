"""The choice of the next probe of an elimination: what each shows, found by recomputation and not assumed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from crosscheck.auditing.axes import Axis
from crosscheck.axes.base import Stage
from crosscheck.conventions import AxisValue, Conventions
from crosscheck.hypotheses.predictions import Predictions
from crosscheck.model import BoolArray, FloatArray
from crosscheck.probes.special import MIXED
from crosscheck.rankings.memo import Memo

__all__ = ["ProbeChoice", "with_value"]

#: A plain probe is preferred for new axes even if it admits this many times as many sets.
_MIXED_COST = float(np.log(100))
#: The same for a probe that divides the possible sets.
_DIVIDING = float(np.log(100))
#: Number of sets that are compared on each probe.
_MOST_COMPARED = 400
#: Stages whose axes affect the mean only through the values of queries.
_OF_ONE_QUERY = (Stage.ORDER, Stage.JUDGE, Stage.FORMULA)


class ProbeChoice:
    """The choice among the probes of some predictions."""

    def __init__(self, predictions: Predictions) -> None:
        self._predictions = predictions
        self._influence = Memo()

    def influenced(self, axis: Axis, conventions: Conventions, *, single: bool = False) -> BoolArray:
        """The probes whose outcome changes with this axis alone.

        Args:
            single: look at probes of one query only.
        """

        def influenced() -> BoolArray:
            changed = (with_value(conventions, axis, value) for value in axis.options)
            by_query = axis.cause.stage in _OF_ONE_QUERY
            codes = self._predictions.codes(
                [conventions, *filter(self._predictions.possible, changed)], single=single or by_query
            )
            matters: BoolArray = np.any(codes != codes[0], axis=0)
            if by_query and matters.any():  # Axes that change queries may change their mean.
                matters |= self._predictions.several
            return matters

        return self._influence.once((axis.name, conventions, single), influenced)

    def waiting(
        self, axes: Sequence[Axis], some: Sequence[Conventions], *, single: bool
    ) -> dict[Axis, BoolArray]:
        """The probes whose outcome each axis influences under some of these sets."""
        return {
            axis: np.logical_or.reduce([self.influenced(axis, c, single=single) for c in some])
            for axis in axes
        }

    def best_division(self, sets: Sequence[Conventions], allowed: BoolArray, *, single: bool) -> int | None:
        """The probe that divides these sets into the most equal parts; the smallest of several.

        Mixed probes come last, because the result of a plain one is easier to understand.
        """
        if len(sets) < 2 or not allowed.any():
            return None
        codes = self._codes(sets, single=single)
        best: tuple[bool, float, int, int] | None = None
        for index in np.flatnonzero(allowed & np.any(codes != codes[0], axis=0)).tolist():
            counts = np.unique(codes[:, index], return_counts=True)[1]
            probe = self._predictions.probes[index]
            rating = (probe.about == MIXED, float((counts * counts).sum()), probe.size, index)
            best = rating if best is None else min(best, rating)
        return None if best is None else best[-1]

    def fewest_axes(
        self, waiting: Mapping[Axis, BoolArray], sets: Sequence[Conventions], usable: BoolArray
    ) -> list[Axis]:
        """The axes that matter to the probe with the fewest of them; none if no usable probe shows one.

        A probe that also divides the sets is preferred, because each axis multiplies their number.
        """
        if not waiting:
            return []
        matters = np.stack(list(waiting.values()))
        sizes = np.array([len(axis.options) + 1.0 for axis in waiting])
        cost = np.where(matters, np.log(sizes)[:, None], 0.0).sum(axis=0)
        cost += [_MIXED_COST * (probe.about == MIXED) for probe in self._predictions.probes]
        codes = self._codes(sets, single=True)
        cost += _DIVIDING * ~np.any(codes != codes[0], axis=0)
        cost = np.where(usable & matters.any(axis=0), cost, np.inf)
        if not np.isfinite(cost).any():
            return []
        chosen = int(np.argmin(cost))
        return [axis for axis, at in zip(waiting, matters[:, chosen].tolist(), strict=True) if at]

    def _codes(self, sets: Sequence[Conventions], *, single: bool) -> FloatArray:
        return self._predictions.codes(sets[:: max(1, len(sets) // _MOST_COMPARED)], single=single)


def with_value(conventions: Conventions, axis: Axis, value: AxisValue) -> Conventions:
    """The set with another value of one axis."""
    return conventions.with_changes(**{axis.name: value})
