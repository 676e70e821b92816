"""The counterfactual search: which change of conventions reproduces what the candidate says."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, product

import numpy as np

from crosscheck.compare.differ import Aligned, equal
from crosscheck.conventions import AxisValue, Conventions, plain
from crosscheck.diagnosis.base import Cause, Situation
from crosscheck.diagnosis.causes import causes
from crosscheck.model import BoolArray

__all__ = ["PROOF_TOLERANCE", "Explanation", "Search"]

#: How closely a recomputation must meet the candidate's value to count as its reproduction.
PROOF_TOLERANCE = 1e-9


@dataclass(frozen=True, slots=True, eq=False)
class Explanation:
    """One change of conventions and how far it reproduces the candidate.

    Attributes:
        changes: (cause, value) pairs, empty for the reference's own conventions.
        reproduced: queries whose value (or absence) it gives, over the universe.
        mean: whether it gives the candidate's own mean (True where the candidate has none).
    """

    changes: tuple[tuple[Cause, AxisValue], ...]
    conventions: Conventions
    reproduced: BoolArray
    mean: bool

    @property
    def labels(self) -> list[str]:
        return [cause.label for cause, _ in self.changes]

    @property
    def axes(self) -> dict[str, AxisValue]:
        return {str(cause.axis): plain(value) for cause, value in self.changes}


class Search:
    """Explanations of one candidate's values on one measure and run, by number of changed axes.

    Args:
        situation: measure, run and the reference's conventions.
        observed: the candidate's values, aligned to the universe of the run and its qrels.
        mismatching: queries on which it differs from the reference, over the universe.
        judge_mean: whether the candidate's own mean must be reproduced as well.
        judge_cells: False for a candidate that has nothing but a mean.
    """

    def __init__(
        self,
        situation: Situation,
        observed: Aligned,
        mismatching: BoolArray,
        *,
        judge_mean: bool,
        judge_cells: bool = True,
    ) -> None:
        self.situation = situation
        self.observed = observed
        self.judge_mean = judge_mean and observed.mean is not None
        self.judge_cells = judge_cells
        self._options = list(self._open_axes(mismatching))

    def _open_axes(self, mismatching: BoolArray) -> Iterator[tuple[Cause, list[AxisValue]]]:
        """Causes that can matter at all: the measure reads the axis and the gate is open somewhere."""
        for cause in causes().values():
            if cause.axis is None or not cause.applies(self.situation.family):
                continue
            if cause.label == "rounding" and self.observed.decimals is not None:
                continue
            gate = cause.gate(self.situation)
            if np.any(gate & mismatching) or ((cause.on_mean or not self.judge_cells) and np.any(gate)):
                yield cause, cause.other_options(self.situation)

    def explanation(self, *changes: tuple[Cause, AxisValue]) -> Explanation:
        """What these changes reproduce."""
        axes = {str(cause.axis): value for cause, value in changes}
        conventions = self.situation.base.with_changes(**axes)
        result = self.situation.evaluated(conventions)
        observed = self.observed
        same = equal(result.values, observed.values, PROOF_TOLERANCE, observed.decimals)
        reproduced = np.where(observed.present, result.present & same, ~result.present)
        return Explanation(changes, conventions, reproduced, self._mean_reproduced(result.mean))

    def _mean_reproduced(self, mean: float | None) -> bool:
        if not self.judge_mean:
            return True
        if mean is None or self.observed.mean is None:
            return False
        pair = np.asarray([mean]), np.asarray([self.observed.mean])
        return bool(equal(*pair, PROOF_TOLERANCE, self.observed.decimals)[0])

    def of_size(self, size: int) -> Iterator[Explanation]:
        """All explanations that change exactly ``size`` axes, likeliest causes and values first."""
        for chosen in combinations(self._options, size):
            for values in product(*(options for _, options in chosen)):
                yield self.explanation(
                    *((cause, value) for (cause, _), value in zip(chosen, values, strict=True))
                )

    def extensions(self, explanation: Explanation) -> Iterator[Explanation]:
        """The explanation with one more axis changed."""
        used = set(explanation.labels)
        for cause, options in self._options:
            if cause.label not in used:
                for value in options:
                    yield self.explanation(*explanation.changes, (cause, value))

    def complete(self, explanation: Explanation) -> bool:
        """Whether it reproduces everything the candidate says."""
        return explanation.mean and (not self.judge_cells or bool(explanation.reproduced.all()))
