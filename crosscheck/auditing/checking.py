"""Check of conventions on a metric's answers: which values they predict, and what kind the others are."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from ctypes import c_float
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from crosscheck.auditing.asking import Asked, ask
from crosscheck.auditing.audited_metric import AuditedMetric
from crosscheck.auditing.explaining import TOLERANCES
from crosscheck.axes.summaries import ROUNDING
from crosscheck.conventions import Conventions
from crosscheck.errors import BackendError, CrosscheckError
from crosscheck.hypotheses.predictions import equal_numbers
from crosscheck.probes.fresh import ordinary
from crosscheck.probes.probe import Probe

__all__ = ["Checked", "Refusal", "check", "holds"]

#: The relative error of one number in single precision; number of values that show a direction of errors.
_ROUNDED, _MANY = 2.0**-24, 20
#: Error, in units of the last decimal, of a value that lies in the middle between two.
_MIDDLE = 1e-6
#: Number of wrong values, the smallest inputs first, whose queries are evaluated alone.
_ALONE = 12


class Refusal(NamedTuple):
    """An input without a value, and the metric's message instead."""

    probe: Probe
    said: str


@dataclass(frozen=True, slots=True)
class Checked:
    """The results on some inputs.

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


def holds(asked: Iterable[Asked], found: Conventions, tolerance: float) -> bool:
    """Whether conventions predict every value of the metric. On ordinary inputs a value that the metric did
    not give must be predicted as missing, too."""
    return all(
        value.same(tolerance) or (value.theirs is None and not ordinary(value.probe))
        for one in asked
        for value in _unmet(one, found)
    )


def check(subject: AuditedMetric, asked: Sequence[Asked], found: Conventions, tolerance: float) -> Checked:
    """Compare the metric's answers with the predictions of conventions: the value of every query, and the
    mean.

    Args:
        subject: called again with single queries of an input whose value differs.
        found: the metric's conventions.
        tolerance: tolerance of the search; a wider one is used if fewer values differ then. But values
            that are all too low, or all too high, do not come from a lack of precision.
    """
    unmet: list[_Compared] = []
    refused: list[Refusal] = []
    inputs = 0
    for one in asked:
        if isinstance(one.answer, BackendError):
            refused.append(Refusal(one.probe, one.answer.message.splitlines()[0]))
            continue
        values = list(_unmet(one, found))
        inputs += _number(one)
        for value in values:
            if value.theirs is None and value.ours is not None:
                refused.append(Refusal(value.probe, "it gives no value"))
                inputs -= 1
            else:
                unmet.append(value)
    wider = [t for t in TOLERANCES if t >= tolerance]
    tolerance = min(wider, key=lambda t: sum(not value.same(t) for value in unmet))
    if tolerance > min(TOLERANCES) and _one_sided(unmet):
        tolerance = min(TOLERANCES)
    wrong = sorted((v for v in unmet if not v.same(tolerance)), key=lambda v: _size(v.probe))
    leaky = any(one.leaks for one in asked)  # any mean may hold what another query left behind
    leaks = [
        (leaky and value.probe.reads is None) or _leaks(subject, value, found, tolerance)
        for value in wrong[:_ALONE]
    ]
    others = [all(leaks)] * (len(wrong) - len(leaks))
    sorted_out = list(zip(wrong, [*leaks, *others], strict=True))
    return Checked(
        inputs=inputs,
        met=inputs - len(wrong),
        differs=[value.probe for value, leak in sorted_out if not leak],
        leaks=[value.probe for value, leak in sorted_out if leak],
        refused=[refusal for refusal in refused if ordinary(refusal.probe)],
        withheld=[refusal for refusal in refused if not ordinary(refusal.probe)],
        tolerance=tolerance,
    )


def _size(probe: Probe) -> int:
    """Documents of the query that is read, or of all queries."""
    return probe.size if probe.reads is None else probe.of(probe.reads).size


def _number(asked: Asked) -> int:
    """Number of values of an answer that are compared."""
    assert not isinstance(asked.answer, BackendError)
    return len(asked.answer.values.keys() & asked.read) + (asked.answer.mean is not None)


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


def _unmet(asked: Asked, found: Conventions) -> Iterator[_Compared]:
    """Each value of the metric that conventions do not predict exactly, with its prediction; nothing if the
    metric or the conventions refuse the input."""
    probe, answer = asked.probe, asked.answer
    if isinstance(answer, BackendError):
        return
    evidence = asked.evidence(found, min(TOLERANCES))
    assert evidence is not None
    recomputer, decimals = evidence.recomputer, found[ROUNDING]
    try:
        ours = recomputer.evaluated(found)
        cells, mean = evidence.met(ours, exactly=True)
        exact = ours if decimals is None else recomputer.evaluated(found.having(ROUNDING, None))
    except CrosscheckError:
        return
    if answer.values or answer.mean is None:
        for i in np.flatnonzero(~cells).tolist():
            topic = recomputer.topics[i]
            value = float(ours.values[i]) if ours.present[i] else None
            theirs = answer.values.get(topic)
            if value is not None and decimals is not None and theirs is not None:
                value = theirs if _rounds_to(theirs, exact.values[i], decimals) else value
            yield _Compared(replace(probe, reads=topic.decode()), value, theirs, answer.decimals, True)
    if answer.mean is not None and not mean and probe.reads is None and not asked.undefined:
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
    ids: Sequence[str] = [id for id, _ in probe.queries] if probe.reads is None else [probe.reads]
    for (alone,) in (ask(subject, [replace(probe.of(id), reads=probe.reads)]) for id in ids):
        if isinstance(alone.answer, BackendError) or not all(v.same(tolerance) for v in _unmet(alone, found)):
            return False
    return True
