"""A provider for the package ir_measures, which computes crosscheck's native measures.

ir_measures finds providers in a registry. A provider is registered when its module is imported; there are no
entry points for other packages. There are two ways to import this module:

- In Python: ``from crosscheck.ir_measures_provider import crosscheck`` and then
  ``crosscheck.calc_aggregate(measures, qrels, run)``, or ``ir_measures.providers.registry["crosscheck"]``.
  ``ir_measures.calc_aggregate`` still uses only its own list of providers.
- After ``python -m crosscheck.ir_measures_provider install``, until ``uninstall``, the command ``ir_measures
  --provider crosscheck`` works; see :mod:`crosscheck.ir_measures_hook`. Without an installation,
  ``python -m crosscheck.ir_measures_provider --provider crosscheck QRELS RUN MEASURE...`` does the same.

For measures over subtopics, the iteration of each judgement is the name of its subtopic.

Documents are ranked as in trec_eval for every measure: scores are compared as float32, ties are ordered by
descending docno. Other providers order ties differently, so that their values can differ if scores are tied.
"""

from __future__ import annotations

import math
import sys
import sysconfig
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from ir_measures import providers
from ir_measures.util import Metric, QrelsConverter, RunConverter

from crosscheck.axes.base import Stage
from crosscheck.conventions import Conventions
from crosscheck.errors import UnknownMeasure
from crosscheck.evaluation.formula import with_measure_parameters
from crosscheck.evaluation.rankings import Rankings
from crosscheck.evaluation.summarise import evaluate
from crosscheck.formats.dicts import qrels_from_columns, run_from_dict
from crosscheck.formats.source import write_whole
from crosscheck.measures import family
from crosscheck.model import Measure, Qrels
from crosscheck.names import is_measure, parse_measure
from crosscheck.rankings.dict_pool import DictPool
from crosscheck.rankings.judged import judge
from crosscheck.rankings.pairing import JudgedPool, Memo, notes_of

__all__ = ["CrosscheckProvider", "command", "crosscheck"]


class CrosscheckProvider(providers.Provider):  # type: ignore[misc]  # ir_measures is not typed
    """The provider ``crosscheck``, with every measure of ir_measures that crosscheck has."""

    NAME = "crosscheck"

    def supports(self, measure: Any) -> bool:
        """Whether crosscheck has the measure with these parameters."""
        measure.validate_params()
        return is_measure(str(measure))

    def _evaluator(self, measures: Iterable[Any], qrels: Any) -> _Evaluator:
        parsed: dict[Any, Measure] = {}
        for measure in measures:
            measure.validate_params()
            try:
                parsed[measure] = parse_measure(str(measure))
            except UnknownMeasure as error:
                raise ValueError(f"unsupported measure {measure}: {error}") from None
        return _Evaluator(parsed, qrels)


class _Evaluator(providers.Evaluator):  # type: ignore[misc]
    """Judgements and measures, for any number of runs."""

    def __init__(self, parsed: Mapping[Any, Measure], qrels: Any) -> None:
        for_levels, for_subtopics = QrelsConverter(qrels).tee(2)
        levels = for_levels.as_dict_of_dict()
        super().__init__(list(parsed), set(levels))
        self._plain = {m: of for m, of in parsed.items() if not family(of.family).detailed}
        self._over_subtopics = {m: of for m, of in parsed.items() if m not in self._plain}
        self._pool = DictPool(levels)
        if self._over_subtopics and levels:
            self._judgements = JudgedPool(_with_subtopics(for_subtopics))

    def iter_calc(self, run: Any) -> Iterator[Any]:
        """The values as ir_measures yields them, without queries for which a measure (Accuracy) has no
        value."""
        return (metric for metric in super().iter_calc(run) if metric.value is not None)

    def _iter_calc(self, run: Any) -> Iterator[Any]:
        results = RunConverter(run).as_dict_of_dict()
        if self._plain:
            yield from self._plain_values(results)
        if self._over_subtopics and self.qrel_qids and any(results.values()):
            yield from self._subtopic_values(results)

    def _plain_values(self, run: Mapping[str, Mapping[str, float]]) -> Iterator[Any]:
        queries, judged = self._pool.judged(run)
        read = Memo()
        for measure, parsed in self._plain.items():
            about, conventions = family(parsed.family), with_measure_parameters(Conventions(), parsed)
            rankings = read.once(conventions.of(Stage.JUDGE), partial(judge, judged, conventions))
            value_of = dict(zip(queries, about.compute(rankings, conventions, parsed).tolist(), strict=True))
            if about.undefined_without_hits:
                defined = {query: value for query, value in value_of.items() if not math.isnan(value)}
                value_of = {**dict.fromkeys(self.qrel_qids), **defined}
            for query, value in value_of.items():
                yield Metric(query_id=query, measure=measure, value=value)

    def _subtopic_values(self, run: Mapping[str, Mapping[str, float]]) -> Iterator[Any]:
        rankings = Rankings(run_from_dict(run), self._judgements)
        if not self._plain:  # else it was done already
            notes_of(rankings.pairing)
        queries = [topic.decode("utf-8", "surrogateescape") for topic in rankings.pairing.all_topics]
        for measure, parsed in self._over_subtopics.items():
            scores = evaluate(rankings, parsed, Conventions())
            for i in np.flatnonzero(scores.present).tolist():
                yield Metric(query_id=queries[i], measure=measure, value=float(scores.values[i]))


def _with_subtopics(qrels: Any) -> Qrels:
    """Qrels with the subtopics named by the iterations of ir_measures' judgements."""
    judged = qrels.as_namedtuple_iter()
    rows = [(of.query_id, getattr(of, "iteration", "0"), of.doc_id, of.relevance) for of in judged]
    columns = zip(("query", "subtopic", "docid", "rel"), zip(*rows, strict=True), strict=True)
    return qrels_from_columns(dict(columns), needs="subtopics")


#: The provider, registered with ir_measures.
crosscheck = providers.register(CrosscheckProvider())


# Python warns at every start about a line that fails, as it would once crosscheck is uninstalled.
_LINE = (
    "import sys; "
    r'exec("try: import crosscheck.ir_measures_hook as hook; hook.watch()\nexcept ImportError: pass")'
)


def command(name: str) -> int:
    """Write the ``.pth`` file of this environment, or remove it; the exit code is 0, or 2 if that cannot be
    done."""
    path = Path(sysconfig.get_path("purelib"), "crosscheck_ir_measures.pth")  # Python reads it at every start
    try:
        if name == "install":
            write_whole(str(path), _LINE + "\n")
        else:
            path.unlink(missing_ok=True)
    except OSError as error:
        sys.stderr.write(f"crosscheck: error: {error.filename}: {error.strerror}\n")
        return 2
    done = "ir_measures --provider crosscheck works now, through" if name == "install" else "removed"
    sys.stdout.write(f"{done} {path}\n")
    return 0


if __name__ == "__main__":
    if sys.argv[1:] in (["install"], ["uninstall"]):
        sys.exit(command(sys.argv[1]))

    from ir_measures.__main__ import main_cli

    main_cli()
