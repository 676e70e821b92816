"""Results per group of queries, arranged for a reader: agreement first, then the means that differ."""

from __future__ import annotations

from dataclasses import dataclass

from crosscheck.report._escape import clip
from crosscheck.results import Document, GroupResult

__all__ = ["GroupAgreement", "agreement_by_group", "columns", "group_name"]


@dataclass(frozen=True, slots=True)
class GroupAgreement:
    """All values of one candidate on the queries of one group, over cases, runs and measures."""

    group: str | None
    candidate: str
    values: int
    matches: int
    mismatches: int
    missing: int


def columns(document: Document) -> list[str]:
    """The columns that results were grouped by."""
    return list(dict.fromkeys(result.column for result in document.groups))


def group_name(group: str | None) -> str:
    """A group as text; queries without one are told in words."""
    return "(no group)" if group is None else clip(group)


def agreement_by_group(document: Document, column: str) -> list[GroupAgreement]:
    """How often each candidate agrees in each group; by candidate in their order, then by group."""
    found: dict[tuple[str, str | None], list[GroupResult]] = {}
    for result in document.groups:
        if result.column == column:
            found.setdefault((result.candidate, result.group), []).append(result)
    order = list(dict.fromkeys(candidate for candidate, _ in found))
    rows = [
        GroupAgreement(
            group=group,
            candidate=candidate,
            values=sum(r.queries for r in results),
            matches=sum(r.matches for r in results),
            mismatches=sum(r.mismatches for r in results),
            missing=sum(r.missing for r in results),
        )
        for (candidate, group), results in found.items()
    ]
    return sorted(rows, key=lambda row: (order.index(row.candidate), row.group is None, row.group or ""))
