"""The axes along which IR metric implementations differ, one per file.

Each file holds the values of its axis, its object in capitals and the functions it needs. Files are found by
name, so adding an axis adds a file. A file is imported when its axis is requested.
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
    return frozenset(modules(__name__)) - {"base", "view"}


_load = cache(load)


def axis(name: str) -> Axis[Any]:
    """The axis with this name; only its file is imported.

    Raises:
        UsageError: there is no such axis; the message lists the existing ones.
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
    """All axes, with those first that explain the most differences in practice."""
    return tuple(sorted(axes().values(), key=lambda axis: (axis.priority, axis.label)))
