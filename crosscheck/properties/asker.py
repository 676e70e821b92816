"""Asking a metric about many inputs in few calls, until its time is up."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias

from crosscheck.errors import BackendError
from crosscheck.model import MeasureValues, Qrels, Run
from crosscheck.probes.probe import Probe, Query, to_qrels, to_run
from crosscheck.properties.variations import Inputs

__all__ = ["Ask", "Asker", "TimeIsUp", "Values"]

#: What a metric says of an input, or why it says nothing.
Ask: TypeAlias = Callable[[Qrels, Run], MeasureValues | BackendError]
#: The values of some inputs, None where there is none.
Values: TypeAlias = tuple[float | None, ...]


class TimeIsUp(Exception):
    """The budget is spent."""


class Asker:
    """Asks a metric, many single queries in one call, until it has taken its time.

    Only the calls count: a metric that answers at once is tried whole on a slow machine too.
    """

    def __init__(self, ask: Ask, seconds: float) -> None:
        self._ask = ask
        self._seconds = seconds
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
            TimeIsUp: it is.
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
        if self._seconds < 0:
            raise TimeIsUp
        self.calls += 1
        qrels, run = to_qrels(queries), to_run(queries)
        begin = time.monotonic()
        try:
            return self._ask(qrels, run)
        finally:
            self._seconds -= time.monotonic() - begin
