"""Result documents: their general fields, counts and exit code, and how several are merged."""

from __future__ import annotations

import platform
from collections import Counter
from collections.abc import Sequence
from enum import IntEnum
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypeVar, get_args

from msgspec import Struct
from msgspec.structs import asdict, replace

from crosscheck import __version__, results
from crosscheck.backends.base import installed_version
from crosscheck.errors import InputError, UsageError, quoted
from crosscheck.names import parse_measure

if TYPE_CHECKING:
    from crosscheck.audit_records import Audit, AuditDocument, PropertyDocument, PropertyReport


#: Packages whose versions a document records if they are installed.
_PACKAGES = ("numpy", "pytrec-eval-terrier", "ir-measures", "evaluate", "trectools", "pandas", "scipy")


def made_by(seed: int = 0) -> dict[str, Any]:
    """The fields ``tool`` and ``environment`` of a document: this program, Python and the packages.

    Args:
        seed: the seed from which inputs were drawn.
    """
    installed = {package: version for package in _PACKAGES if (version := installed_version(package))}
    python, system = platform.python_version(), platform.platform(terse=True)
    environment = results.Environment(python=python, platform=system, seed=seed, packages=installed)
    return {"tool": results.Tool("crosscheck", __version__), "environment": environment}


def document_of(report: Audit | PropertyReport) -> AuditDocument | PropertyDocument:
    """The document of an audit, or of the properties of a metric."""
    from crosscheck.audit_records import Audit, AuditDocument, PropertyDocument

    fields = made_by(report.seed) | {"schema_version": results.SCHEMA_VERSION}
    if isinstance(report, Audit):
        return AuditDocument(**fields, audit=report)
    return PropertyDocument(**fields, properties=report)


def summarise(comparisons: Sequence[results.Comparison]) -> results.Summary:
    """The numbers of comparisons per outcome and of mismatches per cause."""
    outcomes = Counter(c.outcome for c in comparisons)
    causes = Counter(cause for c in comparisons if c.diagnosis for cause in c.diagnosis.causes)
    return results.Summary(
        comparisons=len(comparisons),
        **{outcome: outcomes[outcome] for outcome in get_args(results.Outcome)},
        unexpected=sum(not c.expected for c in comparisons),
        stale=sum(c.stale for c in comparisons),
        causes=dict(sorted(causes.items())),
    )


FailOn: TypeAlias = Literal["unexpected", "mismatch", "never"]


class ExitCode(IntEnum):
    """The exit code of a command. 0: as expected. 1: a mismatch that is not declared, or a stale expectation.
    2: bad input. 3: inconclusive. 130: interrupted by Ctrl-C."""

    AS_EXPECTED = 0
    UNEXPECTED = 1
    BAD_INPUT = 2
    INCONCLUSIVE = 3
    INTERRUPTED = 130


def exit_code(document: results.Document, *, fail_on: FailOn = "unexpected") -> ExitCode:
    """The exit code of a run, from its document.

    An interrupted run always gives ``INTERRUPTED``. An undeclared mismatch, or a broken measure of
    crosscheck, takes precedence over an inconclusive result. A result is inconclusive if nothing was
    compared, if the reference or another needed backend is not available, or if a backend failed on a
    comparison and the failure was not declared. Comparisons that only inform do not affect the exit code,
    except that they show that something was compared.

    Args:
        document: the result of the run.
        fail_on: the mismatches that fail the run: ``unexpected`` (those that are not declared), ``mismatch``
            (all) or ``never`` (none).
    """
    if not document.complete:
        return ExitCode.INTERRUPTED
    counted = [c for c in document.comparisons if not c.informs]
    differing = [c for c in counted if c.outcome == "mismatch" or c.stale]
    failing = [c for c in differing if fail_on == "mismatch" or not c.expected]
    if fail_on != "never" and (document.broken or failing):
        return ExitCode.UNEXPECTED
    failed = any(c.outcome == "error" and not c.expected for c in counted)
    compared = any(c.outcome in ("match", "mismatch") for c in document.comparisons)
    if absent_backends(document) or failed or not compared:
        return ExitCode.INCONCLUSIVE
    return ExitCode.AS_EXPECTED


def absent_backends(document: results.Document) -> list[results.BackendRecord]:
    """The backends that are needed but not available: the reference, and those that the user named."""
    absent = [backend for backend in document.backends if not backend.available]
    return [backend for backend in absent if backend.needed or backend.id == document.reference]


_Record = TypeVar("_Record")


class CaseResults(Struct, frozen=True, kw_only=True):
    """All results of one case, in the fields of :class:`~crosscheck.results.Document`."""

    comparisons: list[results.Comparison] = []
    inputs: list[results.Inputs] = []
    impacts: list[results.Impact] = []
    groups: list[results.GroupResult] = []
    tools: list[results.ToolConventions] = []
    evidence: list[results.Exhibit] = []
    broken: list[results.BrokenMeasure] = []


