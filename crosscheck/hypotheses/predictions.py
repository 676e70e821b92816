"""Predictions of sets of conventions for probes; one evaluation answers for all probes of one query."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from msgspec.structs import replace

from crosscheck.compare import Aligned, align, coarser, equal
from crosscheck.conventions import Conventions
from crosscheck.errors import CrosscheckError
from crosscheck.evaluation.rankings import Rankings
from crosscheck.evaluation.recomputer import Recomputer
from crosscheck.hypotheses.evidence import Evidence
from crosscheck.hypotheses.screening import part_of
from crosscheck.model import BoolArray, FloatArray, IntArray, Measure, MeasureValues
from crosscheck.probes.fresh import highest_level
from crosscheck.probes.probe import COMPANY, Probe, Query, to_qrels, to_run
from crosscheck.probes.special import TOP_LEVEL, company
from crosscheck.rankings.memo import Memo

__all__ = ["TOLERANCES", "Observation", "Predictions", "Row", "answer_of", "equal_numbers", "native_answer"]

#: Tolerances: of double precision and, if that does not explain everything, of single precision.
TOLERANCES = (1e-9, 1e-6)


@dataclass(frozen=True, slots=True)
class Observation:
    """The result of one experiment.

    Attributes:
        value: the metric's value, None if there is none; error: the message if the metric failed.
        decimals: its number of printed decimals, None for full precision.
    """

    value: float | None
    error: str | None = None
    decimals: int | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Row:
    """Predictions of one set of conventions, one entry per probe.

    Attributes:
        values: the predicted values, NaN for no value; present: mask of the probes with a value.
        codes: numbers that are equal for predictions that cannot be distinguished.
    """

    values: FloatArray
    present: BoolArray
    codes: FloatArray


class Predictions:
    """Probes, and the predictions of sets of conventions for them.

    Attributes:
        several: mask of the probes that need more than one query; each such input is evaluated separately.

    Args:
        means_only: whether the metric gives only a mean; every probe then reads the mean of its queries.
    """

    def __init__(self, probes: Iterable[Probe], measure: Measure, *, means_only: bool = False) -> None:
        self.probes: list[Probe] = []
        self.measure = measure
        self._means_only = means_only
        self.extend(probes)

    def extend(self, probes: Iterable[Probe]) -> None:
        """Append probes; predictions are recomputed."""
        self.probes += [_by_mean(p) if self._means_only else p for p in probes]
        # The highest level of the qrels may matter, so one run holds only queries with the same highest
        # level.
        of_level: dict[int, dict[int, Query]] = {TOP_LEVEL: {}}
        apart: dict[int, Recomputer] = {}
        inputs: dict[tuple[tuple[str, Query], ...], Recomputer] = {}
        for i, probe in enumerate(self.probes):
            if (query := _single(probe)) is not None:
                of_level.setdefault(max(highest_level(probe), 0) or TOP_LEVEL, {})[i] = query
            else:
                if probe.queries not in inputs:
                    rankings = Rankings(probe.run, probe.qrels)
                    inputs[probe.queries] = Recomputer(rankings, self.measure, Conventions())
                apart[i] = inputs[probe.queries]
        self._together = [_Together.of(queries, level, self.measure) for level, queries in of_level.items()]
        self._apart = apart
        self._column = {i: (group, place) for group in self._together for i, place in group.columns.items()}
        self.several = np.zeros(len(self.probes), np.bool_)
        self.several[list(apart)] = True
        self._rows = Memo()

    @property
    def runs(self) -> list[Rankings]:
        """The inputs of the probes as rankings: the first ones each join many probes of a single query, the
        last ones each hold one probe of several queries."""
        return [
            one.rankings for one in (*(group.recomputer for group in self._together), *self._apart.values())
        ]

    def possible(self, conventions: Conventions) -> bool:
        """Whether the measure has values under these conventions."""
        return self._together[0].recomputer.possible(conventions)

    def row(self, conventions: Conventions, *, single: bool = False) -> Row:
        """The predictions of one set of conventions; with ``single``, only for probes of one query."""
        return self._rows.once((conventions, single), lambda: self._predicted(conventions, single))

    def _predicted(self, conventions: Conventions, single: bool) -> Row:
        values = np.full(len(self.probes), np.nan)
        present = np.zeros(len(self.probes), np.bool_)
        if self.possible(conventions):
            for group in self._together:
                result = group.recomputer.evaluated(conventions)
                probes, columns = group.places
                values[probes], present[probes] = result.values[columns], result.present[columns]
            for i, recomputer in () if single else self._apart.items():
                value = answer_of(recomputer, conventions, self.probes[i].reads)
                if value is not None:
                    values[i], present[i] = value, True
        return Row(values, present, _codes(values, present))

    def predicts(self, conventions: Conventions, probe: int, seen: Observation, tolerance: float) -> bool:
        """Whether conventions predict an observation."""
        return self.predicts_all(conventions, ((probe, seen),), tolerance)

    def predicts_all(
        self, conventions: Conventions, seen: Iterable[tuple[int, Observation]], tolerance: float
    ) -> bool:
        """Whether conventions predict all observations of some probes."""
        if not self.possible(conventions):
            return False
        for probe, observed in seen:
            if probe in self._apart:
                value = answer_of(self._apart[probe], conventions, self.probes[probe].reads)
            else:
                group, column = self._column[probe]
                result = group.recomputer.evaluated(conventions)
                value = float(result.values[column]) if result.present[column] else None
            if observed.value is None or value is None:
                if observed.value is not value:
                    return False
            elif not equal_numbers(value, observed.value, tolerance, observed.decimals):
                return False
        return True

    def evidence(
        self, seen: Iterable[tuple[int, Observation]], base: Conventions, tolerance: float
    ) -> list[Evidence]:
        """The observations of some probes as evidence, one piece per run. The first run holds most of the
        probes of a single query.

        Args:
            base: the conventions that changes are counted from.
        """
        outcomes = [(probe, observed) for probe, observed in seen if observed.error is None]
        found: list[Evidence] = []
        for group in self._together:
            own = {group.columns[i]: observed for i, observed in outcomes if i in group.columns}
            if own or not found:
                found.append(group.evidence(own, base, tolerance))
        of_inputs: dict[Recomputer, dict[str | None, Observation]] = {}
        for i, observed in outcomes:
            if i in self._apart:
                of_inputs.setdefault(self._apart[i], {})[self.probes[i].reads] = observed
        for one, answers in of_inputs.items():
            found.append(_of_several(replace(one, base=base), answers, tolerance))
        return found

    def codes(self, conventions: Sequence[Conventions], *, single: bool = False) -> FloatArray:
        """The codes of all predictions (see :class:`Row`), of shape (conventions, probes)."""
        return np.stack([self.row(c, single=single).codes for c in conventions])


class _Together(NamedTuple):
    """Probes of one query each, as one run.

    Attributes:
        columns: number of each probe -> index of its query among all topics; places: this mapping as an array
            of the numbers and an array of the indices.
    """

    recomputer: Recomputer
    columns: dict[int, int]
    places: tuple[IntArray, IntArray]

    @classmethod
    def of(cls, queries: Mapping[int, Query], level: int, measure: Measure) -> _Together:
        named = {f"p{i:05d}": query for i, query in queries.items()} | dict([company(level)])
        rankings = Rankings(to_run(named), to_qrels(named))
        place = {topic: i for i, topic in enumerate(rankings.pairing.all_topics)}
        columns = {i: place[f"p{i:05d}".encode()] for i in queries}
        places = np.array(list(columns), np.int64), np.array(list(columns.values()), np.int64)
        return cls(Recomputer(rankings, measure, Conventions()), columns, places)

    def evidence(self, seen: Mapping[int, Observation], base: Conventions, tolerance: float) -> Evidence:
        """The observations, by index of the query among all topics, as evidence on a run of these queries."""
        places = sorted(seen)
        values = [seen[place].value for place in places]
        numbers = np.array([np.nan if value is None else value for value in values], np.float64)
        present = np.array([value is not None for value in values], np.bool_)
        decimals = coarser(*(one.decimals for one in seen.values()))
        # Searches from several bases follow each other, and share one part.
        return Evidence(
            replace(self._part(places), base=base),
            Aligned(numbers, present, None, decimals),
            tolerance=tolerance,
        )

    def _part(self, places: Sequence[int]) -> Recomputer:
        rankings, measure = self.recomputer.rankings, self.recomputer.measure
        return rankings.kept.once(
            ("part", *places), lambda: Recomputer(part_of(rankings, places), measure, Conventions())
        )


def _of_several(recomputer: Recomputer, seen: Mapping[str | None, Observation], tolerance: float) -> Evidence:
    """The observations on one input with several queries as evidence.

    They are one piece of evidence, so that a value that two queries share counts as likelier by chance.

    Args:
        seen: the values by query id; the mean has the key None.
    """
    topics = recomputer.rankings.pairing.all_topics
    known = np.array([topic.decode() in seen for topic in topics], np.bool_)
    values = {id.encode(): one.value for id, one in seen.items() if id is not None and one.value is not None}
    mean = seen[None].value if None in seen else None
    decimals = coarser(*(one.decimals for one in seen.values()))
    observed = align(MeasureValues(values, mean, "", decimals), topics)
    return Evidence(recomputer, observed, judge_cells=bool(known.any()), tolerance=tolerance, known=known)


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


def _by_mean(probe: Probe) -> Probe:
    return Probe(probe.about, probe.queries, None)


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
