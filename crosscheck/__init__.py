"""crosscheck: finds the queries on which an implementation of an IR metric differs from trec_eval, and why.

Compute measures of a run with trec_eval's values, bit for bit, or under other conventions:

>>> import crosscheck
>>> qrels = {"1": {"a": 1, "b": 2}, "2": {"a": 1, "b": 3}, "3": {"a": 1, "b": 4}}
>>> run = {query: {"a": 2.0, "b": 1.0} for query in qrels}
>>> crosscheck.evaluate(qrels, run, ["P@1", "nDCG@2"])["1"]
{'P@1': 1.0, 'nDCG@2': 0.8597186998521972}
>>> values = crosscheck.evaluate(qrels, run, ["nDCG@2"], conventions="gain=exponential")

Find out why values differ:

>>> theirs = {query: row["nDCG@2"] for query, row in values.items()}
>>> crosscheck.diagnose(qrels, run, "nDCG@2", theirs).causes
['gain']

Compare implementations on data in memory. A backend is a function or an id (``crosscheck backends``):

>>> def precision(gains, k):
...     return sum(gain > 0 for gain in gains[:k]) / k
>>> document = crosscheck.run({"qrels": qrels, "runs": {"mine": run}}, measures=["P@2"], backends=[precision])
>>> document
<Document: As expected. 1 of 1 comparison agrees.>
>>> document.ok
True
>>> document.to_pandas()[["run", "measure", "outcome"]].values.tolist()
[['mine', 'P@2', 'match']]

Find the conventions that give a printed number, the values that other tools print for a run, why two runs of
one system differ, and the sentence that describes a measure in a paper:

>>> crosscheck.why(qrels, run, "nDCG@2=0.7253").answers[0].conventions
{'gain': 'exponential'}
>>> [group.printed for group in crosscheck.tools(qrels, run, ["nDCG@2"]).groups]
['0.8058', '0.7253', '1.0000', '']
>>> crosscheck.rundiff(qrels, run, {"1": run["1"]}, ["nDCG@2"]).summary
'nDCG@2 0.8597 instead of 0.8058 (+0.0539): queries that only theirs has +0.0539.'
>>> print(crosscheck.describe(measures=["P@5"]).sentences[0])  # doctest: +NORMALIZE_WHITESPACE
P@5 as in trec_eval 9.0.8: relevant from level 1 on, divided by k, ties by docno descending,
mean over the queries with results.

Audit a function before adopting it with ``crosscheck.audit(precision, "P@10")``, or in a test with
``crosscheck.testing.assert_agrees(precision, "P@10")``. Notebooks show results as pages; results have
``to_html(path)``, ``to_markdown()``, ``to_text()``, ``to_json()`` and ``to_pandas()``.

``import crosscheck as pytrec_eval`` provides the interface of pytrec_eval. Every error raised on purpose is a
:class:`CrosscheckError`.
"""

from __future__ import annotations

from importlib import import_module

from crosscheck import shown
from crosscheck.registry import STUDIES

__version__ = "0.1.0"

# Not from typing, whose import takes longer than the rest of this module.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from crosscheck.auditing import audit as audit
    from crosscheck.conventions import Conventions as Conventions
    from crosscheck.conventions import profiles as profiles
    from crosscheck.engine.runs import evaluate_runs as evaluate_runs
    from crosscheck.errors import BackendError as BackendError
    from crosscheck.errors import CrosscheckError as CrosscheckError
    from crosscheck.errors import InputError as InputError
    from crosscheck.errors import UnknownMeasure as UnknownMeasure
    from crosscheck.errors import UsageError as UsageError
    from crosscheck.formats.trec import read_qrels as read_qrels
    from crosscheck.formats.trec import read_run as read_run
    from crosscheck.native import diagnose as diagnose
    from crosscheck.native import evaluate as evaluate
    from crosscheck.pytrec_eval_api import RelevanceEvaluator as RelevanceEvaluator
    from crosscheck.pytrec_eval_api import compute_aggregated_measure as compute_aggregated_measure
    from crosscheck.pytrec_eval_api import parse_qrel as parse_qrel
    from crosscheck.pytrec_eval_api import parse_run as parse_run
    from crosscheck.pytrec_eval_api import supported_measures as supported_measures
    from crosscheck.pytrec_eval_api import supported_nicknames as supported_nicknames
    from crosscheck.running import run as run
    from crosscheck.studies.agreement import agreement as agreement
    from crosscheck.studies.describe import describe as describe
    from crosscheck.studies.diff import diff as diff
    from crosscheck.studies.gate import gate as gate
    from crosscheck.studies.impact import impact as impact
    from crosscheck.studies.pool import pool as pool
    from crosscheck.studies.rundiff import rundiff as rundiff
    from crosscheck.studies.ties import ties as ties
    from crosscheck.studies.tools import tools as tools
    from crosscheck.studies.why import why as why

#: Module -> the names it exports here, imported on first use: the help must not wait for numpy.
_EXPORTED = {
    "auditing": "audit",
    "conventions": "Conventions profiles",
    "engine.runs": "evaluate_runs",
    "errors": "BackendError CrosscheckError InputError UnknownMeasure UsageError",
    "formats.trec": "read_qrels read_run",
    "native": "diagnose evaluate",
    "pytrec_eval_api": "RelevanceEvaluator compute_aggregated_measure parse_qrel parse_run "
    "supported_measures supported_nicknames",
    "running": "run",
    # A module has the name ``compare``.
    **{f"studies.{name}": name for name in STUDIES if name != "compare"},
}
_HOMES = {name: home for home, names in _EXPORTED.items() for name in names.split()}
__all__ = sorted(["__version__", *_HOMES])


shown.register(lambda: import_module(f"{__name__}.report.showing"))


if not TYPE_CHECKING:  # type checkers know the names above, and refuse others

    def __getattr__(name: str) -> Any:
        if name not in _HOMES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return __all__
