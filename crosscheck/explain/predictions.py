"""Values of many inputs under any conventions; those of one query each are computed together."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from msgspec import Struct

from crosscheck.compare import equal
from crosscheck.conventions import Conventions
from crosscheck.errors import CrosscheckError
from crosscheck.evaluation.rankings import Rankings
from crosscheck.evaluation.recomputer import Recomputer
from crosscheck.inputs.battery import TOP_LEVEL, company
from crosscheck.inputs.queries import COMPANY, Probe, Query, to_qrels, to_run
from crosscheck.inputs.realistic import highest_level
from crosscheck.model import BoolArray, FloatArray, Measure
from crosscheck.rankings.memo import Memo

#: Tolerances: of double precision and, if that does not explain everything, of single precision.
TOLERANCES = (1e-9, 1e-6)


class Observation(Struct, frozen=True):
    """The result of one experiment.

    Attributes:
        value: the metric's value, None if there is none; error: the message if the metric failed.
        decimals: its number of printed decimals, None for full precision.
    """

    value: float | None
    error: str | None = None
    decimals: int | None = None


class Predictions:
    """Inputs, and their values under any conventions.

    The highest level of the qrels may matter, so only queries with the same highest level are computed
    together.
    """

    def __init__(self, probes: Sequence[Probe], measure: Measure) -> None:
        self.probes = probes
        self._apart: dict[int, Recomputer] = {}
        self._rows = Memo()
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

    @property
    def runs(self) -> list[Rankings]:
        """The inputs as rankings: the first ones each join many of a single query."""
        return [one.rankings for one in (*(of for _, of, _ in self._together), *self._apart.values())]

    def codes(self, conventions: Conventions) -> FloatArray:
        """Numbers, one for each input, that are equal for values that cannot be told apart."""
        return _codes(*self.row(conventions))

    def row(self, conventions: Conventions) -> tuple[FloatArray, BoolArray]:
        """The value of each input, NaN for none, and which have one."""
        return self._rows.once(conventions, lambda: self._predicted(conventions))

    def _predicted(self, conventions: Conventions) -> tuple[FloatArray, BoolArray]:
        values = np.full(len(self.probes), np.nan)
        present = np.zeros(len(self.probes), np.bool_)
        for numbers, recomputer, places in self._together:
            if recomputer.possible(conventions):
                result = recomputer.evaluated(conventions)
                values[numbers], present[numbers] = result.values[places], result.present[places]
        for i, recomputer in self._apart.items():
            value = answer_of(recomputer, conventions, self.probes[i].reads)
            if value is not None:
                values[i], present[i] = value, True
        return values, present


def native_answer(
    rankings: Rankings, measure: Measure, conventions: Conventions, reads: str | None
) -> float | None:
    """The value of the query ``reads``, or the mean if that is None, under conventions; None for no value."""
    return answer_of(Recomputer(rankings, measure, conventions), conventions, reads)


def answer_of(situation: Recomputer, conventions: Conventions, reads: str | None) -> float | None:
    """As :func:`native_answer`, from a recomputer, which caches results for several sets of conventions."""
    try:
        result = situation.evaluated(conventions)
    except CrosscheckError:
        return None
    if reads is None:
        return result.mean
    all_topics = situation.rankings.pairing.all_topics
    if reads.encode() not in all_topics:
        return None
    i = all_topics.index(reads.encode())
    return float(result.values[i]) if result.present[i] else None


def equal_numbers(expected: float, value: float, tolerance: float, decimals: int | None) -> bool:
    """Whether two values are the same, by the rule that :func:`crosscheck.compare.equal` uses for
    arrays.

    The tolerance is relative for values above 1. In single precision it is relative for all values: 0 is
    exact in every precision, and a small number added to all values is not a lack of precision.
    """
    if expected == value:
        return True
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
