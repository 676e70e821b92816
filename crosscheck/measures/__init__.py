"""The native measures: one family per file, found by looking, so that adding one touches one file."""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache

from crosscheck.measures.base import Family

__all__ = ["Family", "families", "family"]


@cache
def families() -> dict[str, Family]:
    """All families by canonical name, sorted."""
    found: list[Family] = []
    for module in pkgutil.iter_modules(__path__):
        found += getattr(importlib.import_module(f"{__name__}.{module.name}"), "FAMILIES", ())
    return {f.name: f for f in sorted(found, key=lambda f: f.name)}


def family(name: str) -> Family:
    """The family of a parsed measure."""
    return families()[name]
