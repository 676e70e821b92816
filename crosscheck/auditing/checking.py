"""Check of the inferred conventions on fresh inputs."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from ctypes import c_float
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

from crosscheck.auditing.audited_metric import AuditedMetric
from crosscheck.axes.ids import IDS, Ids
from crosscheck.axes.rounding import ROUNDING
from crosscheck.conventions import Conventions
from crosscheck.errors import BackendError, CrosscheckError
from crosscheck.evaluation.rankings import Rankings
from crosscheck.evaluation.recomputer import Recomputer
from crosscheck.hypotheses.predictions import TOLERANCES, equal_numbers
from crosscheck.model import Measure, MeasureValues
from crosscheck.probes.fresh import SIMILAR_IDS, ordinary
from crosscheck.probes.probe import Probe

__all__ = ["Asked", "Checked", "Refusal", "ask", "check", "holds", "upheld"]

#: The relative error of one number in single precision; number of values that show a direction of errors.
_ROUNDED, _MANY = 2.0**-24, 20
#: Error, in units of the last decimal, of a value that lies in the middle between two.
_MIDDLE = 1e-6


@dataclass(frozen=True, eq=False)
class Asked:
    """An input and the metric's answer, with all of its queries in one call.

    Attributes:
        measure: the measure that was requested.
    """

    probe: Probe
    answer: MeasureValues | BackendError
    measure: Measure

    @cached_property
    def recomputer(self) -> Recomputer:
        """The measure on this input, under any conventions."""
        return Recomputer(Rankings(self.probe.run, self.probe.qrels), self.measure, Conventions())


class Refusal(NamedTuple):
    """An input without a value, and the metric's message instead."""

    probe: Probe
    said: str


@dataclass(frozen=True, slots=True)
class Checked:
    """The results on fresh inputs.

    Attributes:
        inputs: number of compared values, one per query or per mean; met: number of values that the
            conventions predict.
        differs: inputs with a value that the conventions do not predict, without those in ``leaks``.
        leaks: inputs with such a value, whose queries have the predicted value when each is evaluated alone.
        refused: ordinary inputs that got no value; withheld: inputs out of the ordinary that got none.
        tolerance: tolerance of the comparisons.
    """

    inputs: int
    met: int
    differs: list[Probe]
    leaks: list[Probe]
    refused: list[Refusal]
    withheld: list[Refusal]
    tolerance: float

    @property
    def all_met(self) -> bool:
        """Whether every input got the values that the conventions predict."""
        return not (self.differs or self.leaks or self.refused or self.withheld)


class _Compared(NamedTuple):
    """One value: the input that reads it, the predicted value, and the value of the metric."""

    probe: Probe
    ours: float | None
    theirs: float | None
    decimals: int | None
    query_by_query: bool

    def same(self, tolerance: float) -> bool:
        if self.ours is None or self.theirs is None:
            return self.ours is self.theirs
        if tolerance > min(TOLERANCES):  # errors of single precision add up along a list
            lines = max(len(query.lines) for _, query in self.probe.queries)
            tolerance *= max(1.0, math.sqrt(lines) / 8)
        return equal_numbers(self.ours, self.theirs, tolerance, self.decimals)


def ask(subject: AuditedMetric, probes: Iterable[Probe]) -> list[Asked]:
    """The metric's answers to some inputs, from one call each."""
    return [Asked(probe, subject.answer(probe.qrels, probe.run), subject.measure) for probe in probes]


def holds(asked: Iterable[Asked], found: Conventions, tolerance: float) -> bool:
    """Whether conventions predict every value of the metric. On ordinary inputs a value that the metric did
    not give must be predicted as missing, too."""
    return all(
        value.same(tolerance) or (value.theirs is None and not ordinary(value.probe))
        for one in asked
        for value in _values(one, found)
    )


def upheld(asked: Sequence[Asked], found: Conventions, base: Conventions, tolerance: float) -> Conventions:
    """The conventions without each change from ``base`` that most of the values it affects contradict."""
    for name in found.changes_from(base):
        without = found.as_in(base, name)
        met = [
            value.same(tolerance)
            for one in asked
            for value, other in zip(_values(one, found), _values(one, without), strict=False)
            if value.theirs is not None and not other._replace(theirs=value.ours).same(tolerance)
        ]
        found = without if 2 * sum(met) < len(met) else found
    return found


