"""Exit codes of the command line; scripts rely on them."""

from __future__ import annotations

from collections.abc import Collection
from enum import IntEnum
from typing import Literal, TypeAlias

from crosscheck.results import BackendRecord, Document

__all__ = ["ExitCode", "FailOn", "absent_backends", "exit_code"]

FailOn: TypeAlias = Literal["unexpected", "mismatch", "never"]


class ExitCode(IntEnum):
    """0 as expected; 1 undeclared mismatch or stale expectation; 2 bad input; 3 inconclusive; 130 ^C."""

    AS_EXPECTED = 0
    UNEXPECTED = 1
    BAD_INPUT = 2
    INCONCLUSIVE = 3
    INTERRUPTED = 130


def exit_code(
    document: Document, *, fail_on: FailOn = "unexpected", required: Collection[str] = ()
) -> ExitCode:
    """The exit code of a finished document.

    An undeclared mismatch, or a broken measure of crosscheck, takes precedence over inconclusive results. A
    result is inconclusive if nothing was compared, a required backend (always including the reference) is not
    available, or a backend failed on a comparison without an expectation for it. An interrupted run always
    gives ``INTERRUPTED``.
    Mismatches and failures that only inform do not count.

    Args:
        fail_on: ``mismatch`` counts declared mismatches as well, ``never`` counts none.
        required: backend ids that must be available.
    """
    if not document.complete:
        return ExitCode.INTERRUPTED
    if document.broken and fail_on != "never":
        return ExitCode.UNEXPECTED
    counted = [c for c in document.comparisons if not c.informs]
    differing = [c for c in counted if c.outcome == "mismatch" or c.stale]
    if fail_on == "mismatch" and differing:
        return ExitCode.UNEXPECTED
    if fail_on == "unexpected" and any(not c.expected for c in differing):
        return ExitCode.UNEXPECTED
    failed = any(c.outcome == "error" and not c.expected for c in counted)
    compared = any(c.outcome in ("match", "mismatch") for c in document.comparisons)
    if absent_backends(document, required) or failed or not compared:
        return ExitCode.INCONCLUSIVE
    return ExitCode.AS_EXPECTED


def absent_backends(document: Document, required: Collection[str]) -> list[BackendRecord]:
    """The required backends that are not available: the reference, and those in ``required``."""
    needed = {document.reference, *required}
    return [about for about in document.backends if about.id in needed and not about.available]
