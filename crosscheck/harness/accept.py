"""Declaration of known mismatches: one expectation per mismatch, in the ``case.toml`` of its case."""

from collections.abc import Collection, Sequence
from pathlib import Path

from msgspec.structs import replace

from crosscheck.compare import find_expectation
from crosscheck.formats.expectations import Show, accept, remove
from crosscheck.harness.document import summarise
from crosscheck.harness.runner import checked
from crosscheck.model import Case, Expectation
from crosscheck.names import is_measure, parse_measure
from crosscheck.results import Comparison, Diagnosis, Document


def accept_mismatches(
    document: Document,
    cases: Sequence[Case],
    reason: str,
    *,
    unexplained: bool = False,
    show: Show = lambda path, before, after: None,
) -> tuple[Document, int]:
    """Write an expectation for every unexpected mismatch into the ``case.toml`` beside its qrels.

    Entries for comparisons that are not in this document stay, and so do stale entries, because a user should
    examine why a mismatch vanished. Failures of a backend are not accepted.

    Args:
        document: the result of a run.
        cases: the cases that were compared.
        reason: why the mismatches are known; written into every entry.
        unexplained: accept mismatches of strength ``none`` as well, unless crosscheck's own measure is
            broken. If False, they stay unexpected.
        show: called with each change before it is written.

    Returns:
        The document with the new entries applied, and the number of entries written.

    Raises:
        UsageError: the reason of an entry is empty.
        InputError: a ``case.toml`` cannot be edited.
    """
    chosen = [c for c in document.comparisons if is_open(c) and _may_be_declared(c.diagnosis, unexplained)]
    for case in cases:
        if comparisons := [c for c in chosen if c.case == case.name]:
            config = case.config or str(Path(case.qrels).parent / "case.toml")
            declared = [_expectation(c, reason, several_runs=len(case.runs) > 1) for c in comparisons]
            accept(config, declared, _canonical, show)
    return _as_expected(document, set(map(id, chosen)), reason), len(chosen)


def prune_stale(document: Document, cases: Sequence[Case], *, show: Show) -> tuple[Document, int]:
    """Remove an expectation from its ``case.toml`` if all comparisons that it declares are stale.

    Returns:
        The document with these comparisons marked as expected, and the number of expectations removed.

    Raises:
        InputError: a ``case.toml`` cannot be edited.
    """
    pruned: set[int] = set()
    removed = 0
    for case in cases:
        expectations = checked(case).expectations
        of_case = [c for c in document.comparisons if c.case == case.name]
        declared = [(find_expectation(expectations, c.candidate, c.measure, c.run), c) for c in of_case]
        happening = {e for e, c in declared if not c.stale}
        stale = [e for e in dict.fromkeys(e for e, _ in declared) if e is not None and e not in happening]
        if stale and case.config:
            remove(case.config, stale, _canonical, show)
            removed += len(stale)
            pruned |= {id(c) for e, c in declared if e in stale}
    return _as_expected(document, pruned, None), removed


def _as_expected(document: Document, chosen: Collection[int], reason: str | None) -> Document:
    """The document with the comparisons that have these object ids marked as expected."""
    fields = {"expected": True, "stale": False, "message": None, "reason": reason}
    comparisons = [replace(c, **fields) if id(c) in chosen else c for c in document.comparisons]
    return replace(document, comparisons=comparisons, summary=summarise(comparisons))


def is_open(comparison: Comparison) -> bool:
    """Whether a comparison is an undeclared mismatch."""
    return comparison.outcome == "mismatch" and not comparison.expected


def _may_be_declared(diagnosis: Diagnosis | None, unexplained: bool) -> bool:
    explained = diagnosis is not None and diagnosis.strength != "none"
    return explained or (unexplained and (diagnosis is None or diagnosis.trusted))


def _expectation(comparison: Comparison, reason: str, *, several_runs: bool) -> Expectation:
    diagnosis = comparison.diagnosis
    return Expectation(
        candidate=comparison.candidate,
        measure=comparison.measure,
        causes=tuple(diagnosis.causes) if diagnosis else (),
        reason=reason,
        run=comparison.run if several_runs else None,
        strength=diagnosis.strength if diagnosis else None,
    )


def _canonical(name: str) -> str:
    """The canonical name of a measure. Text that does not name a measure is returned unchanged."""
    return str(parse_measure(name)) if is_measure(name) else name
