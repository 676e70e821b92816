"""The experiments of an audit: the inputs to choose from, and the end of the search."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from enum import Enum, auto
from typing import NamedTuple

import numpy as np

from crosscheck.auditing.audited_metric import AuditedMetric
from crosscheck.auditing.axes import Axis, axes_of
from crosscheck.auditing.elimination import MOST_UNEXPLAINED, Elimination, Experiment
from crosscheck.auditing.hypothesis_ranking import fewest_changes
from crosscheck.auditing.needs import Needs
from crosscheck.axes.ideal import IDEAL
from crosscheck.axes.judged_depth import JUDGED_DEPTH
from crosscheck.axes.max_grade import MAX_GRADE
from crosscheck.axes.rr_of import RR_OF
from crosscheck.conventions import Conventions
from crosscheck.hypotheses.predictions import TOLERANCES, Observation, Predictions
from crosscheck.measures import family
from crosscheck.model import Measure
from crosscheck.probes.probe import Probe
from crosscheck.probes.special import (
    ABOVE_ALL,
    judged_deep_probes,
    level_probes,
    mean_probes,
    mixed_probes,
    query_probes,
)

__all__ = ["Searched", "Untied", "searched"]

#: Number of mixed inputs to choose from; number of times new ones are drawn; number of confirming experiments
#: at the end.
_MIXED, _REDRAWS, _CONFIRMING = 80, 3, 8
#: Maximum number of times that sets discarded too early are restored.
_WIDENINGS = 4
#: Lists up to this length may be too short for a metric to give a value.
_SHORT = 2


class Untied(Enum):
    """A restriction to inputs without ties: the precision in which no two scores of a query may be equal."""

    DOUBLE = auto()
    SINGLE = auto()

    def allows(self, probe: Probe) -> bool:
        """Whether an input has no ties."""
        kind = np.float64 if self is Untied.DOUBLE else np.float32
        return all(
            len({float(kind(line.score)) for line in query.lines}) == len(query.lines)
            for _, query in probe.queries
        )


class Searched(NamedTuple):
    """A finished search, with its axes and its tolerance."""

    search: Elimination
    axes: list[Axis]
    tolerance: float


def searched(
    subject: AuditedMetric,
    base: Conventions,
    settled: Iterable[str],
    *,
    seed: int,
    values: bool,
    means: bool,
    untied: Untied | None = None,
) -> Searched:
    """Make the experiments with the tolerance of double precision and, if unexplained values are nearly
    right, of single precision; the search with the smallest share of contradictions is returned.

    Args:
        base: the reference's conventions; settled: axes fixed by the call.
        values, means: whether the metric gives values per query, and means.
        untied: use only inputs without ties in this precision, until one contradicts all sets of conventions.
    """
    tried: list[Searched] = []
    observe: Callable[[Probe], Observation] = subject.observe

    def eliminated(tolerance: float) -> Searched:
        return _eliminated(
            observe,
            subject.measure,
            base,
            settled,
            tolerance,
            seed,
            values=values,
            means=means,
            untied=untied,
            needs=subject.needs,
        )

    for tolerance in TOLERANCES:
        done = eliminated(tolerance)
        # Conventions that explain missing values by coincidence are useless if they contradict other values.
        search = done.search
        withheld = search.experiments if search.contradictions else search.unexplained
        short = max(map(_withheld_lines, withheld), default=0)
        if 0 < short <= _SHORT:
            observe = _refusing(subject.observe, short)
            done = eliminated(tolerance)
        tried.append(done)
        if not (done.search.contradictions and done.search.near):
            break
    return min(tried, key=_contradicted)


def _contradicted(done: Searched) -> float:
    """The share of experiments with a value that no set of conventions predicts."""
    return len(done.search.contradictions) / max(len(done.search.experiments), 1)


def _only(untied: Untied | None, needs: Needs, probes: Iterable[Probe]) -> list[Probe]:
    """The probes, changed to meet the metric's needs; with ``untied``, only the probes without ties."""
    return [needs.given(probe) for probe in probes if untied is None or untied.allows(probe)]


def _lines(probe: Probe) -> int:
    """Number of documents retrieved for the query that the probe reads; 0 if it reads the mean."""
    return 0 if probe.reads is None else len(dict(probe.queries)[probe.reads].lines)


def _withheld_lines(experiment: Experiment) -> int:
    """Length of the list for which an experiment gave no value; 0 if it gave one."""
    return 0 if experiment.seen.value is not None else _lines(experiment.probe)


def _refusing(observe: Callable[[Probe], Observation], most: int) -> Callable[[Probe], Observation]:
    """``observe`` with a missing value for a list of at most ``most`` documents as an error, which shows
    nothing about conventions."""

    def asked(probe: Probe) -> Observation:
        seen = observe(probe)
        if seen.value is None and seen.error is None and 0 < _lines(probe) <= most:
            return Observation(None, f"no value for a list of {_lines(probe)}")
        return seen

    return asked


def _eliminated(
    observe: Callable[[Probe], Observation],
    measure: Measure,
    base: Conventions,
    settled: Iterable[str],
    tolerance: float,
    seed: int,
    *,
    values: bool,
    means: bool,
    untied: Untied | None,
    needs: Needs,
) -> Searched:
    rng = random.Random(seed)
    probes = [*query_probes(rng, measure.cutoff), *mixed_probes(rng, measure.cutoff, _MIXED)]
    reads = family(measure.family).reads
    # An ideal list of the highest level may use it as a constant.
    if (RR_OF in reads or MAX_GRADE in reads) and IDEAL not in reads:
        probes += level_probes(rng, measure.cutoff, alone=False)
        if MAX_GRADE in reads:
            probes += level_probes(rng, measure.cutoff, alone=True)
    if JUDGED_DEPTH in reads:
        probes += judged_deep_probes(rng)
    if means:
        probes += mean_probes(rng, measure.cutoff)
    predictions = Predictions(_only(untied, needs, probes), measure, means_only=not values)
    axes = axes_of(predictions.runs, measure, base, settled, above=ABOVE_ALL)
    patience = MOST_UNEXPLAINED if untied is None else 1
    search = Elimination(predictions, axes, base, observe, tolerance, patience)
    search.run()
    for _ in range(_REDRAWS):
        if len(fewest_changes(search.possible, base, axes)) > 1:
            search.extend(_only(untied, needs, mixed_probes(rng, measure.cutoff, _MIXED)))
            search.run()
    if len(search.contradictions) < patience:
        search.confirm(_CONFIRMING)
    for _ in range(_WIDENINGS):
        if search.unexplained or not search.widen():
            break
        search.run()
    if not search.contradictions:
        search.secure(fewest_changes(search.possible, base, axes)[0])
    return Searched(search, axes, tolerance)
