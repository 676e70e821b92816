"""Values of many inputs under any conventions; those of one query each are computed together."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from crosscheck.compare import equal
from crosscheck.conventions import Conventions
from crosscheck.errors import CrosscheckError
from crosscheck.evaluation.rankings import Rankings
from crosscheck.evaluation.recomputer import Recomputer
from crosscheck.inputs.battery import TOP_LEVEL, company
from crosscheck.inputs.queries import COMPANY, Probe, Query, to_qrels, to_run
from crosscheck.inputs.realistic import highest_level
from crosscheck.model import BoolArray, FloatArray, Measure
from crosscheck.rankings.pairing import Memo

#: Tolerances: of double precision and, if that does not explain everything, of single precision.
TOLERANCES = (1e-9, 1e-6)


class Predictions:
    """Inputs, and their values under any conventions.

    The highest level of the qrels may matter, so only queries with the same highest level are computed
    together.
    """

    def __init__(self, probes: Sequence[Probe], measure: Measure) -> None:
        self.probes = probes
        self._apart: dict[int, Recomputer] = {}
        self._codes = Memo()
        of_level: dict[int, dict[int, Query]] = {}
        for i, probe in enumerate(probes):
            if (query := _single(probe)) is not None:
                of_level.setdefault(max(highest_level(probe), 0) or TOP_LEVEL, {})[i] = query
            else:
                self._apart[i] = Recomputer(Rankings(probe.run, probe.qrels), measure, Conventions())
        self._together: list[tuple[list[int], Recomputer, list[int]]] = []
        for level, queries in of_level.items():
            named = {f"p{i:05d}": query for i, query in queries.items()} | dict([company(level)])
            recomputer = Recomputer(Rankings(to_run(named), to_qrels(named)), measure, Conventions())
            place = {topic: i for i, topic in enumerate(recomputer.topics)}
            self._together.append((list(queries), recomputer, [place[f"p{i:05d}".encode()] for i in queries]))

    def codes(self, conventions: Conventions) -> FloatArray:
        """Numbers, one for each input, that are equal for values that cannot be told apart."""
        return self._codes.once(conventions, lambda: _codes(*self._predicted(conventions)))

    def _predicted(self, conventions: Conventions) -> tuple[FloatArray, BoolArray]:
        values = np.full(len(self.probes), np.nan)
        present = np.zeros(len(self.probes), np.bool_)
        for numbers, recomputer, places in self._together:
            if recomputer.possible(conventions):
                result = recomputer.evaluated(conventions)
                values[numbers], present[numbers] = result.values[places], result.present[places]
        for i, recomputer in self._apart.items():
            value = predicted(recomputer, conventions, self.probes[i].reads)
            if value is not None:
                values[i], present[i] = value, True
        return values, present


def predicted(situation: Recomputer, conventions: Conventions, reads: str | None) -> float | None:
    """The value of the query ``reads``, or the mean if that is None, under conventions; None for no value, as
    where nothing is judged or nothing retrieved."""
    pairing = situation.rankings.pairing
    if not pairing.run.topics or not pairing.qrels.topics:
        return None
    try:
        result = situation.evaluated(conventions)
    except CrosscheckError:
        return None
    if reads is None:
        return result.mean
    if reads.encode() not in situation.topics:
        return None
    i = situation.topics.index(reads.encode())
    return float(result.values[i]) if result.present[i] else None


def equal_numbers(
    expected: float | None, value: float | None, tolerance: float, decimals: int | None = None
) -> bool:
    """Whether two values are the same, by the rule that :func:`crosscheck.compare.equal` uses for
    arrays; None, for no value, is the same as None only.

    The tolerance is relative for values above 1. In single precision it is relative for all values: 0 is
    exact in every precision, and a small number added to all values is not a lack of precision.
    """
    if expected is None or value is None or expected == value:
        return expected == value
    scale = abs(expected) if tolerance > min(TOLERANCES) else max(1.0, abs(expected))
    slack = tolerance * scale if math.isfinite(scale) else tolerance
    if decimals is None:
        return abs(expected - value) <= slack or (math.isnan(expected) and math.isnan(value))
    return bool(equal(np.asarray([expected]), np.asarray([value]), slack, decimals)[0])


def _single(probe: Probe) -> Query | None:
    """The single query that the probe reads, None if it needs more than one."""
    if probe.reads is not None and {id for id, _ in probe.queries} <= {probe.reads, COMPANY}:
        return dict(probe.queries)[probe.reads]
    # The mean over one query is its value.
    if (
        probe.reads is None
        and len(probe.queries) == 1
        and probe.queries[0][1].lines
        and probe.queries[0][1].judged
    ):
        return probe.queries[0][1]
    return None


def _codes(values: FloatArray, present: BoolArray) -> FloatArray:
    codes = np.round(values, 8) + 0.0
    codes[np.isnan(values)] = np.inf
    codes[~present] = -np.inf
    return codes
