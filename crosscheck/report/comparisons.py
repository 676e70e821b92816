"""Comparisons of a run as every report shows them: their status, their groups, and the verdict in words."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence

from msgspec import Struct

from crosscheck.conventions import AxisValue
from crosscheck.errors import count
from crosscheck.report.page import Id, Status
from crosscheck.report.tables import contrast, short
from crosscheck.report.words import cause_list, clip
from crosscheck.results import (
    Alternative,
    Cell,
    Comparison,
    Diagnosis,
    Document,
    Evidence,
    GroupResult,
    Inputs,
    TieInterval,
    ToolConventions,
    as_float,
)


def identity(one: Comparison | Evidence) -> tuple[str, str, str, str]:
    """The key of a comparison, unique in its document: case, run, measure and candidate."""
    return one.case, one.run, one.measure, one.candidate


def place(one: Comparison | Inputs | GroupResult | ToolConventions) -> Id:
    """Case and run as reports show them: ``case / run``."""
    return Id(f"{one.case} / {one.run}")


def status(comparison: Comparison) -> Status:
    """The status of a comparison; a mismatch that only informs is ``DIFFERS``, even if it was expected."""
    unexpected = {"error": Status.ERROR, "mismatch": Status.UNEXPECTED}.get(comparison.outcome)
    if comparison.outcome == "mismatch" and comparison.informs:
        return Status.DIFFERS
    if unexpected is not None:
        return Status.KNOWN if comparison.expected else unexpected
    if comparison.stale:
        return Status.STALE
    if not comparison.expected:
        return Status.UNEXPECTED
    return Status.AGREE if comparison.outcome == "match" else Status.UNSUPPORTED


def with_status(document: Document, *wanted: Status) -> list[Comparison]:
    """The comparisons that have one of the ``wanted`` statuses, in the document's order."""
    return [comparison for comparison in document.comparisons if status(comparison) in wanted]


def tally(document: Document) -> dict[str, Counter[Status]]:
    """Candidate -> how many of its comparisons have each status; in order of first appearance."""
    counts: dict[str, Counter[Status]] = {}
    for comparison in document.comparisons:
        counts.setdefault(comparison.candidate, Counter())[status(comparison)] += 1
    return counts


def saved(document: Document) -> list[str]:
    """Candidates that no backend computed here: published and recorded numbers that came with the cases."""
    computed = {backend.id for backend in document.backends}
    return [candidate for candidate in tally(document) if candidate not in computed]


def differing(comparison: Comparison) -> str:
    """How many of the compared queries differ: ``1 of 50``, or ``mean only``."""
    number = comparison.mismatches + comparison.missing
    return f"{number:,} of {comparison.queries:,}" if number else "mean only"


def printed(comparison: Comparison) -> int | None:
    """The larger number of decimals of the two sides; None unless both sides were printed."""
    ours, theirs = comparison.reference_decimals, comparison.candidate_decimals
    return None if ours is None or theirs is None else max(ours, theirs)


_NUMBERS = re.compile(r"\d[\d.,]*")


class Bundle(Struct, frozen=True):
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


def bundles(comparisons: Iterable[Comparison]) -> list[Bundle]:
    """Bundle comparisons by candidate, reference, outcome and explanation.

    The groups with the highest strength come first. Within a group, the order is that of
    :func:`largest_first`.
    """
    found: dict[object, list[Comparison]] = {}
    for c in comparisons:
        story: object = _NUMBERS.sub("#", c.message or "")
        if c.diagnosis:
            story = (tuple(c.diagnosis.causes), whole(c.diagnosis))
        found.setdefault((c.candidate, c.reference, c.outcome, story), []).append(c)
    made = [Bundle(tuple(largest_first(members))) for members in found.values()]
    return sorted(made, key=lambda group: _SURENESS.get(group.strength, 4))


#: Strength -> its position in the order in which findings are listed.
_SURENESS = {"proved": 0, "consistent": 1, "per-query": 2, "none": 3}


def whole(diagnosis: Diagnosis) -> bool:
    """Whether a diagnosis explains everything that was compared, and not only a part of it."""
    return diagnosis.strength in ("proved", "consistent")


def alternatives(group: Bundle) -> list[tuple[Alternative, int]]:
    """Alternative explanations of a group, each with the number of comparisons it fits; highest first."""
    found: dict[object, tuple[Alternative, int]] = {}
    for comparison in group.comparisons:
        for other in comparison.diagnosis.alternatives if comparison.diagnosis else []:
            key = (tuple(other.causes), tuple(sorted(other.conventions.items())))
            found[key] = (other, found.get(key, (other, 0))[1] + 1)
    return sorted(found.values(), key=lambda entry: -entry[1])


def worst(group: Bundle) -> list[tuple[Comparison, Cell]]:
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


def subject(group: Bundle) -> Id | str:
    """The causes of a mismatch, or the status of another outcome, for titles."""
    first = group.first
    return Id(cause_list(group.causes)) if first.outcome == "mismatch" else str(status(first))


