"""Documents of runs over different cases, runs, measures or candidates, put together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from crosscheck.errors import InputError, UsageError, quoted
from crosscheck.harness.summary import summarise
from crosscheck.results import Comparison, Document

__all__ = ["merged"]


def merged(documents: Sequence[Document], paths: Sequence[str]) -> Document:
    """One document that holds all of them, in their order.

    Raises:
        UsageError: they were compared with different references.
        InputError: the same comparison is in two of them.
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
    comparisons: list[Comparison] = [c for document in documents for c in document.comparisons]
    return replace(
        first,
        complete=all(document.complete for document in documents),
        backends=list({b.id: b for document in documents for b in document.backends}.values()),
        inputs=list({(i.case, i.run): i for document in documents for i in document.inputs}.values()),
        comparisons=comparisons,
        summary=summarise(comparisons),
        impacts=[impact for document in documents for impact in document.impacts],
        groups=[group for document in documents for group in document.groups],
        tools=[tool for document in documents for tool in document.tools],
        evidence=[one for document in documents for one in document.evidence],
    )
