"""Everything that computes measures, one adapter per file, found by looking: each exports a ``FACTORY``."""

from __future__ import annotations

import difflib
import importlib
import pkgutil
from functools import cache

from crosscheck.backends.base import Backend, BackendFactory, Description, Options
from crosscheck.errors import UsageError

__all__ = ["Backend", "BackendFactory", "Description", "Options", "default_candidates", "factories", "make"]


@cache
def factories() -> dict[str, BackendFactory]:
    """All families of backends by name, sorted. Cheap: adapters import what they adapt when called."""
    found: list[BackendFactory] = []
    for module in pkgutil.iter_modules(__path__):
        kind = getattr(importlib.import_module(f"{__name__}.{module.name}"), "FACTORY", None)
        if isinstance(kind, BackendFactory):
            found.append(kind)
    return {kind.name: kind for kind in sorted(found, key=lambda kind: kind.name)}


def make(id: str, options: Options | None = None) -> Backend:
    """The backend of an id such as ``pytrec_eval``, ``ir-measures:msmarco`` or ``recorded:FILE``.

    Args:
        id: a kind's name, and after a colon what that kind asks for.
        options: settings of the call; None for the defaults.

    Raises:
        UsageError: an unknown kind (with a suggestion), or an argument that the kind cannot use.
    """
    name, colon, argument = id.partition(":")
    kind = factories().get(name)
    if kind is None:
        near = difflib.get_close_matches(name, factories(), 1, 0.5)
        raise UsageError(
            f"there is no backend {id!r}" + (f"; did you mean {near[0]}?" if near else ""),
            hint=f"the backends are: {', '.join(k.usage for k in factories().values())}",
        )
    if colon and not argument:
        raise UsageError(f"backend {id!r} ends after the colon", hint=f"it is written {kind.usage}")
    return kind.make(argument if colon else None, options or Options())


def default_candidates() -> tuple[str, ...]:
    """Ids of the backends that are compared when nobody says which, sorted."""
    return tuple(name for name, kind in factories().items() if kind.default)
