"""The table of studies, and a function that collects objects of the same name from all modules of a
package."""

from __future__ import annotations

import os
from importlib import import_module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

#: Study -> its line in the help. ``crosscheck.studies.NAME`` is imported only when the study is used.
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


def exports(room: str, name: str) -> list[Any]:
    """The object ``name`` of each module in the package ``room`` that has one, sorted by module name. Modules
    whose names begin with ``_`` are skipped."""
    files = sorted(file for folder in import_module(room).__path__ for file in os.listdir(folder))
    public = [file.removesuffix(".py") for file in files if file.endswith(".py") and file[0] != "_"]
    loaded = [import_module(f"{room}.{module}") for module in public]
    return [getattr(module, name) for module in loaded if hasattr(module, name)]
