"""The axes along which IR metric implementations differ.

A file holds related axes: the values of each, its object in capitals, and the functions that it needs. The
table ``FILES`` of :mod:`crosscheck.axes.base` lists them. A file is imported when one of its axes is needed.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from crosscheck.axes.base import FILES, Axis, load
from crosscheck.errors import no_such

__all__ = ["axes", "axis", "likeliest"]


_NAMES = frozenset(name for names in FILES.values() for name in names)
_load = cache(load)


def axis(name: str) -> Axis[Any]:
    """The axis with this name; only its file is imported.

    Raises:
        UsageError: there is no such axis; the message lists the existing ones.
    """
    if name not in _NAMES:
        raise no_such("convention axis", name, axes(), several="axes")
    return _load(name)


@cache
def axes() -> Mapping[str, Axis[Any]]:
    """All axes by name, in the order of an evaluation."""
    ordered = sorted(map(_load, _NAMES), key=Axis.place)
    return {axis.name: axis for axis in ordered}


@cache
def likeliest() -> tuple[Axis[Any], ...]:
    """All axes, with those first that explain the most differences in practice."""
    return tuple(sorted(axes().values(), key=lambda axis: (axis.priority, axis.label)))
