"""The parts of a document that are about all of it: its environment, counts and exit code."""

from __future__ import annotations

import platform
from collections import Counter
from collections.abc import Collection, Sequence
from enum import IntEnum
from importlib import metadata
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from crosscheck import __version__
from crosscheck.results import (
    SCHEMA_VERSION,
    BackendRecord,
    Comparison,
    Document,
    Environment,
    Summary,
    Tool,
)

if TYPE_CHECKING:
    from crosscheck.audit_records import Audit, AuditDocument, PropertyDocument, PropertyReport

#: Packages whose versions the document records when they are installed.
_PACKAGES = ("numpy", "pytrec-eval-terrier", "ir-measures", "evaluate", "trectools", "pandas", "scipy")


def made_by(seed: int = 0) -> dict[str, Any]:
    """The fields ``tool`` and ``environment`` of a document: this program, Python, and what it computes with.

    Args:
        seed: that from which inputs were drawn.
    """
    installed: dict[str, str] = {}
    for package in _PACKAGES:
        try:
            installed[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            continue
    python, system = platform.python_version(), platform.platform(terse=True)
    environment = Environment(python=python, platform=system, seed=seed, packages=installed)
    return {"tool": Tool("crosscheck", __version__), "environment": environment}


def document_of(report: Audit | PropertyReport) -> AuditDocument | PropertyDocument:
    """The document of an audit, or of the properties of a metric."""
    from crosscheck.audit_records import Audit, AuditDocument, PropertyDocument

    fields = made_by(report.seed) | {"schema_version": SCHEMA_VERSION}
    if isinstance(report, Audit):
        return AuditDocument(**fields, audit=report)
    return PropertyDocument(**fields, properties=report)


def summarise(comparisons: Sequence[Comparison]) -> Summary:
    """Counts over all comparisons."""
    outcomes = Counter(c.outcome for c in comparisons)
    found = Counter(cause for c in comparisons if c.diagnosis for cause in c.diagnosis.causes)
    return Summary(
        comparisons=len(comparisons),
        match=outcomes["match"],
        mismatch=outcomes["mismatch"],
        error=outcomes["error"],
        unsupported=outcomes["unsupported"],
        unexpected=sum(not c.expected for c in comparisons),
        stale=sum(c.stale for c in comparisons),
        causes=dict(sorted(found.items())),
    )


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