def evidence(group: Bundle) -> str:
    """The strength of the explanation and the number of queries it reproduces; empty without a diagnosis."""
    if group.diagnosis is None:
        return ""
    if not group.diagnosis.trusted:
        return "none: no cause was looked for"
    strength = group.diagnosis.strength
    diagnoses = [c.diagnosis for c in group.comparisons if c.diagnosis and c.diagnosis.strength == strength]
    held, total = sum(d.reproduced for d in diagnoses), sum(d.of for d in diagnoses)
    fits, tried = sum(d.fits for d in diagnoses), sum(d.tried for d in diagnoses)
    values = reproduced(held, total)
    if len(diagnoses) > 1:
        values += f" (summed over {len(diagnoses):,} comparisons)"
    what = "these conventions reproduce" if group.conventions else "this explains"
    match strength:
        case "proved":
            return f"proved: {what} {values}"
        case "consistent" if tried and total:
            sets = f"{fits:,} of {tried:,} sets of conventions {'does' if fits == 1 else 'do'}"
            return f"consistent, not proved: {what} {values}; {sets}"
        case "consistent":
            return f"consistent, not proved: {what} {values}; another reason is not excluded"
        case "per-query":
            return f"per query: {values} can be reproduced, but not all by the same conventions"
        case "none" if not total:
            return f"none: {values}, cannot be reproduced"
        case "none":
            rest = "the mean is not" if held == total else "the others are not"
            return f"none: {values} can be reproduced, {rest}"


def reproduced(held: int, total: int) -> str:
    """The number of reproduced queries of all compared ones, in words; or that there is only a mean."""
    return f"{held:,} of {count(total, 'query')}" if total else "the mean, the only number there is"


def interval_words(ties: TieInterval) -> str:
    """The range of a value over the orders of tied documents, in words."""
    text = f"any order of the tied documents gives {short(ties.worst)} to {short(ties.best)}"
    return text if ties.expected is None else f"{text}, {short(ties.expected)} on average"


def as_expected(document: Document) -> bool:
    """Whether numbers were compared, every comparison came out as expected, and none was left out."""
    return document.complete and _compared(document) and not (_surprises(document) or document.broken)


def _compared(document: Document) -> bool:
    return any(c.outcome in ("match", "mismatch") for c in document.comparisons)


def broken(document: Document) -> str:
    """The sentences about crosscheck's own measures that are broken; empty if none is known to be."""
    if not document.broken:
        return ""
    first, *others = document.broken
    values = contrast(first.backend_value, first.own_value)
    query = f" in query {clip(first.query)}" if first.query is not None else ""
    named = [one.measure for one in others[:_NAMED]]
    named += [f"{rest:,} more"] if (rest := len(others) - len(named)) else []
    more = f" {_joined(named)} {'is' if len(others) == 1 else 'are'} broken too." if others else ""
    return (
        f"crosscheck's own {first.measure} is broken: {values.candidate} instead of "
        f"{clip(first.backend)}'s {values.reference}{query}.{more} No diagnosis of "
        f"{'these measures' if others else 'this measure'} can be trusted, and none is given."
    )


#: Most broken measures that are named besides the first.
_NAMED = 4
_MISSING = "the comparisons that are not listed here were not made"


def verdict(document: Document) -> str:
    """The result of the whole run in a few sentences."""
    totals = Counter(map(status, document.comparisons))
    head = f"{said} " if (said := broken(document)) else ""
    head += "" if document.complete else f"Interrupted: {_MISSING}. "
    absent = ", ".join(clip(backend.id) for backend in document.backends if not backend.available)
    tail = f" Not available here, and so not compared: {absent}." if absent else ""
    if not document.comparisons:
        return f"{head}Inconclusive: nothing was compared.{tail}"
    compared, match = totals.total(), totals[Status.AGREE]
    informing = sum(c.informs and status(c) in (Status.DIFFERS, Status.ERROR) for c in document.comparisons)
    parts = [
        f"{match:,} of {count(compared, 'comparison')} {'agrees' if 1 in (match, compared) else 'agree'}",
        *_some(totals[Status.KNOWN], "came out as declared"),
        *_some(totals[Status.UNSUPPORTED], "ask{s} for a measure the candidate lacks"),
        *_some(informing, "differ{s} in a tool that nobody named, which informs and fails nothing"),
    ]
    if surprises := _surprises(document):
        head += f"Not as expected: {_joined(surprises)}. "
    elif not _compared(document):
        head += "Inconclusive: no two numbers were compared. "
    elif not document.broken:
        head += "As expected. "
    return f"{head}{_joined(parts)}.{tail}"


def _surprises(document: Document) -> list[str]:
    totals = Counter(status(c) for c in document.comparisons if not c.informs)
    return [
        *_some(totals[Status.UNEXPECTED], "comparison{p} differ{s} without being declared"),
        *_some(totals[Status.STALE], "declared difference{p} no longer happen{s}"),
        *_some(totals[Status.ERROR], "comparison{p} failed"),
    ]


def _some(number: int, said: str) -> list[str]:
    """A number with words about it, as a list; empty for 0.

    In the words, ``{p}`` stands for the plural ending of a noun, ``{s}`` for that of a singular verb.
    """
    one = number == 1
    return [f"{number:,} {said.format(p='' if one else 's', s='s' if one else '')}"] if number else []


def _joined(parts: list[str]) -> str:
    return parts[0] if len(parts) == 1 else ", ".join(parts[:-1]) + " and " + parts[-1]
