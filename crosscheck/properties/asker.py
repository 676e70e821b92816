"""The values of a metric for many inputs, in few calls and within a time limit."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias

from crosscheck.errors import BackendError
from crosscheck.model import MeasureValues, Qrels, Run
from crosscheck.probes.probe import Probe, Query, to_qrels, to_run
from crosscheck.properties.variations import Inputs

__all__ = ["Ask", "Asker", "TimeIsUp", "Values"]

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
