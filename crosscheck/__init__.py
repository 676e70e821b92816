"""crosscheck: finds the queries on which an IR metric implementation disagrees with trec_eval, and the
cause.

Measure a run as trec_eval does, bit for bit, or under other conventions:

>>> import crosscheck
>>> qrels = {"1": {"a": 1, "b": 2}, "2": {"a": 1, "b": 3}, "3": {"a": 1, "b": 4}}
>>> run = {query: {"a": 2.0, "b": 1.0} for query in qrels}
>>> crosscheck.evaluate(qrels, run, ["P@1", "nDCG@2"])["1"]
{'P@1': 1.0, 'nDCG@2': 0.8597186998521972}
>>> values = crosscheck.evaluate(qrels, run, ["nDCG@2"], conventions="gain=exponential")

Ask why values differ:

>>> theirs = {query: row["nDCG@2"] for query, row in values.items()}
>>> crosscheck.diagnose(qrels, run, "nDCG@2", theirs).causes
['gain']

Compare implementations on data at hand; a backend is a function or an id (``crosscheck backends``):

>>> def precision(gains, k):
...     return sum(gain > 0 for gain in gains[:k]) / k
>>> document = crosscheck.run({"qrels": qrels, "runs": {"mine": run}}, measures=["P@2"], backends=[precision])
>>> document
<Document: As expected. 1 of 1 comparison agrees.>
>>> document.ok
True
>>> document.to_pandas()[["run", "measure", "outcome"]].values.tolist()
[['mine', 'P@2', 'match']]

Ask which conventions give a printed number, what other tools print for a run, why two runs of one system
differ, and for the sentence that describes a measure in a paper:

>>> crosscheck.why(qrels, run, "nDCG@2=0.7253").answers[0].conventions
{'gain': 'exponential'}
>>> [group.printed for group in crosscheck.tools(qrels, run, ["nDCG@2"]).groups]
['0.8058', '0.7253', '1.0000', '']
>>> crosscheck.rundiff(qrels, run, {"1": run["1"]}, ["nDCG@2"]).summary
'nDCG@2 0.8597 instead of 0.8058 (+0.0539): queries that only one of them has +0.0539.'
>>> print(crosscheck.describe(measures=["P@5"]).sentences[0])  # doctest: +NORMALIZE_WHITESPACE
P@5 as in trec_eval 9.0.8: relevant from level 1 on, divided by k, ties by docno descending,
mean over the queries with results.

Audit a function before adopting it with ``crosscheck.audit(precision, "P@10")``, or in a test with
``crosscheck.testing.assert_agrees(precision, "P@10")``. Results show themselves as pages in notebooks;
``to_html(path)``, ``to_markdown()``, ``to_text()``, ``to_json()`` and ``to_pandas()`` take them elsewhere.

``import crosscheck as pytrec_eval`` works. Every error raised on purpose is a :class:`CrosscheckError`.
"""

from __future__ import annotations

from crosscheck import shown

__version__ = "0.1.0"

# Not from typing, whose import takes longer than the rest of this module.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from crosscheck.auditing import audit
    from crosscheck.conventions import Conventions, profiles
    from crosscheck.engine.runs import evaluate_runs
    from crosscheck.errors import BackendError, CrosscheckError, InputError, UnknownMeasure, UsageError
    from crosscheck.native import diagnose, evaluate
    from crosscheck.pytrec_eval_api import (
        RelevanceEvaluator,
        compute_aggregated_measure,
        parse_qrel,
        parse_run,
        supported_measures,
        supported_nicknames,
    )
    from crosscheck.running import run
    from crosscheck.studies.agreement import agreement
    from crosscheck.studies.describe import describe
    from crosscheck.studies.diff import diff
    from crosscheck.studies.gate import gate
    from crosscheck.studies.impact import impact
    from crosscheck.studies.pool import pool
    from crosscheck.studies.rundiff import rundiff
    from crosscheck.studies.ties import ties
    from crosscheck.studies.tools import tools
    from crosscheck.studies.why import why

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
    "run": "running",
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
    "agreement",
    "audit",
    "compute_aggregated_measure",
    "describe",
    "diagnose",
    "diff",
    "evaluate",
    "evaluate_runs",
    "gate",
    "impact",
    "parse_qrel",
    "parse_run",
    "pool",
    "profiles",
    "run",
    "rundiff",
    "supported_measures",
    "supported_nicknames",
    "ties",
    "tools",
    "why",
]


def _home(name: str) -> Any:
    from importlib import import_module

    return import_module(f"{__name__}.{name}")


shown.register(lambda: _home("report.showing"))


def __getattr__(name: str) -> Any:
    from crosscheck.registry import STUDIES

    home = f"studies.{name}" if name in STUDIES else _HOMES.get(name)
    if home is None or name == "compare":  # a module has this name
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(_home(home), name)


def __dir__() -> list[str]:
    return sorted(__all__)
