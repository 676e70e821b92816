"""The table of studies, and the objects that modules of a package export under an agreed name."""

from __future__ import annotations

import pkgutil
from importlib import import_module
from importlib.util import find_spec
from typing import Any

__all__ = ["STUDIES", "exports", "modules"]

#: Study -> its line in the help. ``crosscheck.studies.NAME`` is imported only where that study is meant.
STUDIES = {
    "diff": "Compare two saved outputs query by query, or two results: what changed?",
    "impact": "Does a disagreement change any conclusion about the systems?",
    "compare": "Compare systems with paired tests.",
    "gate": "Is a new run worse than the old one? Ties and missing queries cannot fool it.",
    "agreement": "Compare the judgements of two assessors.",
    "pool": "Pool the first documents of several runs.",
    "ties": "Show how much a score depends on the order of tied documents.",
    "why": "Find the conventions that give a printed number.",
    "rundiff": "Find why two runs of the same system differ.",
    "tools": "Predict what every known tool prints for a run, and why.",
    "describe": "Print the sentence that describes a measure in a paper.",
}


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