#: The fields of a document that hold the results of cases.
_PARTS = CaseResults.__struct_fields__


def document_of_cases(cases: Sequence[CaseResults | results.Document], **fields: Any) -> results.Document:
    """Join the results of all cases in one document.

    To keep the document small, it holds evidence only for the first comparison of each candidate, cause and
    measure.

    Args:
        cases: the results of each case.
        fields: the other fields of the document.
    """
    parts: dict[str, Any] = {name: [one for case in cases for one in getattr(case, name)] for name in _PARTS}
    causes = {results.identity(c): c.diagnosis.causes for c in parts["comparisons"] if c.diagnosis}
    first: dict[tuple[object, ...], results.Exhibit] = {}
    for e in parts["evidence"]:
        first.setdefault((e.candidate, e.measure, *causes.get(results.identity(e), ())), e)
    fields |= {"evidence": list(first.values()), "summary": summarise(parts["comparisons"])}
    return _without_diagnoses(results.Document(**{**parts, **fields}))


def merged(documents: Sequence[results.Document], paths: Sequence[str]) -> results.Document:
    """Merge documents that compare different cases, runs, measures or candidates.

    Raises:
        UsageError: the documents have different references.
        InputError: two documents have a comparison in common.
    """
    first = documents[0]
    path_of: dict[results.Identity, str] = {}
    for document, path in zip(documents, paths, strict=True):
        if document.reference != first.reference:
            problem = f"has a different reference ({document.reference}, not {first.reference})"
            raise UsageError(f"{quoted(path)} {problem}", hint="merge only documents with the same reference")
        for c in document.comparisons:
            if results.identity(c) in path_of:
                problem = f"a comparison is also in {quoted(path_of[results.identity(c)])}"
                found = f"{c.case} / {c.run}, {c.measure}, {c.candidate}"
                expected = "documents that have no comparison in common"
                raise InputError(problem, path=path, found=found, expected=expected)
            path_of[results.identity(c)] = path
    about = {field: value for field, value in asdict(first).items() if field not in _PARTS}
    about["complete"] = all(document.complete for document in documents)
    backends = [b for document in documents for b in document.backends]
    about["backends"] = list({b.id: b for b in sorted(backends, key=lambda b: b.needed)}.values())
    together = document_of_cases(documents, **about)
    return replace(
        together,
        inputs=list({(i.case, i.run): i for i in together.inputs}.values()),
        impacts=_without_conflicts(together.impacts, "case", "measure", "candidate"),
        tools=_without_conflicts(together.tools, "case", "run", "candidate"),
    )


def _without_conflicts(records: list[_Record], *fields: str) -> list[_Record]:
    """The records without duplicates. If records have the same values of ``fields`` but differ in another
    field, all of them are left out: each was made from a part of the runs or measures only."""
    by_fields: dict[tuple[str, ...], list[_Record]] = {}
    for one in records:
        same = by_fields.setdefault(tuple(getattr(one, field) for field in fields), [])
        if one not in same:
            same.append(one)
    return [same[0] for same in by_fields.values() if len(same) == 1]


def _without_diagnoses(document: results.Document) -> results.Document:
    """Remove all results that were computed by a broken measure of crosscheck, such as the causes of its
    mismatches. For each broken measure only the first finding stays.

    If a measure is broken at one cutoff or level, it is treated as broken at every cutoff and level. Its
    mismatches are never expected, because a declared cause cannot be confirmed.
    """
    if not document.broken:
        return document
    first: dict[str, results.BrokenMeasure] = {}
    for finding in document.broken:
        first.setdefault(finding.measure, finding)
    broken = {parse_measure(measure).family: measure for measure in reversed(first)}

    def culprit(measure: str) -> str | None:
        return broken.get(parse_measure(measure).family)

    def without(c: results.Comparison) -> results.Comparison:
        if c.diagnosis is None or culprit(c.measure) is None:
            return c
        reason = f"The cause was not looked for, because crosscheck's own {culprit(c.measure)} is broken."
        diagnosis = replace(results.without_cause(c.diagnosis.of, reason), trusted=False)
        cells = [replace(cell, causes=["unexplained"], documents=[], ties=None) for cell in c.cells]
        return replace(c, expected=False, message=None, reason=None, diagnosis=diagnosis, cells=cells)

    comparisons = list(map(without, document.comparisons))
    return replace(
        document,
        comparisons=comparisons,
        tools=[t for t in document.tools if not any(map(culprit, (*t.measures, *t.rest)))],
        evidence=[e for e in document.evidence if not culprit(e.measure)],
        summary=summarise(comparisons),
        broken=list(first.values()),
    )
