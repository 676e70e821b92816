"""The native measures: one family per file. Modules of this package are found by name, so adding a family
touches one file.

All measures of trec_eval 9.0.8 and 10.0 that have numbers as values, and those that only ir_measures has.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from crosscheck.errors import UsageError
from crosscheck.measures.base import Family
from crosscheck.model import Measure, Needs
from crosscheck.registry import exports

__all__ = ["Family", "families", "family", "needs_of"]


@cache
def families() -> dict[str, Family]:
    """All families by canonical name, sorted by name."""
    every: list[Family] = [family for families in exports(__name__, "FAMILIES") for family in families]
    return {f.name: f for f in sorted(every, key=lambda f: f.name)}


def family(name: str) -> Family:
    return families()[name]


def needs_of(measures: Iterable[Measure]) -> Needs:
    """The kind of judgements to read for these measures. Groups of judges are read as ``subtopics``.

    Raises:
        UsageError: two of the measures need judgements of different kinds.
    """
    measure_of: dict[Needs, Measure] = {}
    for measure in measures:
        needs = family(measure.family).needs
        measure_of["subtopics" if needs == "groups" else needs] = measure
    measure_of.pop("levels", None)
    if len(measure_of) > 1:
        one, other = measure_of.values()
        raise UsageError(f"{one} and {other} need different judgements", hint="ask for them in two calls")
    return next(iter(measure_of), "levels")
