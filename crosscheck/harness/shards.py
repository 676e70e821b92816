"""Merging of the documents of different cases, runs, measures or candidates into one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from msgspec.structs import replace

from crosscheck.errors import InputError, UsageError, quoted
from crosscheck.harness.broken import without_diagnoses
from crosscheck.harness.details import first_of_each_kind
from crosscheck.harness.document import summarise
from crosscheck.results import Comparison, Document

_Record = TypeVar("_Record")


def merged(documents: Sequence[Document], paths: Sequence[str]) -> Document:
    """One document with the comparisons of all documents, in their order.

    Raises:
        UsageError: the documents have different references.
        InputError: two documents have a comparison in common.
    """
    first = documents[0]
    seen: dict[tuple[str, str, str, str], str] = {}
    for document, path in zip(documents, paths, strict=True):
        if document.reference != first.reference:
            raise UsageError(
                f"{quoted(path)} has another reference ({document.reference}, not {first.reference})",
                hint="merge documents of one reference",
            )
        for c in document.comparisons:
            place = (c.case, c.run, c.measure, c.candidate)
            if place in seen:
                raise InputError(
                    f"the same comparison is in {quoted(seen[place])}",
                    path=path,
                    found=f"{c.case} / {c.run}, {c.measure}, {c.candidate}",
                    expected="documents that have no comparison in common",
                )
            seen[place] = path
    broken = [one for document in documents for one in document.broken]
    comparisons: list[Comparison] = [c for document in documents for c in document.comparisons]
    document = replace(
        first,
        complete=all(document.complete for document in documents),
        backends=list({b.id: b for document in documents for b in document.backends}.values()),
        inputs=list({(i.case, i.run): i for document in documents for i in document.inputs}.values()),
        comparisons=comparisons,
        summary=summarise(comparisons),
        impacts=_undisputed([i for d in documents for i in d.impacts], "case", "measure", "candidate"),
        groups=[group for document in documents for group in document.groups],
        tools=_undisputed([tool for d in documents for tool in d.tools], "case", "run", "candidate"),
        evidence=first_of_each_kind((e for d in documents for e in d.evidence), comparisons),
        broken=broken,
    )
    return without_diagnoses(document)


def _undisputed(found: list[_Record], *fields: str) -> list[_Record]:
    """The records without duplicates, and without records that have the same ``fields`` but differ otherwise:
    each was made from a part of the runs or measures, and none is true of all."""
    held: dict[tuple[str, ...], list[_Record]] = {}
    for one in found:
        same = held.setdefault(tuple(getattr(one, field) for field in fields), [])
        if one not in same:
            same.append(one)
    return [same[0] for same in held.values() if len(same) == 1]
