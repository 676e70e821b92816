"""Fresh inputs, given to a metric until each kind of change to the reference would show on some of them."""

from __future__ import annotations

import time
from collections.abc import Hashable, Iterable
from dataclasses import replace
from itertools import chain
from typing import NamedTuple

from crosscheck.auditing.arguments import Materials, handed
from crosscheck.auditing.audited_metric import AuditedMetric
from crosscheck.auditing.calls import Call
from crosscheck.auditing.checking import Asked, ask
from crosscheck.auditing.kinds_of_change import ENOUGH, Kind, kinds_for, showing
from crosscheck.axes.gain import GAIN, Gain
from crosscheck.axes.ideal import IDEAL
from crosscheck.axes.max_grade import MAX_GRADE
from crosscheck.conventions import Conventions
from crosscheck.measures import family
from crosscheck.model import MeasureValues
from crosscheck.probes.fresh import extreme_probes, fresh_probes
from crosscheck.probes.probe import Probe

__all__ = ["Asking", "Coverage"]

#: Maximum number of sets of fresh inputs that are searched for inputs that show a kind of change; number of
#: sets of small inputs that tell which kinds are a change to a measure.
_MOST_SETS, _SMALL_SETS = 16, 6


class Coverage(NamedTuple):
    """The kinds of change that some inputs would show.

    Attributes:
        caught: number of kinds that change enough values; missed: names of the kinds that change fewer,
            although there are inputs whose values they change; without_effect: names of the kinds that change
            no value of any set of inputs, so that they are no change to this measure.
        asked: the metric's answers on the inputs that were added after the first set.
    """

    caught: int
    missed: list[str]
    without_effect: list[str]
    asked: list[Asked]


class Asking:
    """Calls a metric on fresh inputs: once on inputs that are the same to it, and not after its time is up.

    Args:
        call: how a function is called, None for a backend.
        first: an answer of the metric.
        seconds: time after which the metric is not called on further inputs.
    """

    def __init__(
        self, subject: AuditedMetric, call: Call | None, first: MeasureValues, seed: int, seconds: float
    ) -> None:
        self._subject, self._call, self._first, self._seed = subject, call, first, seed
        self._until = time.monotonic() + seconds
        self._known: set[Hashable] = set()
        self._asked: list[Probe] = []
        self._whole = not first.one_by_one

    def first_set(self) -> list[Asked]:
        """The answers on a set of inputs; a small one for metrics that compute each query separately."""
        probes = fresh_probes(self._seed, self._subject.measure.cutoff, few=self._first.one_by_one)
        return self._answers(probes)

    def until_covered(self, base: Conventions, tolerance: float) -> Coverage:
        """Call the metric on more inputs, until these would show each kind of change to the reference.

        Inputs that the metric refuses count too: there, no wrong value can be taken for a right one.
        """

        def shown(kinds: Iterable[Kind], probes: Iterable[Probe]) -> dict[str, list[Probe]]:
            return showing(
                kinds,
                probes,
                self._subject.measure,
                base,
                tolerance=tolerance,
                decimals=self._first.decimals,
                means=not self._first.values,
            )

        about = self._subject.measure
        reads = family(about.family).reads
        # Where 2^level is part of a formula, such levels are beyond the integers of many a language.
        powers = MAX_GRADE in reads and IDEAL not in reads
        levels = not powers and (GAIN not in reads or base[GAIN] is Gain.LINEAR)
        kinds, more = kinds_for(self._call), self._answers(extreme_probes(self._seed, levels=levels))
        seen = shown(kinds, self._asked)
        possible = {name for name, probes in seen.items() if probes}
        # Many small inputs of other sets tell which of the others are a change to this measure.
        rest = [kind for kind in kinds if kind.name not in possible]
        elsewhere = chain.from_iterable(
            fresh_probes(self._seed + number, about.cutoff, few=True) for number in range(1, _SMALL_SETS)
        )
        possible |= {name for name, probes in shown(rest, elsewhere).items() if probes}
        for number in range(int(self._whole), _MOST_SETS):
            short = [k for k in kinds if len(seen[k.name]) < ENOUGH and (not number or k.name in possible)]
            if not short or (number and self._time_is_up):
                break
            others = fresh_probes(self._seed + number, about.cutoff)
            found = shown(short, [new for keys, new in map(self._new, others) if keys])
            possible |= {name for name, probes in found.items() if probes}
            more += self._answers(
                {p: None for k in short for p in found[k.name][: ENOUGH - len(seen[k.name])]}
            )
            answered = {one.probe for one in more}
            for kind in short:
                seen[kind.name] += [probe for probe in found[kind.name] if probe in answered]
        missed = [name for name, probes in seen.items() if len(probes) < ENOUGH and name in possible]
        without_effect = [kind.name for kind in kinds if kind.name not in possible]
        return Coverage(len(possible) - len(missed), missed, without_effect, more)

    @property
    def _time_is_up(self) -> bool:
        return time.monotonic() > self._until

    def _answers(self, probes: Iterable[Probe]) -> list[Asked]:
        found: list[Asked] = []
        for keys, new in map(self._new, probes):
            if keys and self._time_is_up:
                self._whole = False
                break
            if keys:
                self._known.update(keys)
                self._asked.append(new)
                found += ask(self._subject, [new])
        return found

    def _new(self, probe: Probe) -> tuple[set[Hashable], Probe]:
        """Keys of the arguments that the metric has not got before, and the input with only their queries."""
        keys: dict[Hashable, str] = {probe.queries: ""}
        if self._call is None or not self._call.of_one:
            return keys.keys() - self._known, probe
        made = Materials(probe.qrels, probe.run, self._subject.measure, self._call)
        topics = (query.topic.decode() for query in made.queries)
        keys = {key: topic for key, topic in zip(handed(made), topics, strict=True) if key not in self._known}
        queries = tuple(query for query in probe.queries if query[0] in keys.values())
        return set(keys), replace(probe, queries=queries)
