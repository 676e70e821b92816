"""A provider for the package ir_measures: crosscheck's native measures under ir_measures' interface.

ir_measures finds providers in a registry that a provider enters when its module is imported; it has no entry
points for packages of others. So this module must be imported by somebody:

- In Python: ``from crosscheck.ir_measures_provider import crosscheck`` and then
  ``crosscheck.calc_aggregate(measures, qrels, run)``, or ``ir_measures.providers.registry["crosscheck"]``.
  ``ir_measures.calc_aggregate`` goes on asking its own list of providers.
- ``ir_measures --provider crosscheck ...`` knows the name only if the import has happened before:
  ``python -m crosscheck.ir_measures_provider --provider crosscheck QRELS RUN MEASURE...`` imports this module
  and runs the command ``ir_measures``. A ``sitecustomize.py`` or ``.pth`` file with
  ``import crosscheck.ir_measures_provider`` makes the plain command know it as well.

Ranks are trec_eval's for every measure: scores compared as float32, ties by descending docno. Other providers
order ties in other ways, so their numbers can differ where scores are tied.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np
from ir_measures import providers
from ir_measures.util import Metric, QrelsConverter, RunConverter

from crosscheck.conventions import Conventions, Unjudged
from crosscheck.errors import UnknownMeasure
from crosscheck.measures import family
from crosscheck.measures.evaluate import effective
from crosscheck.model import Measure
from crosscheck.names import parse_measure
from crosscheck.rankings.judged import without_unjudged
from crosscheck.rankings.score_dicts import DictPool

__all__ = ["CrosscheckProvider", "crosscheck"]


class CrosscheckProvider(providers.Provider):  # type: ignore[misc]  # ir_measures is not typed
    """Every measure of ir_measures that crosscheck has, under its name ``crosscheck``."""

    NAME = "crosscheck"

    def supports(self, measure: Any) -> bool:
        """Whether crosscheck has the measure with these parameters."""
        measure.validate_params()
        try:
            parse_measure(str(measure))
        except UnknownMeasure:
            return False
        return True

    def _evaluator(self, measures: Iterable[Any], qrels: Any) -> _Evaluator:
        wanted = list(measures)
        parsed: dict[Any, Measure] = {}
        for measure in wanted:
            measure.validate_params()
            try:
                parsed[measure] = parse_measure(str(measure))
            except UnknownMeasure as error:
                raise ValueError(f"unsupported measure {measure}: {error}") from None
        return _Evaluator(wanted, parsed, QrelsConverter(qrels).as_dict_of_dict())


class _Evaluator(providers.Evaluator):  # type: ignore[misc]
    """Judgements and measures, for any number of runs."""

    def __init__(
        self, measures: list[Any], parsed: Mapping[Any, Measure], qrels: Mapping[str, Mapping[str, int]]
    ) -> None:
        super().__init__(measures, set(qrels))
        self._parsed = parsed
        self._pool = DictPool(qrels)

    def _iter_calc(self, run: Any) -> Iterator[Any]:
        queries, judged = self._pool.judged(RunConverter(run).as_dict_of_dict())
        judged_only = without_unjudged(judged)
        for measure, parsed in self._parsed.items():
            conventions = effective(Conventions(), parsed)
            rankings = judged_only if conventions.unjudged is Unjudged.REMOVED else judged
            with np.errstate(all="ignore"):
                values = family(parsed.family).compute(rankings, conventions, parsed)
            for query, value in zip(queries, values.tolist(), strict=True):
                yield Metric(query_id=query, measure=measure, value=value)


#: The provider, registered with ir_measures.
crosscheck = providers.register(CrosscheckProvider())


if __name__ == "__main__":
    from ir_measures.__main__ import main_cli

    main_cli()
