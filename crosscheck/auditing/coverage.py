"""Fresh inputs, given to a metric until each kind of change to the reference would show on some of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain

from crosscheck.auditing.asking import Asked, Asking
from crosscheck.auditing.audited_metric import AuditedMetric
from crosscheck.auditing.calls import Call
from crosscheck.auditing.kinds_of_change import ENOUGH, Kind, kinds_for, showing
from crosscheck.axes.forms import MAX_GRADE
from crosscheck.axes.gains import GAIN, IDEAL, Gain
from crosscheck.conventions import Conventions
from crosscheck.measures import family
from crosscheck.model import MeasureValues
from crosscheck.probes.fresh import extreme_probes, fresh_probes
from crosscheck.probes.probe import Probe

__all__ = ["Coverage", "until_covered"]

#: Maximum number of sets of fresh inputs that are searched for inputs that show a kind of change; number of
#: sets of small inputs that tell which kinds are a change to a measure.
_MOST_SETS, _SMALL_SETS = 16, 6


@dataclass(frozen=True, slots=True)
class Coverage:
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


def until_covered(
    asking: Asking,
    asked: Iterable[Asked],
    subject: AuditedMetric,
    call: Call | None,
    first: MeasureValues,
    base: Conventions,
    *,
    tolerance: float,
    seed: int,
) -> Coverage:
    """Call the metric on more inputs, until these would show each kind of change to the reference.

    Inputs that the metric refuses count too: there, no wrong value can be taken for a right one.

    Args:
        asked: the answers on fresh inputs so far.
        first: an answer of the metric.
    """
    about = subject.measure

    def shown(kinds: Iterable[Kind], probes: Iterable[Probe]) -> dict[str, list[Probe]]:
        return showing(
            kinds, probes, about, base, tolerance=tolerance, decimals=first.decimals, means=not first.values
        )

    reads = family(about.family).reads
    # Where 2^level is part of a formula, such levels are beyond the integers of many a language.
    powers = MAX_GRADE in reads and IDEAL not in reads
    levels = not powers and (GAIN not in reads or base[GAIN] is Gain.LINEAR)
    kinds, more = kinds_for(call), [*asking.answers(extreme_probes(seed, levels=levels))]
    seen = shown(kinds, [one.probe for one in (*asked, *more)])
    possible = {name for name, probes in seen.items() if probes}
    # Many small inputs of other sets tell which of the others are a change to this measure.
    rest = [kind for kind in kinds if kind.name not in possible]
    elsewhere = chain.from_iterable(
        fresh_probes(seed + number, about.cutoff, few=True) for number in range(1, _SMALL_SETS)
    )
    possible |= {name for name, probes in shown(rest, elsewhere).items() if probes}
    for number in range(int(not first.one_by_one), _MOST_SETS):
        short = [k for k in kinds if len(seen[k.name]) < ENOUGH and (not number or k.name in possible)]
        if not short or (number and asking.time_is_up):
            break
        others = fresh_probes(seed + number, about.cutoff)
        found = shown(short, [new for keys, new in map(asking.new, others) if keys])
        possible |= {name for name, probes in found.items() if probes}
        more += asking.answers({p: None for k in short for p in found[k.name][: ENOUGH - len(seen[k.name])]})
        answered = {one.probe for one in more}
        for kind in short:
            seen[kind.name] += [probe for probe in found[kind.name] if probe in answered]
    missed = [name for name, probes in seen.items() if len(probes) < ENOUGH and name in possible]
    without_effect = [kind.name for kind in kinds if kind.name not in possible]
    return Coverage(len(possible) - len(missed), missed, without_effect, more)
