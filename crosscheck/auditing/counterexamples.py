"""Search for the smallest input on which one cause makes the metric differ from the reference."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from crosscheck.auditing.audited_metric import AuditedMetric
from crosscheck.auditing.behaviour import ORDINARY, PAST_THE_END
from crosscheck.conventions import Conventions
from crosscheck.evaluation.rankings import Rankings
from crosscheck.hypotheses.predictions import Observation, Predictions, equal_numbers, native_answer
from crosscheck.model import Measure
from crosscheck.probes.fresh import ordinary
from crosscheck.probes.probe import Probe
from crosscheck.probes.shrinking import smallest
from crosscheck.probes.small import several_queries, small_queries
from crosscheck.rankings.memo import Memo

__all__ = ["Found", "Hunt"]

#: Number of inputs tried per cutoff before another cutoff.
_TRIES = 16
#: Maximum number of calls while one input is made smaller.
_MOST_CALLS = 150


class Found(Struct, frozen=True):
    """A counterexample: the input, the measure, the reference's value, and the metric's value."""

    probe: Probe
    measure: Measure
    reference: float | None
    seen: Observation


class Hunt:
    """Search for counterexamples to one metric.

    Args:
        base: the reference's conventions; found: the metric's.
        probes: inputs of the audit, to shrink if no small input is enough.
        other_cutoffs: whether the metric can be asked for other cutoffs.
        values, means: whether the metric gives values per query, and means.
    """

    def __init__(
        self,
        subject: AuditedMetric,
        base: Conventions,
        found: Conventions,
        probes: Sequence[Probe],
        seed: int,
        *,
        tolerance: float,
        other_cutoffs: bool,
        values: bool,
        means: bool,
    ) -> None:
        self._subject, self._base, self._found, self._probes = subject, base, found, probes
        self._tolerance, self._other_cutoffs = tolerance, other_cutoffs
        self._reads = "1" if values else None
        self._seed = seed
        self._tried = Memo()
        self._several = [p for p in several_queries() if (means if p.reads is None else values)]

    @cached_property
    def _small(self) -> list[Probe]:
        return [Probe("", (("1", query),), self._reads) for query in small_queries(self._seed)]

    def of_axis(self, axis: str) -> Found | None:
        """The smallest input on which a change of this axis alone gives the metric's value; if there is none,
        one on which the change gives it together with the metric's other conventions."""
        alone = self._base.with_changes(**{axis: self._found.plain(axis)})
        without = self._found.with_changes(**{axis: self._base.plain(axis)})
        for before, after in ((self._base, alone), (without, self._found)):
            for measure in self._measures():
                for probe in self._candidates(measure, before, after):
                    found = self._checked(probe, measure, before, after)
                    if found is not None:
                        return found
            found = self._shrunk(before, after)
            if found is not None:
                return found
        return None

    def _measures(self) -> Iterator[Measure]:
        measure = self._subject.measure
        yield measure
        if measure.cutoff is not None and self._other_cutoffs:
            for cutoff in (1, 2, 3):
                other = replace(measure, cutoff=cutoff)
                if cutoff < measure.cutoff and self._subject.supports(other):
                    yield other

    def _candidates(self, measure: Measure, before: Conventions, after: Conventions) -> list[Probe]:
        """Small inputs on which ``before`` and ``after`` differ, but not ``after`` and the metric's
        conventions."""
        tried = self._tried.once(measure, lambda: Predictions([*self._small, *self._several], measure))
        base, one, all_ = map(tried.codes, (before, after, self._found))
        hits = np.flatnonzero((base != one) & (one == all_)).tolist()
        chosen = _diverse([tried.probes[i] for i in hits if i < len(self._small)])
        several = [tried.probes[i] for i in hits if i >= len(self._small)]
        chosen += several[: 2 * _TRIES - len(chosen)]
        return sorted(chosen, key=lambda probe: probe.size)[:_TRIES]

    def _natively(self, probe: Probe, measure: Measure, *conventions: Conventions) -> list[float | None]:
        run, qrels = probe.run, probe.qrels
        if not run.topics or not qrels.topics:
            return [None for _ in conventions]
        rankings = Rankings(run, qrels)
        return [native_answer(rankings, measure, c, probe.reads) for c in conventions]

    def _same(self, a: float | None, b: float | None, decimals: int | None = None) -> bool:
        if a is None or b is None:
            return a is b
        return equal_numbers(a, b, self._tolerance, decimals)

    def _checked(
        self, probe: Probe, measure: Measure, before: Conventions, after: Conventions
    ) -> Found | None:
        """The probe as a counterexample, if the metric has the value of ``after``; else None."""
        reference, other, one = self._natively(probe, measure, self._base, before, after)
        if self._same(other, one):
            return None
        seen = self._subject.observe(probe, measure)
        if seen.error is not None or self._same(reference, seen.value, seen.decimals):
            return None
        return Found(probe, measure, reference, seen) if self._same(one, seen.value, seen.decimals) else None

    def _shrunk(self, before: Conventions, after: Conventions) -> Found | None:
        """A counterexample from a probe of the audit, as small as possible while the two conventions
        differ."""
        measure = self._subject.measure
        of_audit = self._tried.once("audit", lambda: Predictions(self._probes, measure))
        base, one, all_ = map(of_audit.codes, (before, after, self._found))
        hits = np.flatnonzero((base != one) & (one == all_)).tolist()
        for index in sorted(hits, key=lambda i: self._probes[i].size)[:_TRIES]:
            probe = self._probes[index]

            def holds(smaller: Probe) -> bool:
                unchanged, changed, full = self._natively(smaller, measure, before, after, self._found)
                return not self._same(unchanged, changed) and self._same(changed, full)

            if not holds(probe):
                continue
            found = self._checked(smallest(probe, holds), measure, before, after)
            if found is not None:
                return found
        return None

    def as_it_is(self, probe: Probe) -> Found:
        """The counterexample on a probe that is already small enough."""
        measure = self._subject.measure
        reference = self._natively(probe, measure, self._base)[0]
        return Found(probe, measure, reference, self._subject.observe(probe, measure))

    def past_the_end(self) -> Found | None:
        """An input on which neither the reference's nor the metric's conventions predict the metric's value
        at a cutoff above the number of documents."""
        if self._subject.measure.cutoff is None or not self._other_cutoffs:
            return None
        measure = replace(self._subject.measure, cutoff=PAST_THE_END)
        if not self._subject.supports(measure):
            return None
        probe = Probe("k past the end", (("1", ORDINARY),), self._reads)
        reference, full = self._natively(probe, measure, self._base, self._found)
        seen = self._subject.observe(probe, measure)
        if seen.value is None or any(
            self._same(value, seen.value, seen.decimals) for value in (reference, full)
        ):
            return None
        return Found(probe, measure, reference, seen)

    def of_nothing_known(self, probes: Iterable[Probe]) -> Found | None:
        """The smallest input on which neither the reference's nor the metric's conventions predict its
        value."""
        measure = self._subject.measure

        def unpredicted(probe: Probe) -> Found | None:
            values = self._natively(probe, measure, self._base, self._found)
            seen = self._subject.observe(probe, measure)
            if seen.error is not None or any(self._same(v, seen.value, seen.decimals) for v in values):
                return None
            return Found(probe, measure, values[0], seen)

        return _smallest_found(sorted(probes, key=lambda probe: probe.size)[:2], unpredicted)

    def of_refusal(self, probes: Iterable[Probe]) -> Found | None:
        """The smallest ordinary input for which the metric has no value and the reference has one."""
        measure = self._subject.measure

        def refused(probe: Probe) -> Found | None:
            if not ordinary(probe):
                return None
            reference = self._natively(probe, measure, self._base)[0]
            seen = self._subject.observe(probe, measure)
            return (
                None
                if reference is None or seen.value is not None
                else Found(probe, measure, reference, seen)
            )

        probe = min(probes, key=lambda probe: probe.size)
        reads = probe.reads or (probe.queries[0][0] if len(probe.queries) == 1 else None)
        return _smallest_found([replace(probe, reads=reads)], refused)


def _smallest_found(probes: Iterable[Probe], find: Callable[[Probe], Found | None]) -> Found | None:
    """The counterexample on the smallest input that some probe can be reduced to, within a budget of
    calls."""
    calls = 0
    best: Found | None = None

    def holds(probe: Probe) -> bool:
        nonlocal calls, best
        calls += 1
        found = find(probe) if calls <= _MOST_CALLS else None
        if found is not None and (best is None or probe.size <= best.probe.size):
            best = found
        return found is not None

    for probe in probes:
        if holds(probe):
            smallest(probe, holds)
    return best


def _diverse(probes: Sequence[Probe]) -> list[Probe]:
    """The first two probes of each size, number of documents and highest level: a metric may refuse a single
    document, or support one highest level only."""
    kinds: dict[tuple[int, int, int], list[Probe]] = {}
    for probe in probes:
        query = probe.queries[0][1]
        kind = probe.size, len(query.lines), max(level for _, level in query.judged)
        kinds.setdefault(kind, []).append(probe)
    return [probe for some in kinds.values() for probe in some[:2]][:_TRIES]
