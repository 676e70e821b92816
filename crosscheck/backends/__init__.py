"""Adapters for the software that computes measures, one module each. :func:`factories` finds every module
that exports a ``FACTORY``."""

from __future__ import annotations

from functools import cache

from crosscheck.backends.base import Backend, BackendFactory, Description, Options
from crosscheck.errors import UsageError, did_you_mean, quoted
from crosscheck.registry import exports

__all__ = ["Backend", "BackendFactory", "Description", "Options", "default_candidates", "factories", "make"]


@cache
def factories() -> dict[str, BackendFactory]:
    """All families of backends by name, sorted. Cheap: adapters import their packages only when called."""
    found: list[BackendFactory] = exports(__name__, "FACTORY")
    return {factory.name: factory for factory in sorted(found, key=lambda factory: factory.name)}


def make(id: str, options: Options | None = None) -> Backend:
    """The backend of an id such as ``pytrec_eval``, ``ir-measures:msmarco`` or ``recorded:FILE``.

    Args:
        id: the name of a kind, optionally followed by a colon and its argument.
        options: settings of the call; None for the defaults.

    Raises:
        UsageError: an unknown kind (with a suggestion), a missing argument, or an invalid one for the kind.
    """
    name, colon, argument = id.partition(":")
    factory = factories().get(name)
    if factory is None:
        raise UsageError(
            f"there is no backend {quoted(id)}{did_you_mean(name, factories(), '; ')}",
            hint=f"the backends are: {', '.join(factory.usage for factory in factories().values())}",
        )
    written = f"it is written {factory.usage}: {factory.summary}"
    if colon and not argument:
        raise UsageError(f"backend {quoted(id)} ends after the colon", hint=written)
    if colon and ":" not in factory.usage:
        raise UsageError(f"backend {name} takes no argument, not {quoted(argument)}", hint=written)
    if not colon and factory.usage.startswith(f"{name}:"):
        raise UsageError(f"backend {name} needs an argument", hint=written)
    return factory.make(argument if colon else None, options or Options())


def default_candidates() -> tuple[str, ...]:
    """Ids of the backends that are compared by default, sorted."""
    return tuple(name for name, factory in factories().items() if factory.default)
