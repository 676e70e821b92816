"""Registration by discovery: the objects that modules of a package export under an agreed name."""

from __future__ import annotations

import pkgutil
from importlib import import_module
from importlib.util import find_spec
from typing import Any

__all__ = ["exports", "modules"]


def modules(room: str, prefix: str = "") -> list[str]:
    """Names of a package's modules that begin with a prefix, sorted and without it; imports none of them."""
    spec = find_spec(room)
    found = pkgutil.iter_modules(spec.submodule_search_locations if spec else None)
    return sorted(module.name.removeprefix(prefix) for module in found if module.name.startswith(prefix))


def exports(room: str, name: str) -> list[Any]:
    """The objects that the modules of a package export under a name, by module; private modules are
    skipped."""
    public = [import_module(f"{room}.{module}") for module in modules(room) if not module.startswith("_")]
    return [getattr(module, name) for module in public if hasattr(module, name)]
