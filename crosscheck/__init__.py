"""crosscheck: where an IR metric implementation disagrees with trec_eval, query by query, and why."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from crosscheck.conventions import Conventions, profiles
    from crosscheck.errors import BackendError, CrosscheckError, InputError, UnknownMeasure, UsageError
    from crosscheck.harness import run
    from crosscheck.native import diagnose, evaluate

# Imported when first used: `python -m crosscheck --help` must not wait for numpy.
_HOMES = {
    "BackendError": "errors",
    "Conventions": "conventions",
    "CrosscheckError": "errors",
    "InputError": "errors",
    "UnknownMeasure": "errors",
    "UsageError": "errors",
    "diagnose": "native",
    "evaluate": "native",
    "profiles": "conventions",
    "run": "harness",
}

__all__ = [
    "BackendError",
    "Conventions",
    "CrosscheckError",
    "InputError",
    "UnknownMeasure",
    "UsageError",
    "__version__",
    "diagnose",
    "evaluate",
    "profiles",
    "run",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)
