"""Groups of comparisons with the same candidate, reference, outcome and explanation."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from crosscheck.conventions import AxisValue
from crosscheck.report._statuses import place
from crosscheck.results import Alternative, Cell, Comparison, Diagnosis, as_float

_NUMBERS = re.compile(r"\d[\d.,]*")


@dataclass(frozen=True, slots=True)
class Group:
    """Comparisons with the same candidate, reference, outcome and explanation; there is at least one."""

    comparisons: tuple[Comparison, ...]

    @property
    def first(self) -> Comparison:
        return self.comparisons[0]

    @property
    def diagnosis(self) -> Diagnosis | None:
        return self.first.diagnosis

    @property
    def causes(self) -> list[str]:
        """Labels of the explanation; empty where there is none."""
        return list(self.diagnosis.causes) if self.diagnosis else []

    @property
    def strength(self) -> str:
        """The highest strength of the diagnoses of the comparisons; empty if there is no diagnosis."""
        held = (c.diagnosis.strength for c in self.comparisons if c.diagnosis)
        return min(held, key=_SURENESS.__getitem__, default="")

    @property
    def conventions(self) -> dict[str, AxisValue]:
        return self.diagnosis.conventions if self.diagnosis else {}


def groups(comparisons: Iterable[Comparison]) -> list[Group]:
    """Group comparisons by candidate, reference, outcome and explanation.

    The groups with the highest strength come first. Within a group, the order is that of
    :func:`largest_first`.
    """
    found: dict[object, list[Comparison]] = {}
    for c in comparisons:
        story: object = _NUMBERS.sub("#", c.message or "")
        if c.diagnosis:
            story = (tuple(c.diagnosis.causes), whole(c.diagnosis))
        found.setdefault((c.candidate, c.reference, c.outcome, story), []).append(c)
    made = [Group(tuple(largest_first(members))) for members in found.values()]
    return sorted(made, key=lambda group: _SURENESS.get(group.strength, 4))


#: Strength -> its position in the order in which findings are listed.
_SURENESS = {"proved": 0, "consistent": 1, "per-query": 2, "none": 3}


def whole(diagnosis: Diagnosis) -> bool:
    """Whether a diagnosis explains everything that was compared, and not only a part of it."""
    return diagnosis.strength in ("proved", "consistent")


def alternatives(group: Group) -> list[tuple[Alternative, int]]:
    """Alternative explanations of a group, each with the number of comparisons it fits; highest first."""
    found: dict[object, tuple[Alternative, int]] = {}
    for comparison in group.comparisons:
        for other in comparison.diagnosis.alternatives if comparison.diagnosis else []:
            key = (tuple(other.causes), tuple(sorted(other.conventions.items())))
            found[key] = (other, found.get(key, (other, 0))[1] + 1)
    return sorted(found.values(), key=lambda entry: -entry[1])


def worst(group: Group) -> list[tuple[Comparison, Cell]]:
    """All differing queries of a group, each with its comparison.

    Differences that are NaN or infinite come first, then the largest ones; queries without a value on one
    side come last.
    """
    cells = [(comparison, cell) for comparison in group.comparisons for cell in comparison.cells]
    return sorted(cells, key=lambda entry: _severity(entry[1]))


def largest_first(comparisons: Iterable[Comparison]) -> list[Comparison]:
    """Comparisons sorted by strength, the highest first, then by their largest difference, NaN first."""

    def size(comparison: Comparison) -> tuple[int, float]:
        sure = _SURENESS[comparison.diagnosis.strength] if comparison.diagnosis else 0
        value = as_float(comparison.max_abs_diff or 0.0)
        return sure, -math.inf if math.isnan(value) else -value

    return sorted(comparisons, key=size)


def _severity(cell: Cell) -> tuple[int, float]:
    if cell.reference_value is None or cell.candidate_value is None:
        return 2, 0.0
    size = abs(as_float(cell.candidate_value) - as_float(cell.reference_value))
    return (1, -size) if math.isfinite(size) else (0, 0.0)


def places(comparisons: Sequence[Comparison]) -> list[tuple[list[str], list[str]]]:
    """Pairs of ``case / run`` names and the measures compared on each of them, in order of appearance."""
    measures: dict[str, dict[str, None]] = {}
    for comparison in comparisons:
        measures.setdefault(place(comparison), {})[comparison.measure] = None
    folded: dict[tuple[str, ...], list[str]] = {}
    for where, names in measures.items():
        folded.setdefault(tuple(names), []).append(where)
    return [(where, list(names)) for names, where in folded.items()]
