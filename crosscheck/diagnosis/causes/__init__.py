"""The causes, one per file, found by looking: adding one touches one file."""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache

from crosscheck.diagnosis.base import Cause

__all__ = ["causes", "labels"]


@cache
def causes() -> dict[str, Cause]:
    """All causes by label, likeliest first."""
    modules = (importlib.import_module(f"{__name__}.{m.name}") for m in pkgutil.iter_modules(__path__))
    found: list[Cause] = [module.CAUSE for module in modules]
    return {cause.label: cause for cause in sorted(found, key=lambda c: (c.priority, c.label))}


def labels() -> tuple[str, ...]:
    """The stable identifiers, likeliest first."""
    return tuple(causes())
