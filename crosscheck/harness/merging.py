"""Results of cases, and whole documents, put together in one document."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

from msgspec import Struct
from msgspec.structs import asdict, replace

from crosscheck.errors import InputError, UsageError, quoted
from crosscheck.harness.document import summarise
from crosscheck.names import parse_measure
from crosscheck.results import (
    BrokenMeasure,
    Comparison,
    Diagnosis,
    Document,
    Exhibit,
    GroupResult,
    Identity,
    Impact,
    Inputs,
    ToolConventions,
    identity,
)

_Record = TypeVar("_Record")


class CaseResults(Struct, frozen=True, kw_only=True):
    """All results of one case, in the fields of :class:`~crosscheck.results.Document`."""

    comparisons: list[Comparison] = []
    inputs: list[Inputs] = []
    impacts: list[Impact] = []
    groups: list[GroupResult] = []
    tools: list[ToolConventions] = []
    evidence: list[Exhibit] = []
    broken: list[BrokenMeasure] = []


def document_of_cases(results: Sequence[CaseResults | Document], **about: Any) -> Document:
    """The results of all cases as one document.

    Evidence is that of the first comparison of each candidate, cause and measure, to keep the document small.

    Args:
        about: the other fields of the document.
    """
    parts: dict[str, Any] = {
        field: [one for of in results for one in getattr(of, field)]
        for field in CaseResults.__struct_fields__
    }
    causes = {identity(c): c.diagnosis.causes for c in parts["comparisons"] if c.diagnosis}
    first: dict[tuple[object, ...], Exhibit] = {}
    for e in parts["evidence"]:
        first.setdefault((e.candidate, e.measure, *causes.get(identity(e), ())), e)
    about |= {"evidence": list(first.values()), "summary": summarise(parts["comparisons"])}
    return _without_diagnoses(Document(**{**parts, **about}))


def merged(documents: Sequence[Document], paths: Sequence[str]) -> Document:
    """One document with the comparisons of documents of different cases, runs, measures or candidates.

    Raises:
        UsageError: the documents have different references.
        InputError: two documents have a comparison in common.
    """
    first = documents[0]
    seen: dict[Identity, str] = {}
    for document, path in zip(documents, paths, strict=True):
        if document.reference != first.reference:
            raise UsageError(
                f"{quoted(path)} has another reference ({document.reference}, not {first.reference})",
                hint="merge documents of one reference",
            )
        for c in document.comparisons:
            if identity(c) in seen:
                raise InputError(
                    f"the same comparison is in {quoted(seen[identity(c)])}",
                    path=path,
                    found=f"{c.case} / {c.run}, {c.measure}, {c.candidate}",
                    expected="documents that have no comparison in common",
                )
            seen[identity(c)] = path
    parts = CaseResults.__struct_fields__
    about = {field: value for field, value in asdict(first).items() if field not in parts}
    about["complete"] = all(document.complete for document in documents)
    about["backends"] = list({b.id: b for document in documents for b in document.backends}.values())
    together = document_of_cases(documents, **about)
    return replace(
        together,
        inputs=list({(i.case, i.run): i for i in together.inputs}.values()),
        impacts=_undisputed(together.impacts, "case", "measure", "candidate"),
        tools=_undisputed(together.tools, "case", "run", "candidate"),
    )


def _undisputed(records: list[_Record], *fields: str) -> list[_Record]:
    """The records without duplicates, and without records that have the same ``fields`` but differ otherwise:
    each was made from a part of the runs or measures, and none is true of all."""
    held: dict[tuple[str, ...], list[_Record]] = {}
    for one in records:
        same = held.setdefault(tuple(getattr(one, field) for field in fields), [])
        if one not in same:
            same.append(one)
    return [same[0] for same in held.values() if len(same) == 1]


def _without_diagnoses(document: Document) -> Document:
    """A document without what its broken measures were used for: no cause of their mismatches is named. Of
    several findings of one measure only the first stays.

    A measure is broken at every cutoff and level if it is at one. No expectation of its mismatches is met,
    because a declared cause cannot be confirmed.
    """
    if not document.broken:
        return document
    first: dict[str, BrokenMeasure] = {}
    for one in document.broken:
        first.setdefault(one.measure, one)
    broken = {parse_measure(measure).family: measure for measure in reversed(first)}

    def culprit(measure: str) -> str | None:
        return broken.get(parse_measure(measure).family)

    comparisons = [_without_cause(c, culprit(c.measure)) for c in document.comparisons]
    return replace(
        document,
        comparisons=comparisons,
        tools=[t for t in document.tools if not any(map(culprit, (*t.measures, *t.rest)))],
        evidence=[e for e in document.evidence if not culprit(e.measure)],
        summary=summarise(comparisons),
        broken=list(first.values()),
    )


def _without_cause(c: Comparison, culprit: str | None) -> Comparison:
    if culprit is None or c.diagnosis is None:
        return c
    diagnosis = Diagnosis(
        strength="none",
        causes=["unexplained"],
        conventions={},
        reproduced=0,
        of=c.diagnosis.of,
        alternatives=[],
        explanation=f"No cause is looked for: crosscheck's own {culprit} is broken.",
        trusted=False,
    )
    cells = [replace(cell, causes=["unexplained"], documents=[], ties=None) for cell in c.cells]
    return replace(c, expected=False, message=None, reason=None, diagnosis=diagnosis, cells=cells)
