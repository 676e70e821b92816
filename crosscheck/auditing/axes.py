"""The axes that can matter to a measure, with the values that they can have."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product

from crosscheck.auditing.pool import Pool
from crosscheck.conventions import AxisValue, Conventions, plain
from crosscheck.diagnosis.base import Cause, Situation
from crosscheck.diagnosis.causes import causes
from crosscheck.measures.evaluate import effective
from crosscheck.model import Measure

__all__ = ["Axis", "axes_of", "changes"]


@dataclass(frozen=True, slots=True)
class Axis:
    """An axis with the values that it can have besides the reference's."""

    cause: Cause
    name: str
    reference: AxisValue
    options: tuple[AxisValue, ...]

    @property
    def values(self) -> tuple[AxisValue, ...]:
        """The reference's value and all others."""
        return (self.reference, *self.options)


def axes_of(pool: Pool, measure: Measure, base: Conventions, settled: Iterable[str]) -> list[Axis]:
    """The axes that can matter to a measure, but for those that the call settles."""
    situation = Situation(pool.rankings, measure, base)
    found: list[Axis] = []
    for cause in causes().values():
        if cause.axis is None or cause.axis in settled or not cause.applies(situation.family):
            continue
        current = plain(getattr(effective(base, measure), cause.axis))
        options = tuple(dict.fromkeys(v for v in cause.options(situation) if plain(v) != current))
        if options:
            found.append(Axis(cause, cause.axis, current, options))
    return found


def changes(conventions: Conventions, axes: Sequence[Axis]) -> Iterator[Conventions]:
    """Conventions with other values on all of these axes."""
    for chosen in product(*(axis.values for axis in axes)):
        changed = conventions.with_changes(**{a.name: v for a, v in zip(axes, chosen, strict=True)})
        if all(getattr(changed, axis.name) != getattr(conventions, axis.name) for axis in axes):
            yield changed
