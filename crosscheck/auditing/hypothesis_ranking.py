"""Ranking of the remaining hypotheses: the likeliest set of conventions, its equivalents, and the nearest
profile."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from crosscheck.audit_records import Nearest
from crosscheck.auditing.axes import Axis
from crosscheck.conventions import AxisValue, Conventions, Profile, plain, profiles

__all__ = ["fewest_changes", "nearest_profile"]


def fewest_changes(
    possible: Sequence[Conventions], base: Conventions, axes: Iterable[Axis]
) -> list[Conventions]:
    """The sets without unnecessary changes, likeliest first.

    A set whose changes include all changes of another adds nothing: both are the same on every input.
    """
    priority = {axis.name: axis.cause.priority for axis in axes}
    order = {(axis.name, plain(value)): place for axis in axes for place, value in enumerate(axis.options)}
    changed = {c: set(c.changes_from(base).items()) for c in possible}
    minimal = [c for c in possible if not any(changed[other] < changed[c] for other in possible)]

    def likeliness(conventions: Conventions) -> tuple[int, int, int]:
        changes = changed[conventions]
        return (
            len(changes),
            sum(priority.get(name, 0) for name, _ in changes),
            sum(order.get((name, value), 0) for name, value in changes),
        )

    return sorted(minimal, key=likeliness)


def nearest_profile(
    found: Conventions,
    visible: Sequence[str],
    alike: Callable[[str, AxisValue], bool] = lambda axis, value: False,
) -> Nearest:
    """The profile that differs on the fewest of the visible axes, the first of several, and the axes on which
    it differs.

    Args:
        alike: whether another value of an axis makes no difference to the metric, as two ways to treat
            negative levels may not.
    """

    def differs(profile: Profile, axis: str) -> bool:
        value = profile.conventions.plain(axis)
        return value != found.plain(axis) and not alike(axis, value)

    near = [
        Nearest(name, sorted(axis for axis in visible if differs(profile, axis)))
        for name, profile in profiles().items()
    ]
    return min(near, key=lambda nearest: len(nearest.differs))
