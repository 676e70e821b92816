"""crosscheck: finds the queries on which an IR metric implementation disagrees with trec_eval, and the
cause."""

from __future__ import annotations

__version__ = "0.1.0"

# Not from typing, whose import takes longer than the rest of this module.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from crosscheck.auditing import audit
    from crosscheck.conventions import Conventions, profiles
    from crosscheck.engine.runs import evaluate_runs
    from crosscheck.errors import BackendError, CrosscheckError, InputError, UnknownMeasure, UsageError
    from crosscheck.harness import run
    from crosscheck.native import diagnose, evaluate
    from crosscheck.pytrec_eval_api import (
        RelevanceEvaluator,
        compute_aggregated_measure,
        parse_qrel,
        parse_run,
        supported_measures,
        supported_nicknames,
    )

# Imported on first use: `python -m crosscheck --help` must not wait for numpy.
_HOMES = {
    "BackendError": "errors",
    "Conventions": "conventions",
    "CrosscheckError": "errors",
    "InputError": "errors",
    "RelevanceEvaluator": "pytrec_eval_api",
    "UnknownMeasure": "errors",
    "UsageError": "errors",
    "audit": "auditing",
    "compute_aggregated_measure": "pytrec_eval_api",
    "diagnose": "native",
    "evaluate": "native",
    "evaluate_runs": "engine.runs",
    "parse_qrel": "pytrec_eval_api",
    "parse_run": "pytrec_eval_api",
    "profiles": "conventions",
    "run": "harness",
    "supported_measures": "pytrec_eval_api",
    "supported_nicknames": "pytrec_eval_api",
}

__all__ = [
    "BackendError",
    "Conventions",
    "CrosscheckError",
    "InputError",
    "RelevanceEvaluator",
    "UnknownMeasure",
    "UsageError",
    "__version__",
    "audit",
    "compute_aggregated_measure",
    "diagnose",
    "evaluate",
    "evaluate_runs",
    "parse_qrel",
    "parse_run",
    "profiles",
    "run",
    "supported_measures",
    "supported_nicknames",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)
