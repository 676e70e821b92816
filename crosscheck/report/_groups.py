"""What the document says, arranged for a reader: statuses, counts and groups of like comparisons."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from crosscheck.conventions import AxisValue
from crosscheck.results import Alternative, BackendRecord, Cell, Comparison, Diagnosis, Document, as_float

__all__ = [
    "Group",
    "Status",
    "alternatives",
    "differing",
    "groups",
    "largest_first",
    "places",
    "role",
    "saved",
    "status",
    "tally",
    "whole",
    "with_status",
    "worst",
]


class Status(StrEnum):
    """Outcome and expectedness in one word; each comparison has exactly one."""

    MATCH = "match"
    KNOWN = "known"
    UNEXPECTED = "unexpected"
    STALE = "stale"
    ERROR = "error"
    UNSUPPORTED = "unsupported"


def status(comparison: Comparison) -> Status:
    """The status of a comparison; whatever nobody expected is never shown as harmless."""
    if comparison.outcome == "error":
        return Status.KNOWN if comparison.expected else Status.ERROR
    if comparison.outcome == "mismatch":
        return Status.KNOWN if comparison.expected else Status.UNEXPECTED
    if comparison.stale:
        return Status.STALE
    if not comparison.expected:
        return Status.UNEXPECTED
    return Status.MATCH if comparison.outcome == "match" else Status.UNSUPPORTED


def with_status(document: Document, *wanted: Status) -> list[Comparison]:
    """The comparisons of these statuses, in the document's order."""
    return [comparison for comparison in document.comparisons if status(comparison) in wanted]


def tally(document: Document) -> dict[str, Counter[Status]]:
    """Candidate -> how many of its comparisons have each status; in order of first appearance."""
    counts: dict[str, Counter[Status]] = {}
    for comparison in document.comparisons:
        counts.setdefault(comparison.candidate, Counter())[status(comparison)] += 1
    return counts


def role(document: Document, backend: BackendRecord) -> str:
    """What a backend was in this run: ``reference``, ``candidate`` or ``not available``."""
    if not backend.available:
        return "not available"
    candidates = {c.candidate for c in document.comparisons}
    references = {c.reference for c in document.comparisons} - candidates
    return "reference" if backend.id in {document.reference, *references} else "candidate"


def saved(document: Document) -> list[str]:
    """Candidates that no backend computed here: published and recorded numbers that came with the cases."""
    computed = {backend.id for backend in document.backends}
    return [candidate for candidate in tally(document) if candidate not in computed]


_NUMBERS = re.compile(r"\d[\d.,]*")


@dataclass(frozen=True, slots=True)
class Group:
    """Comparisons that tell one story: same candidate, same reference, same explanation."""

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
    def conventions(self) -> dict[str, AxisValue]:
        return self.diagnosis.conventions if self.diagnosis else {}


def groups(comparisons: Iterable[Comparison]) -> list[Group]:
    """Like comparisons together, in order of first appearance."""
    found: dict[object, list[Comparison]] = {}
    for c in comparisons:
        d = c.diagnosis
        story: tuple[object, ...] = (c.message,)
        if d:
            # What is only consistent says why it is no more than that, with numbers that vary from case to
            # case; a proof does not depend on the place.
            caveat = _NUMBERS.sub("#", d.explanation) if d.strength == "consistent" else None
            story = (tuple(d.causes), d.strength, tuple(sorted(d.conventions.items())), caveat)
        found.setdefault((c.candidate, c.reference, c.outcome, c.reason, story), []).append(c)
    return [Group(tuple(members)) for members in found.values()]


def whole(diagnosis: Diagnosis) -> bool:
    """Whether its conventions explain everything that was compared, and not only a part."""
    return diagnosis.strength in ("proved", "consistent")


def differing(comparison: Comparison) -> str:
    """How many of the compared queries differ: ``1 of 50``, or ``mean only``."""
    number = comparison.mismatches + comparison.missing
    return f"{number:,} of {comparison.queries:,}" if number else "mean only"


def alternatives(group: Group) -> list[tuple[Alternative, int]]:
    """Explanations that fit as well, with the number of comparisons they fit, the most fitting first."""
    found: dict[object, tuple[Alternative, int]] = {}
    for comparison in group.comparisons:
        for other in comparison.diagnosis.alternatives if comparison.diagnosis else []:
            key = (tuple(other.causes), tuple(sorted(other.conventions.items())))
            found[key] = (other, found.get(key, (other, 0))[1] + 1)
    return sorted(found.values(), key=lambda entry: -entry[1])


def worst(group: Group) -> list[tuple[Comparison, Cell]]:
    """All differing queries of a group: not-a-number first, then by size of difference, then no value."""
    cells = [(comparison, cell) for comparison in group.comparisons for cell in comparison.cells]
    return sorted(cells, key=lambda entry: _severity(entry[1]))


def largest_first(group: Group) -> list[Comparison]:
    """The comparisons of a group by their largest difference; not-a-number first, no difference last."""

    def size(comparison: Comparison) -> float:
        if comparison.max_abs_diff is None:
            return 0.0
        value = as_float(comparison.max_abs_diff)
        return -math.inf if math.isnan(value) else -value

    return sorted(group.comparisons, key=size)


def _severity(cell: Cell) -> tuple[int, float]:
    if cell.reference is None or cell.candidate is None:
        return 2, 0.0
    size = abs(as_float(cell.candidate) - as_float(cell.reference))
    return (1, -size) if math.isfinite(size) else (0, 0.0)


def places(comparisons: Sequence[Comparison]) -> list[tuple[list[str], list[str]]]:
    """Where comparisons happened, folded: (``case / run`` names, the measures they share), in order."""
    measures: dict[tuple[str, str], list[str]] = {}
    for comparison in comparisons:
        measures.setdefault((comparison.case, comparison.run), []).append(comparison.measure)
    folded: dict[tuple[str, ...], list[str]] = {}
    for (case, run), names in measures.items():
        folded.setdefault(tuple(dict.fromkeys(names)), []).append(f"{case} / {run}")
    return [(where, list(names)) for names, where in folded.items()]