def check(subject: AuditedMetric, asked: Iterable[Asked], found: Conventions, tolerance: float) -> Checked:
    """Compare the metric's answers with the predictions of conventions: the value of every query, and the
    mean.

    Args:
        subject: called again with single queries of an input that it refuses or whose value differs.
        found: the metric's conventions.
        tolerance: tolerance of the experiments; a wider one is used if fewer values differ then. But values
            that are all too low, or all too high, do not come from a lack of precision.
    """
    compared: list[_Compared] = []
    refused: list[Refusal] = []
    for one in asked:
        if isinstance(one.answer, BackendError):
            guilty = next(_refusing(subject, one.probe), one.probe)
            refused.append(Refusal(guilty, one.answer.message.splitlines()[0]))
        else:
            for value in _values(one, found):
                if value.theirs is None and value.ours is not None:
                    refused.append(Refusal(value.probe, "it gives no value"))
                elif value.ours is not None or value.theirs is not None:
                    compared.append(value)
    wider = [t for t in TOLERANCES if t >= tolerance]
    tolerance = min(wider, key=lambda t: sum(not value.same(t) for value in compared))
    if tolerance > min(TOLERANCES) and _one_sided(compared):
        tolerance = min(TOLERANCES)
    wrong = [value for value in compared if not value.same(tolerance)]
    leaks = [value.probe for value in wrong if _leaks(subject, value, found, tolerance)]
    return Checked(
        inputs=len(compared),
        met=len(compared) - len(wrong),
        differs=[value.probe for value in wrong if value.probe not in leaks],
        leaks=leaks,
        refused=[refusal for refusal in refused if ordinary(refusal.probe)],
        withheld=[refusal for refusal in refused if not ordinary(refusal.probe)],
        tolerance=tolerance,
    )


def _one_sided(compared: Iterable[_Compared]) -> bool:
    """Whether many values are off, all in the same direction, and not because single precision rounded them,
    as when a small number was added to a denominator."""
    off = [
        value.theirs > value.ours
        for value in compared
        if value.theirs is not None
        and value.ours is not None
        and not value.same(min(TOLERANCES))
        and (
            abs(value.theirs - value.ours) > _ROUNDED * abs(value.ours)
            or (value.probe.reads is not None and c_float(value.theirs).value != value.theirs)
        )
    ]
    return len(off) >= _MANY and len(set(off)) == 1


def _refusing(subject: AuditedMetric, probe: Probe) -> Iterator[Probe]:
    """Each query of an input with several queries that the metric also refuses alone, as an input."""
    if len(probe.queries) > 1:
        for query in probe.queries:
            alone = replace(probe, queries=(query,))
            if isinstance(subject.answer(alone.qrels, alone.run), BackendError):
                yield alone


def _values(asked: Asked, found: Conventions) -> Iterator[_Compared]:
    """Each value of the metric with its prediction; nothing if metric or conventions refuse the input."""
    probe, answer, recomputer = asked.probe, asked.answer, asked.recomputer
    if isinstance(answer, BackendError):
        return
    if probe.about in SIMILAR_IDS and found[IDS] is not Ids.EXACT:
        return  # The axis does not define whose judgement and score count if ids become equal.
    all_topics, decimals = recomputer.rankings.pairing.all_topics, found[ROUNDING]
    try:
        ours = recomputer.evaluated(found)
        exact = recomputer.evaluated(found.having(ROUNDING, None))
    except CrosscheckError:
        return
    if answer.values or answer.mean is None:
        for id, _ in probe.queries:
            number = all_topics.index(id.encode())
            value = float(ours.values[number]) if ours.present[number] else None
            theirs = answer.values.get(id.encode())
            if value is not None and decimals is not None and theirs is not None:
                value = theirs if _rounds_to(theirs, exact.values[number], decimals) else value
            yield _Compared(replace(probe, reads=id), value, theirs, answer.decimals, True)
    if answer.mean is not None:
        by_query = answer.one_by_one or not answer.values
        yield _Compared(replace(probe, reads=None), ours.mean, answer.mean, answer.decimals, by_query)


def _rounds_to(rounded: float, exact: float, decimals: int) -> bool:
    """Whether ``rounded`` is ``exact`` rounded to these decimals; halves may go up or down, because numpy
    rounds 0.08125 to 0.0812, and C to 0.0813."""
    unit = 10.0**decimals
    if not math.isfinite(rounded) or abs(rounded * unit - round(rounded * unit)) > _MIDDLE:
        return False
    return bool(abs(rounded - exact) * unit <= 0.5 + _MIDDLE)


def _leaks(subject: AuditedMetric, wrong: _Compared, found: Conventions, tolerance: float) -> bool:
    """Whether the query that the probe reads (for a mean, every query) has its predicted value when it is
    evaluated alone."""
    probe = wrong.probe
    if len(probe.queries) == 1 or not wrong.query_by_query:
        return False
    for query in probe.queries:
        if probe.reads in (None, query[0]):
            (alone,) = ask(subject, [replace(probe, queries=(query,))])
            if isinstance(alone.answer, BackendError):
                return False
            if not all(v.same(tolerance) for v in _values(alone, found)):
                return False
    return True
