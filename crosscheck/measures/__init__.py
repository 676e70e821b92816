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
    found: list[Family] = [family for families in exports(__name__, "FAMILIES") for family in families]
    return {f.name: f for f in sorted(found, key=lambda f: f.name)}


def family(name: str) -> Family:
    """The family of a parsed measure."""
    return families()[name]


def needs_of(measures: Iterable[Measure]) -> Needs:
    """The kind of judgements to read for these measures; for groups of judges it is ``subtopics``.

    Raises:
        UsageError: two of the measures need judgements of different kinds.
    """
    found: dict[Needs, Measure] = {}
    for measure in measures:
        needs = family(measure.family).needs
        found["subtopics" if needs == "groups" else needs] = measure
    found.pop("levels", None)
    if len(found) > 1:
        one, other = found.values()
        raise UsageError(f"{one} and {other} need different judgements", hint="ask for them in two calls")
    return next(iter(found), "levels")
