"""What every set of conventions predicts for every probe; one evaluation answers for all queries at once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from crosscheck.auditing.inputs import Probe, Query, to_qrels, to_run
from crosscheck.auditing.probes import company
from crosscheck.compare.differ import equal
from crosscheck.conventions import Conventions
from crosscheck.diagnosis.base import Situation
from crosscheck.errors import CrosscheckError
from crosscheck.model import BoolArray, FloatArray, Measure
from crosscheck.rankings.judged import Rankings

__all__ = ["Observation", "Pool", "Row", "answer_of", "equal_numbers", "native_answer"]


@dataclass(frozen=True, slots=True)
class Observation:
    """What came of one experiment.

    Attributes:
        value: the number, None where there is none; error: what went wrong instead.
        decimals: decimals that it was printed with, None for full precision.
    """

    value: float | None
    error: str | None = None
    decimals: int | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Row:
    """Predictions of one set of conventions, one entry per probe.

    Attributes:
        values: NaN where there is no value; present: whether there is one.
        codes: equal for predictions that cannot be told apart.
    """

    values: FloatArray
    present: BoolArray
    codes: FloatArray


class Pool:
    """Probes, and what sets of conventions predict for them.

    Args:
        means_only: the metric gives nothing but a mean, so that a query is looked at alone, by its mean.
    """

    def __init__(self, probes: Iterable[Probe], measure: Measure, *, means_only: bool = False) -> None:
        self.probes: list[Probe] = []
        self.measure = measure
        self._means_only = means_only
        self.extend(probes)

    def extend(self, probes: Iterable[Probe]) -> None:
        """Add probes behind those that are there; predictions are made anew."""
        self.probes += [_by_mean(p) if self._means_only else p for p in probes]
        together: dict[str, Query] = dict([company()])
        names: dict[int, str] = {}
        for i, probe in enumerate(self.probes):
            query = _single(probe)
            if query is not None:
                names[i] = f"p{i:05d}"
                together[names[i]] = query
        self.rankings = Rankings(to_run(together), to_qrels(together))
        place = {topic: i for i, topic in enumerate(self.rankings.pairing.universe)}
        self._column = {i: place[name.encode()] for i, name in names.items()}
        self._together = Situation(self.rankings, self.measure, Conventions())
        self._apart = {
            i: Situation(Rankings(probe.run, probe.qrels), self.measure, Conventions())
            for i, probe in enumerate(self.probes)
            if i not in names
        }
        self._rows: dict[Conventions, Row] = {}

    def row(self, conventions: Conventions) -> Row:
        """The predictions of one set of conventions."""
        if conventions not in self._rows:
            self._rows[conventions] = self._predicted(conventions)
        return self._rows[conventions]

    def _predicted(self, conventions: Conventions) -> Row:
        values = np.full(len(self.probes), np.nan)
        present = np.zeros(len(self.probes), np.bool_)
        result = self._together.evaluated(conventions)
        probes, columns = list(self._column), list(self._column.values())
        values[probes] = result.values[columns]
        present[probes] = result.present[columns]
        for i in self._apart:
            value = self._value(conventions, i)
            if value is not None:
                values[i], present[i] = value, True
        return Row(values, present, _codes(values, present))

    def _value(self, conventions: Conventions, probe: int) -> float | None:
        """The prediction for one probe, None for no value; no other probe that stands apart is computed."""
        if probe in self._apart:
            return answer_of(self._apart[probe], conventions, self.probes[probe].reads)
        result, column = self._together.evaluated(conventions), self._column[probe]
        return float(result.values[column]) if result.present[column] else None

    def predicts(self, conventions: Conventions, probe: int, seen: Observation, tolerance: float) -> bool:
        """Whether conventions predict what was seen."""
        value = self._value(conventions, probe)
        if seen.value is None or value is None:
            return seen.value is None and value is None
        return equal_numbers(value, seen.value, tolerance, seen.decimals)

    def codes(self, conventions: Sequence[Conventions]) -> FloatArray:
        """Shape (conventions, probes): equal where predictions cannot be told apart."""
        return np.stack([self.row(c).codes for c in conventions])


def native_answer(
    rankings: Rankings, measure: Measure, conventions: Conventions, reads: str | None
) -> float | None:
    """The value of the query that is read, or the mean; None where there is none."""
    return answer_of(Situation(rankings, measure, conventions), conventions, reads)


def answer_of(situation: Situation, conventions: Conventions, reads: str | None) -> float | None:
    """:func:`native_answer` where more than one set of conventions is asked about."""
    try:
        result = situation.evaluated(conventions)
    except CrosscheckError:
        return None
    if reads is None:
        return result.mean
    universe = situation.rankings.pairing.universe
    if reads.encode() not in universe:
        return None
    i = universe.index(reads.encode())
    return float(result.values[i]) if result.present[i] else None


def equal_numbers(a: float, b: float, tolerance: float, decimals: int | None) -> bool:
    """Whether two values are the same, as :func:`crosscheck.compare.differ.equal` says of arrays."""
    return bool(equal(np.asarray([a]), np.asarray([b]), tolerance, decimals)[0])


def _by_mean(probe: Probe) -> Probe:
    return Probe(probe.about, probe.queries, None)


def _single(probe: Probe) -> Query | None:
    """The query whose value is what the probe looks at, None where that takes more than one."""
    if probe.reads is not None:
        return dict(probe.queries)[probe.reads]
    # The mean over one query is its value.
    if len(probe.queries) == 1 and probe.queries[0][1].lines and probe.queries[0][1].judged:
        return probe.queries[0][1]
    return None


def _codes(values: FloatArray, present: BoolArray) -> FloatArray:
    codes = np.round(values, 8) + 0.0
    codes[np.isnan(values)] = np.inf
    codes[~present] = -np.inf
    return codes
