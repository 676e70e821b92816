"""The backend ``recorded:FILE``: saved values from a file, the output of ``trec_eval -q`` or ndeval, or
JSON."""

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path

from msgspec import Struct

from crosscheck.backends.base import Backend, BackendFactory, Description
from crosscheck.errors import BackendError, CrosscheckError
from crosscheck.formats.recorded import Recorded, read_recorded
from crosscheck.model import Measure, MeasureValues, Qrels, Run
from crosscheck.names import is_measure, parse_measure


class RecordedValues(Backend, Struct, frozen=True, dict=True):
    """The values of one file, which do not depend on the qrels and run of a comparison.

    Measures with unknown names are not supported. The file is read at the first use.

    Attributes:
        path: the file.
        name: id shown in reports; if None, the id is ``recorded:`` with the path.
    """

    path: str
    name: str | None = None

    isolated = False
    independent = False
    of_one_run = True

    @property
    def id(self) -> str:
        return self.name or f"recorded:{self.path}"

    @cached_property
    def _recorded(self) -> Recorded:
        return read_recorded(self.path, is_measure)

    @property
    def queries(self) -> frozenset[bytes]:
        """The queries with a value; empty if the file has only means."""
        return frozenset[bytes]().union(*self._recorded.values.values())

    @cached_property
    def _names(self) -> dict[Measure, str]:
        """Measure -> its name in the file.

        Raises:
            BackendError: two names in the file mean the same measure.
        """
        name_of: dict[Measure, str] = {}
        for name in filter(is_measure, {**self._recorded.values, **self._recorded.means}):
            measure = parse_measure(name)
            if measure in name_of:
                raise BackendError(f"{self.path} has {measure} twice, as {name_of[measure]} and as {name}")
            name_of[measure] = name
        return name_of

    @property
    def _engine(self) -> str:
        return f"recorded in {Path(self.path).name}"

    def describe(self) -> Description:
        try:
            reason = None if self._names else f"{self.path} has no measure that crosscheck knows"
        except CrosscheckError as error:
            reason = str(error)
        return self.description(reason, engine=self._engine)

    def supports(self, measure: Measure) -> bool:
        return measure in self._names

    def evaluate(self, qrels: Qrels, run: Run, measures: Sequence[Measure]) -> dict[Measure, MeasureValues]:
        """The values in the file; qrels and run are ignored."""
        saved = self._recorded

        def held(name: str) -> MeasureValues:
            values, mean = saved.values.get(name, {}), saved.means.get(name)
            return MeasureValues(values, mean, self._engine, saved.decimals[name], name=name)

        return {measure: held(self._names[measure]) for measure in measures}


FACTORY = BackendFactory(
    usage="recorded:FILE",
    summary="values that somebody saved: output of trec_eval -q or ndeval, or JSON {query: {measure: value}}",
    make=lambda argument, options: RecordedValues(argument or ""),
)
