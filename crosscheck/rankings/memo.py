"""A cache of results, keyed by everything they depend on."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, TypeVar

import numpy as np

_T = TypeVar("_T")

#: Marks the absence of a result, because None may be a result.
_NOTHING: Any = object()


class Memo:
    """Results, each computed once and then shared. Callers must not change them.

    The key of a result holds everything that the result depends on. Of conventions, these are the axes up to
    the stage of the result:
    ``conventions.of(Stage.READ, Stage.ORDER)``.

    Args:
        most: number of results that are kept, those asked for last; None for all. A search asks for thousands
            of sets of conventions, whose rankings are together many times as large as the input.
    """

    __slots__ = ("_kept", "_most")

    def __init__(self, most: int | None = None) -> None:
        self._kept: dict[Hashable, Any] = {}
        self._most = most

    def once(self, key: Hashable, find: Callable[[], _T]) -> _T:
        """The result under this key, computed by ``find`` on the first request."""
        found: _T = self._kept.get(key, _NOTHING)
        if found is _NOTHING:
            found = _locked(find())
            self.keep(key, found)
        elif self._most is not None:
            self._kept[key] = self._kept.pop(key)
        return found

    def lately(self, name: Hashable, key: Hashable, find: Callable[[], _T]) -> _T:
        """As :meth:`once`, for large results: of those under one name only the last is kept."""
        held = self._kept.get(name)
        if held is None or held[0] != key:
            held = self._kept[name] = key, _locked(find())
        found: _T = held[1]
        return found

    def keep(self, key: Hashable, found: object) -> None:
        """Store a result that was computed together with others."""
        self._kept[key] = _locked(found)
        if self._most is not None and len(self._kept) > self._most:
            del self._kept[next(iter(self._kept))]

    def holds(self, key: Hashable) -> bool:
        """Whether there is a result under this key."""
        return key in self._kept

    def found(self) -> list[Any]:
        """All results that are kept."""
        return list(self._kept.values())


def _locked(found: _T) -> _T:
    """Arrays made read-only, because several callers share them."""
    for array in found if isinstance(found, tuple) else (found,):
        if isinstance(array, np.ndarray):
            array.flags.writeable = False
    return found
