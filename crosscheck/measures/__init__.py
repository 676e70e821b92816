"""The native measures: all measures of trec_eval 9.0.8 and 10.0 with numbers as values, and those that only
ir_measures has.

Each module exports its measure families as ``FAMILIES`` and is found by its name, so a new family needs no
change in other files.
"""

from collections.abc import Iterable
from functools import cache

import numpy as np
from msgspec.structs import replace

from crosscheck.errors import UsageError
from crosscheck.measures.base import Family
from crosscheck.model import Measure, Needs
from crosscheck.registry import exports

__all__ = ["Family", "families", "family", "needs_of"]


@cache
def families() -> dict[str, Family]:
    """All families by canonical name, sorted by name."""
    every: list[Family] = [family for families in exports(__name__, "FAMILIES") for family in families]
    return {f.name: _without_warnings(f) for f in sorted(every, key=lambda f: f.name)}


def _without_warnings(about: Family) -> Family:
    """The family whose formulas do not warn of infinities and NaN: these are values."""
    quiet, of = np.errstate(all="ignore"), about.tied
    average, group_end = (compute and quiet(compute) for compute in (of.average, of.group_end))
    tied = replace(of, average=average, group_end=group_end)
    return replace(about, compute=quiet(about.compute), tied=tied)


def family(name: str) -> Family:
    return families()[name]


def needs_of(measures: Iterable[Measure]) -> Needs:
    """The kind of judgements that these measures need; ``subtopics`` also stands for groups of judges.

    Raises:
        UsageError: two measures need judgements of different kinds.
    """
    measure_of: dict[Needs, Measure] = {}
    for measure in measures:
        needs = family(measure.family).needs
        measure_of["subtopics" if needs == "groups" else needs] = measure
    measure_of.pop("levels", None)
    if len(measure_of) > 1:
        one, other = measure_of.values()
        raise UsageError(f"{one} and {other} need different judgements", hint="compute them in two calls")
    return next(iter(measure_of), "levels")
