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
from crosscheck.inputs.queries import Probe, Query, divided, numbered, smallest
from crosscheck.model import MeasureValues, Qrels, Run

#: Function that calls a metric on an input and returns its values, or the error if it gives none.
Ask: TypeAlias = Callable[[Qrels, Run], MeasureValues | BackendError]
#: The value of each of some inputs.
Values: TypeAlias = tuple[float, ...]
#: Inputs that contradict a property, and their values.
Failure: TypeAlias = tuple[Inputs, Values]


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
        self._known: dict[tuple[int, Probe], float | None] = {}
        self.calls = 0

    def all_of(self, every: Iterable[Inputs]) -> dict[Inputs, Values | None]:
        """The values of many tuples of inputs, as far as the time allows; None if an input is refused.

        The first, second and third inputs of all tuples are passed in separate calls, so that an input that
        occurs twice in a tuple is passed twice.
        """
        placed = {inputs: list(enumerate(inputs)) for inputs in every}
        for place in range(max(map(len, placed), default=0)):
            probes = dict.fromkeys(inputs[place] for inputs in placed if len(inputs) > place)
            new = [probe for probe in probes if (place, probe) not in self._known]
            self._known.update(((place, probe), value) for probe, value in self._values(new))
        return {
            inputs: _complete(map(self._known.__getitem__, keys))
            for inputs, keys in placed.items()
            if all(key in self._known for key in keys)
        }

    def alone(self, inputs: Inputs) -> Values | None:
        """The values of some inputs, one call each; None if one is refused.

        Raises:
            TimeIsUp: the time limit is reached.
        """
        return _complete([self._value(probe) for probe in inputs])

    def _values(self, probes: Sequence[Probe]) -> Iterator[tuple[Probe, float | None]]:
        try:
            yield from self._together([p for p in probes if p.reads is not None and len(p.queries) == 1])
            for probe in probes:
                if probe.reads is None or len(probe.queries) > 1:
                    yield probe, self._value(probe)
        except TimeIsUp:
            return

    def _together(self, probes: Sequence[Probe]) -> Iterator[tuple[Probe, float | None]]:
        """The values of probes of one query each, from one call; from several if it is refused."""

        def ask(some: Sequence[Probe]) -> dict[Probe, float | None]:
            together = numbered("", (probe.queries[0][1] for probe in some))
            answer = self._answer(together)
            if isinstance(answer, BackendError):
                return {}
            ids = (id.encode() for id, _ in together.queries)
            return dict(zip(some, map(answer.values.get, ids), strict=True))

        left = dict.fromkeys(probes)
        for values in divided(probes, ask, lambda values: not values) if probes else ():
            yield from values.items()
            left = {probe: None for probe in left if probe not in values}
        yield from left.items()

    def _value(self, probe: Probe) -> float | None:
        answer = self._answer(probe)
        if isinstance(answer, BackendError):
            return None
        return answer.mean if probe.reads is None else answer.values.get(probe.reads.encode())

    def _answer(self, probe: Probe) -> MeasureValues | BackendError:
        if self._seconds < 0:
            raise TimeIsUp
        self.calls += 1
        qrels, run = probe.qrels, probe.run
        begin = time.monotonic()
        try:
            return self._ask(qrels, run)
        finally:
            self._seconds -= time.monotonic() - begin


def _complete(values: Iterable[float | None]) -> Values | None:
    """The values if none is missing, else None."""
    every = list(values)
    known = tuple(value for value in every if value is not None)
    return known if len(known) == len(every) else None


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


#: A query, and inputs made from it.
_Case: TypeAlias = tuple[Query, Inputs]


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
    outcomes: list[Tried] = []
    for p in PROPERTIES:
        cases = [] if p.name in without else _cases(p, setting, seed, as_seen)
        every = [inputs for _, inputs in cases]
        values = asker.all_of(every)
        expected = None if reference is None else _status(p, every, reference.all_of(every))
        known = sum(values.get(inputs) is not None for inputs in every)
        outcome = Tried(p, _status(p, every, values), expected, known)
        if outcome.status == "no" and any(t.of.again and t.status == "no" for t in outcomes):
            outcome = replace(outcome, status="untried")  # no two values can be compared
        elif outcome.status == "no":
            contrast = reference if expected == "yes" else None
            outcome = _with_smallest(outcome, cases, values, asker, contrast, setting)
        outcomes.append(outcome)
    return outcomes


def _cases(p: Property, setting: Setting, seed: int, as_seen: Callable[[Probe], object]) -> list[_Case]:
    """The inputs of a property that differ to the metric, in the order of their queries."""
    queries = (telling_queries if p.reads else ordinary_queries)(setting, seed)
    return [
        (query, inputs)
        for query in islice(queries, p.queries)
        for inputs in p.inputs_of(query, setting)
        if p.again or len(inputs) == 1 or any(as_seen(i) != as_seen(inputs[0]) for i in inputs[1:])
    ]


def _status(p: Property, every: Sequence[Inputs], values: Mapping[Inputs, Values | None]) -> Status:
    if not values:
        return "untried" if every else "unseen"
    holds = [p.holds(known) for known in values.values() if known is not None]
    if not holds:
        return "refused"
    if p.reads and not any(holds):
        return "no" if all(inputs in values for inputs in every) else "untried"
    return "yes" if p.reads or all(holds) else "no"


def _with_smallest(
    outcome: Tried,
    cases: Sequence[_Case],
    values: Mapping[Inputs, Values | None],
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

    def failure(inputs: Inputs) -> Failure | None:
        values = asker.alone(inputs)
        if values is None or p.holds(values):
            return None
        theirs = None if contrast is None else contrast.alone(inputs)
        return (inputs, values) if contrast is None or (theirs is not None and p.holds(theirs)) else None

    suspects = [(q, i) for q, i in cases if (known := values.get(i)) is not None and not p.holds(known)]
    suspects.sort(key=lambda case: _size(case[1]))
    try:
        for query, inputs in suspects if p.reads else suspects[:_AGAIN]:
            shown = failure(inputs) if p.reads else _smallest_failure(p, query, failure, asker, setting)
            if shown is not None:
                return replace(outcome, inputs=shown[0], values=shown[1])
    except TimeIsUp:
        return replace(outcome, status="untried")
    # Together with others, inputs that read something have other values than alone.
    return replace(outcome, status="untried" if p.reads else "yes")


def _smallest_failure(
    p: Property, query: Query, failure: Callable[[Inputs], Failure | None], asker: Asker, setting: Setting
) -> Failure | None:
    """The smallest failure on inputs that are made from parts of a query; None if there is none."""
    failures: list[Failure] = []
    last = asker.calls + _MOST_CALLS

    def fails(probe: Probe) -> bool:
        part = probe.queries[0][1]
        if asker.calls > last or not any(level >= setting.level for _, level in part.judged):
            return False
        shown = next(filter(None, map(failure, p.inputs_of(part, setting))), None)
        failures.extend([shown] if shown else [])
        return shown is not None

    whole = numbered("", [query], "1")
    try:
        if fails(whole):
            smallest(whole, fails)
    except TimeIsUp:
        if not failures:
            raise
    return min(reversed(failures), key=lambda shown: _size(shown[0]), default=None)


def _size(inputs: Inputs) -> int:
    return sum(probe.size for probe in inputs)
