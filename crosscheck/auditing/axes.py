"""The axes that can matter to a measure, with the values that they can have."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import crosscheck.axes.base
from crosscheck.axes import likeliest
from crosscheck.axes.base import Stage
from crosscheck.axes.exact_level import EXACT_LEVEL
from crosscheck.axes.relevance_level import RELEVANCE_LEVEL
from crosscheck.conventions import AxisValue, Conventions, plain
from crosscheck.evaluation.parameters import with_measure_parameters
from crosscheck.evaluation.rankings import Rankings
from crosscheck.evaluation.recomputer import Recomputer
from crosscheck.model import Measure

__all__ = ["Axis", "axes_of", "changes", "has_level"]

#: Axes of a relevance level, which may be above all levels of the inputs.
_OF_LEVELS = (RELEVANCE_LEVEL, EXACT_LEVEL)


@dataclass(frozen=True, slots=True)
class Axis:
    """An axis with the values that it can have besides the reference's."""

    cause: crosscheck.axes.base.Axis[Any]
    name: str
    reference: AxisValue
    options: tuple[AxisValue, ...]

    @property
    def values(self) -> tuple[AxisValue, ...]:
        """The reference's value and all others."""
        return (self.reference, *self.options)

    def other_values(self, conventions: Conventions) -> list[AxisValue]:
        """The values of this axis except the one that the conventions have."""
        return [value for value in self.values if plain(value) != conventions.plain(self.name)]


def axes_of(
    runs: Iterable[Rankings],
    measure: Measure,
    base: Conventions,
    settled: Iterable[str],
    above: int | None = None,
) -> list[Axis]:
    """The axes that can matter to a measure on some runs, each with the values that it can have there.

    Args:
        runs: the first one decides, but for the axes of the stage ``read``, for which all runs count.
        settled: axes fixed by the call; only the values of ``shown_by_one`` remain possible on them.
        above: a relevance level that stands for all levels above the levels of these runs: only runs with
            higher levels tell those apart.
    """
    views = [Recomputer(rankings, measure, base) for rankings in runs]
    found: list[Axis] = []
    for cause in likeliest():
        fixed = cause.name in settled
        if (fixed and not cause.shown_by_one) or not cause.read_by(views[0].family):
            continue
        current = with_measure_parameters(base, measure).plain(cause.name)
        # Which ids may be the same can show in a single input.
        seen = views if cause.stage is Stage.READ else views[:1]
        values = dict.fromkeys(value for view in seen for value in cause.options(view))
        if above is not None and cause in _OF_LEVELS and values:
            values[above] = None
        possible = cause.shown_by_one if fixed else values
        options = tuple(value for value in values if plain(value) != current and value in possible)
        if options:
            found.append(Axis(cause, cause.name, current, options))
    return found


def has_level(conventions: Conventions, level: int) -> bool:
    """Whether an axis of a relevance level has this level as its value."""
    return any(conventions.plain(axis.name) == level for axis in _OF_LEVELS)


def changes(conventions: Conventions, axes: Sequence[Axis]) -> Iterator[Conventions]:
    """All conventions that differ from the given ones on every one of these axes, and on no other axis."""
    for chosen in product(*(axis.other_values(conventions) for axis in axes)):
        yield conventions.with_changes(**{a.name: v for a, v in zip(axes, chosen, strict=True)})
