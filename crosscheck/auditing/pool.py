"""What every set of conventions predicts for every probe; one evaluation answers for all queries at once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from crosscheck.auditing.inputs import Probe, Query, to_qrels, to_run
from crosscheck.auditing.probes import company
from crosscheck.compare.differ import equal
from crosscheck.conventions import Conventions
from crosscheck.errors import CrosscheckError
from crosscheck.measures.evaluate import evaluate
from crosscheck.model import BoolArray, FloatArray, IntArray, Measure
from crosscheck.rankings.judged import Rankings

__all__ = ["Observation", "Pool", "Row", "native_answer"]


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
        self._name: dict[int, bytes] = {}
        for i, probe in enumerate(self.probes):
            query = _single(probe)
            if query is not None:
                together[f"p{i:05d}"] = query
                self._name[i] = f"p{i:05d}".encode()
        self.rankings = Rankings(to_run(together), to_qrels(together))
        place = {topic: i for i, topic in enumerate(self.rankings.pairing.universe)}
        self._column: IntArray = np.array([place[name] for name in self._name.values()], np.int64)
        self._target: IntArray = np.array(list(self._name), np.int64)
        self._others = {i: Rankings(p.run, p.qrels) for i, p in enumerate(self.probes) if i not in self._name}
        self._rows: dict[Conventions, Row] = {}

    def row(self, conventions: Conventions) -> Row:
        """The predictions of one set of conventions."""
        if conventions not in self._rows:
            self._rows[conventions] = self._predicted(conventions)
        return self._rows[conventions]

    def _predicted(self, conventions: Conventions) -> Row:
        values = np.full(len(self.probes), np.nan)
        present = np.zeros(len(self.probes), np.bool_)
        result = evaluate(self.rankings, self.measure, conventions)
        values[self._target] = result.values[self._column]
        present[self._target] = result.present[self._column]
        for i, rankings in self._others.items():
            reads = self.probes[i].reads
            value = native_answer(rankings, self.measure, conventions, reads)
            if value is not None:
                values[i], present[i] = value, True
        return Row(values, present, _codes(values, present))

    def predicts(self, conventions: Conventions, probe: int, seen: Observation, tolerance: float) -> bool:
        """Whether conventions predict what was seen."""
        row = self.row(conventions)
        if seen.value is None or not row.present[probe]:
            return seen.value is None and not row.present[probe]
        return bool(equal(row.values[[probe]], np.asarray([seen.value]), tolerance, seen.decimals)[0])

    def codes(self, conventions: Sequence[Conventions]) -> FloatArray:
        """Shape (conventions, probes): equal where predictions cannot be told apart."""
        return np.stack([self.row(c).codes for c in conventions])


def native_answer(
    rankings: Rankings, measure: Measure, conventions: Conventions, reads: str | None
) -> float | None:
    """The value of the query that is read, or the mean; None where there is none."""
    try:
        result = evaluate(rankings, measure, conventions)
    except CrosscheckError:
        return None
    if reads is None:
        return result.mean
    universe = rankings.pairing.universe
    if reads.encode() not in universe:
        return None
    i = universe.index(reads.encode())
    return float(result.values[i]) if result.present[i] else None


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
