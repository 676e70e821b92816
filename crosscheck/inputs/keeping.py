"""Trial of the laws on a metric, in few calls and limited time, with the smallest inputs that break them."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Literal, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from crosscheck.errors import BackendError
from crosscheck.inputs.laws import PROPERTIES, Inputs, Property, Setting, ordinary_queries, telling_queries
from crosscheck.inputs.queries import Probe, Query, smallest, to_qrels, to_run
from crosscheck.model import MeasureValues, Qrels, Run

#: Function that calls a metric on an input and returns its values, or the error if it gives none.
Ask: TypeAlias = Callable[[Qrels, Run], MeasureValues | BackendError]
#: The value of each of some inputs, None for no value.
Values: TypeAlias = tuple[float | None, ...]


class TimeIsUp(Exception):
    """The time limit for calls of a metric is reached."""


class Asker:
    """Gets values from a metric, for many single queries in one call, until a time limit is reached.

    Only the time of the calls counts, so that a fast metric is tried on all inputs on a slow machine, too.

    Args:
        seconds: the time limit.
    """

    def __init__(self, ask: Ask, seconds: float) -> None:
        self._ask = ask
        self._seconds = seconds
        self._known: dict[int, dict[Probe, float | None]] = {}
        self.calls = 0

    def all_of(self, every: Iterable[Inputs]) -> dict[Inputs, Values]:
        """The values of many tuples of inputs, as far as the time allows; None for inputs that are refused.

        The first, second and third inputs of all tuples are passed in separate calls, so that an input that
        occurs twice in a tuple is passed twice.
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
            TimeIsUp: the time limit is reached.
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
        except TimeIsUp:
            return

    def _together(self, probes: Sequence[Probe]) -> Iterator[tuple[Probe, float | None]]:
        """The values of probes of one query each, from one call.

        If the call is refused, each half of the probes gets a call, and so on. But if the first and the last
        probe are refused alone, too, all count as refused: a program may have to be restarted after each
        refusal.
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
        if self._seconds < 0:
            raise TimeIsUp
        self.calls += 1
        qrels, run = to_qrels(queries), to_run(queries)
        begin = time.monotonic()
        try:
            return self._ask(qrels, run)
        finally:
            self._seconds -= time.monotonic() - begin


#: ``refused``: the metric has no value for any of the inputs. ``unseen``: it receives nothing in which the
#: inputs differ. ``untried``: the time limit was reached, or its values change from call to call.
Status: TypeAlias = Literal["yes", "no", "refused", "unseen", "untried"]

#: Maximum number of inputs on which a "no" is tried again, and maximum number of calls to make one smaller.
_AGAIN, _MOST_CALLS = 5, 400


class Tried(Struct, frozen=True):
    """The outcome of trying one property.

    Attributes:
        status: whether the metric has the property; expected: whether the measure that the metric is meant to
            compute has it, None if there is no such measure.
        cases: number of tuples of inputs whose values were compared.
        inputs: for a "no", the smallest inputs that show it; values: the metric's value of each.
    """

    of: Property
    status: Status
    expected: Status | None
    cases: int
    inputs: Inputs = ()
    values: Values = ()

    @property
    def surprising(self) -> bool:
        """Whether the property fails although the measure has it or, without a measure, any sound one would.

        If the measure refuses all inputs, it has no values that the metric could deviate from.
        """
        due = not self.of.reads if self.expected is None else self.expected == "yes"
        return self.status == "no" and due


class _Case(Struct, frozen=True):
    """Inputs made from a query."""

    query: Query
    inputs: Inputs


def tried(
    ask: Ask,
    setting: Setting,
    seed: int,
    *,
    as_seen: Callable[[Probe], object],
    like: Ask | None = None,
    without: Collection[str] = (),
    seconds: float = 10.0,
) -> list[Tried]:
    """Try all properties.

    Args:
        as_seen: function that returns the data that the metric receives for an input; tuples of inputs with
            the same data are left out.
        like: the measure that the metric is meant to compute, which gives the expected outcomes.
        without: names of properties whose inputs the metric cannot receive; they are ``unseen``.
        seconds: no further call is made after the calls have taken so many seconds.
    """
    asker, reference = Asker(ask, seconds), None if like is None else Asker(like, math.inf)
    found: list[Tried] = []
    for p in PROPERTIES:
        cases = [] if p.name in without else _cases(p, setting, seed, as_seen)
        values = asker.all_of(case.inputs for case in cases)
        hoped = {} if reference is None else reference.all_of(case.inputs for case in cases)
        expected = None if reference is None else _judged(p, cases, hoped)
        outcome = Tried(p, _judged(p, cases, values), expected, len(_answered(cases, values)))
        if outcome.status == "no" and any(t.of.again and t.status == "no" for t in found):
            outcome = replace(outcome, status="untried")  # no two values can be compared
        elif outcome.status == "no":
            contrast = reference if expected == "yes" else None
            outcome = _shown(outcome, cases, values, asker, contrast, setting)
        found.append(outcome)
    return found


def _cases(p: Property, setting: Setting, seed: int, as_seen: Callable[[Probe], object]) -> list[_Case]:
    """The inputs of a property that differ to the metric, in the order of their queries."""
    queries = (telling_queries if p.reads else ordinary_queries)(setting, seed)
    return [
        _Case(query, inputs)
        for query in islice(queries, p.queries)
        for inputs in p.vary(query, setting)
        if p.again or len(inputs) == 1 or any(as_seen(i) != as_seen(inputs[0]) for i in inputs[1:])
    ]


def _known(values: Values | None) -> list[float] | None:
    """The values if each input has one, else None."""
    known = [value for value in values or (None,) if value is not None]
    return known if values and len(known) == len(values) else None


def _holds(p: Property, values: Values) -> bool:
    known = _known(values)
    return known is not None and p.holds(known)


def _judged(p: Property, cases: Sequence[_Case], values: Mapping[Inputs, Values]) -> Status:
    if not cases:
        return "unseen"
    if not any(case.inputs in values for case in cases):
        return "untried"
    known = _answered(cases, values)
    if not known:
        return "refused"
    if p.reads and not any(map(p.holds, known)):
        return "no" if all(case.inputs in values for case in cases) else "untried"
    return "yes" if p.reads or all(map(p.holds, known)) else "no"


def _answered(cases: Sequence[_Case], values: Mapping[Inputs, Values]) -> list[list[float]]:
    return [known for case in cases if (known := _known(values.get(case.inputs))) is not None]


def _shown(
    outcome: Tried,
    cases: Sequence[_Case],
    values: Mapping[Inputs, Values],
    asker: Asker,
    contrast: Asker | None,
    setting: Setting,
) -> Tried:
    """The outcome of a "no" with the smallest inputs, each in a call of its own; "yes" if none shows it
    alone, but "untried" for a property that reads something, or if the time limit is reached.

    Args:
        contrast: a measure that has the property; inputs on which its own values contradict it do not count.
    """
    p = outcome.of

    def fails(inputs: Inputs) -> Values | None:
        seen = asker.alone(inputs)
        known = _known(seen)
        if known is None or p.holds(known):
            return None
        return seen if contrast is None or _holds(p, contrast.alone(inputs)) else None

    answered = [case for case in cases if _known(values.get(case.inputs)) is not None]
    suspects = [case for case in answered if not _holds(p, values[case.inputs])]
    suspects.sort(key=lambda case: _size(case.inputs))
    try:
        if p.reads:
            shown = next(((c.inputs, v) for c in suspects if (v := fails(c.inputs)) is not None), None)
            if shown is None:  # together with others it has other values than alone
                return replace(outcome, status="untried")
            return replace(outcome, inputs=shown[0], values=shown[1])
        for case in suspects[:_AGAIN]:
            shown = _smallest_failure(p, case.query, fails, asker, setting)
            if shown is not None:
                return replace(outcome, inputs=shown[0], values=shown[1])
    except TimeIsUp:
        return replace(outcome, status="untried")
    return replace(outcome, status="yes")


def _smallest_failure(
    p: Property, query: Query, fails: Callable[[Inputs], Values | None], asker: Asker, setting: Setting
) -> tuple[Inputs, Values] | None:
    """Inputs that fail, and their values, made from the smallest part of a query; None if none fail."""
    best: tuple[Inputs, Values] | None = None
    last = asker.calls + _MOST_CALLS

    def shows(probe: Probe) -> bool:
        nonlocal best
        smaller = probe.queries[0][1]
        if asker.calls > last or not any(level >= setting.level for _, level in smaller.judged):
            return False
        for inputs in p.vary(smaller, setting):
            values = fails(inputs)
            if values is not None:
                if best is None or _size(inputs) <= _size(best[0]):
                    best = inputs, values
                return True
        return False

    whole = Probe("", (("1", query),), "1")
    try:
        if shows(whole):
            smallest(whole, shows)
    except TimeIsUp:
        if best is None:
            raise
    return best


def _size(inputs: Inputs) -> int:
    return sum(probe.size for probe in inputs)
