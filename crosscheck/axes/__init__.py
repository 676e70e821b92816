"""The axes along which IR metric implementations differ: one per file, found by looking.

Each file holds its values, its object in capitals and the functions that this needs; adding an axis adds a
file. Files are imported when their axis is asked for.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from crosscheck.axes.base import Axis, load
from crosscheck.errors import no_such
from crosscheck.registry import modules

__all__ = ["axes", "axis", "likeliest"]


@cache
def _names() -> frozenset[str]:
    return frozenset(modules(__name__)) - {"base"}


_load = cache(load)


def axis(name: str) -> Axis[Any]:
    """The axis of a name; only its file is imported.

    Raises:
        UsageError: there is none; the message lists those that exist.
    """
    if name not in _names():
        raise no_such("convention axis", name, axes(), several="axes")
    return _load(name)


@cache
def axes() -> Mapping[str, Axis[Any]]:
    """All axes by name, in the order of an evaluation."""
    found = sorted(map(_load, _names()), key=Axis.place)
    return {axis.name: axis for axis in found}


@cache
def likeliest() -> tuple[Axis[Any], ...]:
    """All axes, those first that explain the most differences in practice."""
    return tuple(sorted(axes().values(), key=lambda axis: (axis.priority, axis.label)))
