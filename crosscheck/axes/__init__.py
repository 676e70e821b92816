"""The axes: choices on which implementations of IR metrics differ, such as ``gain`` and ``ties``.

Each file contains related axes: for each axis the class of its values, the functions that it needs, and the
axis itself as an object in capitals. ``FILES`` in :mod:`crosscheck.axes.base` lists the files, which are
imported on first use.
"""

from collections.abc import Mapping
from functools import cache
from typing import Any

from crosscheck.axes.base import FILE_OF, Axis, load
from crosscheck.errors import no_such

__all__ = ["axes", "axis", "likeliest"]


_load = cache(load)


def axis(name: str) -> Axis[Any]:
    """The axis with this name.

    Raises:
        UsageError: there is no axis with this name; the message lists all axes.
    """
    if name not in FILE_OF:
        raise no_such("convention axis", name, axes(), several="axes")
    return _load(name)


@cache
def axes() -> Mapping[str, Axis[Any]]:
    """Name -> axis, for all axes in the order of an evaluation."""
    return {axis.name: axis for axis in sorted(map(_load, FILE_OF), key=Axis.place)}


@cache
def likeliest() -> tuple[Axis[Any], ...]:
    """All axes; axes that explain most differences in practice come first."""
    return tuple(sorted(axes().values(), key=lambda axis: (axis.priority, axis.label)))
