"""The native measures: one family per file. Modules of this package are found by name, so adding a family
touches one file.

All measures of trec_eval 9.0.8 and 10.0 that have numbers as values, and those that only ir_measures has.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from crosscheck.measures.base import Family
from crosscheck.model import Measure
from crosscheck.registry import exports

__all__ = ["Family", "families", "family", "over_subtopics"]


@cache
def families() -> dict[str, Family]:
    """All families by canonical name, sorted by name."""
    found: list[Family] = [family for families in exports(__name__, "FAMILIES") for family in families]
    return {f.name: f for f in sorted(found, key=lambda f: f.name)}


def family(name: str) -> Family:
    """The family of a parsed measure."""
    return families()[name]


def over_subtopics(measures: Iterable[Measure]) -> bool:
    """Whether any of these measures needs judgements per subtopic."""
    return any(family(measure.family).subtopics for measure in measures)
