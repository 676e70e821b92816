"""Backends: adapters for software that computes measures, one per module, each exported as ``FACTORY``."""

from functools import cache

from crosscheck.backends.base import Backend, BackendFactory, Description, Options
from crosscheck.errors import UsageError, did_you_mean, quoted
from crosscheck.registry import exports

__all__ = ["Backend", "BackendFactory", "Description", "Options", "default_candidates", "factories", "make"]


@cache
def factories() -> dict[str, BackendFactory]:
    """All kinds of backends by name, sorted. Adapters import their packages only when called."""
    unsorted: list[BackendFactory] = exports(__name__, "FACTORY")
    return {factory.name: factory for factory in sorted(unsorted, key=lambda factory: factory.name)}


def make(id: str, options: Options | None = None) -> Backend:
    """Create the backend with an id such as ``pytrec_eval``, ``ir-measures:msmarco`` or ``recorded:FILE``.

    Args:
        id: the name of a kind of backend, for some kinds followed by a colon and an argument.
        options: settings of the call; None for the defaults.

    Raises:
        UsageError: the kind is unknown (the message suggests a similar name), or the argument is missing or
            invalid.
    """
    name, colon, argument = id.partition(":")
    factory = factories().get(name)
    if factory is None:
        problem = f"there is no backend {quoted(id)}{did_you_mean(name, factories(), '; ')}"
        hint = f"use one of: {', '.join(factory.usage for factory in factories().values())}"
        raise UsageError(problem, hint=hint)
    usage = f"write {factory.usage}: {factory.summary}"
    if colon and not argument:
        raise UsageError(f"backend {quoted(id)} ends after the colon", hint=usage)
    if colon and ":" not in factory.usage:
        raise UsageError(f"backend {name} takes no argument, not {quoted(argument)}", hint=usage)
    if not colon and factory.usage.startswith(f"{name}:"):
        raise UsageError(f"backend {name} needs an argument", hint=usage)
    return factory.make(argument if colon else None, options or Options())


def default_candidates() -> tuple[str, ...]:
    """Ids of the backends that are compared by default, sorted."""
    return tuple(name for name, factory in factories().items() if factory.default)
