"""Trying the properties on a metric: in few calls, within a time, each "no" with the smallest input."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Literal, TypeAlias

from crosscheck.errors import BackendError
from crosscheck.model import MeasureValues, Qrels, Run
from crosscheck.probes.probe import Probe, Query, to_qrels, to_run
from crosscheck.probes.shrinking import smallest
from crosscheck.properties.inputs import Setting, ordinary_queries, telling_queries
from crosscheck.properties.table import PROPERTIES, Property
from crosscheck.properties.variations import Inputs

__all__ = ["Ask", "Status", "Tried", "tried"]

#: What a metric says of an input, or why it says nothing.
Ask: TypeAlias = Callable[[Qrels, Run], MeasureValues | BackendError]
#: ``refused``: it has no value for any such input. ``unseen``: it is not handed what makes the inputs differ.
#: ``untried``: the time was up, or its values change from call to call.
Status: TypeAlias = Literal["yes", "no", "refused", "unseen", "untried"]
Values: TypeAlias = tuple[float | None, ...]

#: Inputs on which a "no" is looked at again, one call each, and the calls that making one smaller may take.
_AGAIN, _MOST_CALLS = 5, 400


@dataclass(frozen=True, slots=True)
class Tried:
    """What came of one property.

    Attributes:
        status: whether it holds; expected: of the measure that it is meant to compute, None without one.
        cases: how often inputs were compared.
        inputs: of a "no", the smallest inputs that show it; values: what the metric said of each.
    """

    of: Property
    status: Status
    expected: Status | None
    cases: int
    inputs: Inputs = ()
    values: Values = ()

    @property
    def surprising(self) -> bool:
        """Whether it fails and the measure does not or, without a measure, no sound one would."""
        excused = self.of.reads if self.expected is None else self.expected == "no"
        return self.status == "no" and not excused


@dataclass(frozen=True, slots=True)
class _Case:
    """Inputs made from a query."""

    query: Query
    inputs: Inputs


class _TimeIsUp(Exception):
    """The budget is spent."""


def tried(
    ask: Ask,
    setting: Setting,
    seed: int,
    *,
    as_seen: Callable[[Probe], object],
    like: Ask | None = None,
    without: Collection[str] = (),
    seconds: float = 5.0,
) -> list[Tried]:
    """Try all properties.

    Args:
        as_seen: what the metric is handed for an input; inputs that are the same to it show nothing.
        like: the measure that it is meant to compute: says what to expect.
        without: names of properties whose inputs it cannot be handed.
        seconds: no further call is made after these.
    """
    asker, reference = _Asker(ask, seconds), None if like is None else _Asker(like, math.inf)
    found: list[Tried] = []
    for p in PROPERTIES:
        cases = [] if p.name in without else _cases(p, setting, seed, as_seen)
        values = asker.all_of(case.inputs for case in cases)
        hoped = {} if reference is None else reference.all_of(case.inputs for case in cases)
        expected = None if reference is None else _judged(p, cases, hoped)
        outcome = Tried(p, _judged(p, cases, values), expected, len(cases))
        if outcome.status == "no" and found and found[0].status == "no":
            outcome = replace(outcome, status="untried")  # no two values can be compared
        elif outcome.status == "no":
            telling = [case for case in cases if _holds(p, hoped, case)] if expected == "yes" else cases
            outcome = _shown(outcome, telling, values, asker, setting)
        found.append(outcome)
    return found


def _cases(p: Property, setting: Setting, seed: int, as_seen: Callable[[Probe], object]) -> list[_Case]:
    """The inputs of a property that differ to the metric, those of the smallest queries first."""
    queries = (telling_queries if p.reads else ordinary_queries)(setting, seed)
    return [
        _Case(query, inputs)
        for query in islice(queries, p.queries)
        for inputs in p.vary(query, setting)
        if p.again or len(inputs) == 1 or any(as_seen(i) != as_seen(inputs[0]) for i in inputs[1:])
    ]


def _known(values: Values | None) -> list[float] | None:
    """The values where there is one of each input."""
    known = [value for value in values or (None,) if value is not None]
    return known if values and len(known) == len(values) else None


def _holds(p: Property, values: Mapping[Inputs, Values], case: _Case) -> bool:
    known = _known(values.get(case.inputs))
    return known is not None and p.holds(known)


def _judged(p: Property, cases: Sequence[_Case], values: Mapping[Inputs, Values]) -> Status:
    if not cases:
        return "unseen"
    if not any(case.inputs in values for case in cases):
        return "untried"
    known = [v for v in (_known(values.get(case.inputs)) for case in cases) if v is not None]
    if not known:
        return "refused"
    return "yes" if (any if p.reads else all)(map(p.holds, known)) else "no"


def _shown(
    outcome: Tried, cases: Sequence[_Case], values: Mapping[Inputs, Values], asker: _Asker, setting: Setting
) -> Tried:
    """A "no" with the smallest inputs, each asked about alone; "yes" where none shows it alone."""
    p = outcome.of
    answered = [case for case in cases if _known(values.get(case.inputs)) is not None]
    suspects = sorted(
        (case for case in answered if not _holds(p, values, case)), key=lambda case: _size(case.inputs)
    )
    try:
        if p.reads and suspects:
            seen = asker.alone(suspects[0].inputs)
            known = _known(seen)
            if known is None or p.holds(known):
                return replace(outcome, status="yes")
            return replace(outcome, inputs=suspects[0].inputs, values=seen)
        for case in suspects[:_AGAIN]:
            shown = _smallest_failure(p, case.query, asker, setting)
            if shown is not None:
                return replace(outcome, inputs=shown[0], values=shown[1])
    except _TimeIsUp:
        return replace(outcome, status="untried")
    return replace(outcome, status="yes" if answered else "refused")


def _smallest_failure(
    p: Property, query: Query, asker: _Asker, setting: Setting
) -> tuple[Inputs, Values] | None:
    """Inputs made from the smallest part of a query that still fail, None where the query does not."""
    best: tuple[Inputs, Values] | None = None
    last = asker.calls + _MOST_CALLS

    def fails(probe: Probe) -> bool:
        nonlocal best
        smaller = probe.queries[0][1]
        if asker.calls > last or not any(level >= setting.level for _, level in smaller.judged):
            return False
        for inputs in p.vary(smaller, setting):
            values = asker.alone(inputs)
            known = _known(values)
            if known is not None and not p.holds(known):
                if best is None or _size(inputs) <= _size(best[0]):
                    best = inputs, values
                return True
        return False

    whole = Probe("", (("1", query),), "1")
    try:
        if fails(whole):
            smallest(whole, fails)
    except _TimeIsUp:
        if best is None:
            raise
    return best


def _size(inputs: Inputs) -> int:
    return sum(probe.size for probe in inputs)


class _Asker:
    """Asks a metric, many single queries in one call, until the time is up."""

    def __init__(self, ask: Ask, seconds: float) -> None:
        self._ask = ask
        self._end = time.monotonic() + seconds
        self._known: dict[int, dict[Probe, float | None]] = {}
        self.calls = 0

    def all_of(self, every: Iterable[Inputs]) -> dict[Inputs, Values]:
        """The values of many inputs, as far as the time allows; None for those that are refused.

        The first, second and third inputs are asked about apart, so that the same input twice is two calls.
        """
        wanted = list(dict.fromkeys(every))
        for place in range(max(map(len, wanted), default=0)):
            known = self._known.setdefault(place, {})
            probes = dict.fromkeys(inputs[place] for inputs in wanted if len(inputs) > place)
            known.update(self._values([probe for probe in probes if probe not in known]))
        return {
            inputs: tuple(self._known[place][probe] for place, probe in enumerate(inputs))
            for inputs in wanted
            if all(probe in self._known[place] for place, probe in enumerate(inputs))
        }

    def alone(self, inputs: Inputs) -> Values:
        """The values of some inputs, one call each.

        Raises:
            _TimeIsUp: it is.
        """
        return tuple(self._value(probe) for probe in inputs)

    def _values(self, probes: Sequence[Probe]) -> Iterator[tuple[Probe, float | None]]:
        together = [p for p in probes if p.reads is not None and len(p.queries) == 1]
        try:
            if together:
                yield from self._together(together)
            for probe in probes:
                if probe.reads is None or len(probe.queries) > 1:
                    yield probe, self._value(probe)
        except _TimeIsUp:
            return

    def _together(self, probes: Sequence[Probe]) -> Iterator[tuple[Probe, float | None]]:
        """Queries in one call; where it is refused, by halves, unless the first and the last are refused too.

        A program may have to be started again after each refusal.
        """
        names = [f"q{i}" for i in range(1, len(probes) + 1)]
        answer = self._answer({name: p.queries[0][1] for name, p in zip(names, probes, strict=True)})
        if not isinstance(answer, BackendError):
            for name, probe in zip(names, probes, strict=True):
                yield probe, answer.values.get(name.encode())
        elif len(probes) == 1 or all(self._value(probe) is None for probe in (probes[0], probes[-1])):
            yield from ((probe, None) for probe in probes)
        else:
            half = len(probes) // 2
            yield from self._together(probes[:half])
            yield from self._together(probes[half:])

    def _value(self, probe: Probe) -> float | None:
        answer = self._answer(dict(probe.queries))
        if isinstance(answer, BackendError):
            return None
        return answer.mean if probe.reads is None else answer.values.get(probe.reads.encode())

    def _answer(self, queries: Mapping[str, Query]) -> MeasureValues | BackendError:
        if time.monotonic() > self._end:
            raise _TimeIsUp
        self.calls += 1
        return self._ask(to_qrels(queries), to_run(queries))
