"""The experiments of an audit: which inputs there are to choose from, and when it is enough."""

from __future__ import annotations

import random
from collections.abc import Iterable
from dataclasses import dataclass

from crosscheck.auditing.asking import Subject
from crosscheck.auditing.axes import Axis, axes_of
from crosscheck.auditing.elimination import Elimination
from crosscheck.auditing.findings import fewest_changes
from crosscheck.auditing.pool import Pool
from crosscheck.auditing.probes import mean_probes, mixed_probes, query_probes
from crosscheck.conventions import Conventions

__all__ = ["TOLERANCES", "Searched", "searched"]

#: Absolute tolerances: of double precision and, where that explains not everything, of single precision.
TOLERANCES = (1e-9, 1e-6)
#: Mixed inputs to choose from; how often new ones are drawn; experiments that confirm the end.
_MIXED, _REDRAWS, _CONFIRMING = 80, 3, 8
#: How often what was discarded too early may come back.
_WIDENINGS = 4


@dataclass(frozen=True, slots=True)
class Searched:
    """The search when it is over, the axes that it was about, and the tolerance it compared within."""

    search: Elimination
    axes: list[Axis]
    tolerance: float


def searched(
    subject: Subject, base: Conventions, settled: Iterable[str], *, seed: int, values: bool, means: bool
) -> Searched:
    """The experiments, in double precision and, where that leaves something unexplained, in single.

    Args:
        base: the reference's conventions; settled: axes that the call settles.
        values, means: whether the metric gives values per query, and means.
    """
    tried: list[Searched] = []
    for tolerance in TOLERANCES:
        tried.append(_eliminated(subject, base, settled, tolerance, seed=seed, values=values, means=means))
        if not tried[-1].search.contradictions:
            break
    return tried[0] if tried[-1].search.contradictions else tried[-1]


def _eliminated(
    subject: Subject,
    base: Conventions,
    settled: Iterable[str],
    tolerance: float,
    *,
    seed: int,
    values: bool,
    means: bool,
) -> Searched:
    measure, rng = subject.measure, random.Random(seed)
    probes = [*query_probes(rng, measure.cutoff), *mixed_probes(rng, measure.cutoff, _MIXED)]
    if means:
        probes += mean_probes(rng, measure.cutoff)
    pool = Pool(probes, measure, means_only=not values)
    axes = axes_of(pool, measure, base, settled)
    search = Elimination(pool, axes, base, subject.observe, tolerance)
    search.run()
    for _ in range(_REDRAWS):
        if len(fewest_changes(search.possible, base, axes)) > 1:
            search.extend(list(mixed_probes(rng, measure.cutoff, _MIXED)))
            search.run()
    search.confirm(_CONFIRMING)
    for _ in range(_WIDENINGS):
        if search.unexplained or not search.widen():
            break
        search.run()
    return Searched(search, axes, tolerance)
