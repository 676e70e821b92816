"""The status of every comparison, and how often each occurs."""

from __future__ import annotations

import os
from collections import Counter

from crosscheck.report.page import Id, Status
from crosscheck.results import Comparison, Document, Evidence, GroupResult, Inputs, ToolConventions


def identity(one: Comparison | Evidence) -> tuple[str, str, str, str]:
    """The key of a comparison, unique in its document: case, run, measure and candidate."""
    return one.case, one.run, one.measure, one.candidate


def place(one: Comparison | Inputs | GroupResult | ToolConventions) -> Id:
    """Case and run as reports show them: ``case / run``."""
    return Id(f"{one.case} / {one.run}")


def file(path: str) -> Id:
    """The name of a file with its folder, as many files are called qrels."""
    return Id("/".join(path.split("/")[-2:]))


def files(*paths: str) -> list[Id]:
    """Files by their names, or by their paths where two have the same name."""
    names = [os.path.basename(path) for path in paths]
    return [Id(name) for name in (names if len(set(names)) == len(paths) else paths)]


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
