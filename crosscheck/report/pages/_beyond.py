"""Beyond single comparisons: the systems, what a tool's measures say together, and groups of queries."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from crosscheck.report._figures import contrast, count
from crosscheck.report._words import settings
from crosscheck.report.page import (
    Block,
    Bullets,
    Column,
    Details,
    Id,
    Paragraph,
    Section,
    Table,
    TableCell,
    Text,
)
from crosscheck.report.pages._sentences import listed
from crosscheck.report.pages._studies import columns
from crosscheck.results import Document, GroupResult, ToolConventions

__all__ = ["by_group", "impacts", "tools"]


def impacts(document: Document, *, folded: bool) -> Iterator[Block]:
    """Whether the mismatches of cases with several runs change a conclusion, the affected ones first."""
    # The pictures of an impact are those of its own page.
    from crosscheck.report.pages.impact import impact_charts

    if not document.impacts:
        return
    ordered = sorted(document.impacts, key=lambda impact: not impact.affected)
    blocks: list[Block] = []
    for place, impact in enumerate(ordered, 1):
        notes: list[Text] = list(impact.notes)
        told: list[Block] = [Paragraph((Id(impact.case), ", ", Id(impact.measure), ": ", impact.summary))]
        told += [Bullets("Notes", notes), *(impact_charts(impact, f"impact-{place}") if place <= 10 else ())]
        blocks += told
    title = "What it means for the systems"
    if folded or not ordered[0].affected:
        yield Details(title, blocks)
    else:
        yield Section(title, blocks[:1])
        yield Details("More of what it means for the systems", blocks[1:])


def tools(document: Document) -> Iterator[Block]:
    """For candidates that differ on several measures, the one set of conventions that explains most."""
    found: dict[Text, list[str]] = {}
    for one in document.tools:
        found.setdefault(_together(one), []).append(f"{one.candidate}, {one.case} / {one.run}")
    if found:
        lines: list[Text] = [(*listed(where, 3), ": ", *said) for said, where in found.items()]
        yield Details("What several measures of a tool say together", [Bullets("", lines, limit=6)])


def _together(found: ToolConventions) -> tuple[str, ...]:
    """The conventions, how many measures they reproduce, and what the others are."""
    total = len(found.measures) + len(found.rest)
    if found.conventions:
        text: tuple[str, ...] = (Id(settings(found.conventions)), " reproduces")
    else:
        text = ("no single change does better than the reference's own conventions, which reproduce",)
    text = (*text, f" {len(found.measures):,} of {count(total, 'measure')}")
    rest = [
        f"{measure} ({', '.join(causes) or 'agrees with the reference'})"
        for measure, causes in found.rest.items()
    ]
    return (*text, "; not ", *listed(rest, 8), ".") if rest else (*text, ".")


def by_group(document: Document) -> Iterator[Block]:
    """Per group of queries: the mean of every measure, and how often each candidate agrees."""
    for column in dict.fromkeys(result.column for result in document.groups):
        counts: dict[tuple[str, str | None], Counter[str]] = {}
        for r in document.groups:
            if r.column == column:
                held = {"values": r.queries, "agree": r.matches, "differ": r.mismatches, "missing": r.missing}
                counts.setdefault((r.candidate, r.group), Counter()).update(held)
        head = columns("@tool", f"@{column}", "#values", "#agree", "#differ", "#missing")
        rows: list[list[TableCell]] = [
            [Id(tool), _group(group), *(f"{number:,}" for number in found.values())]
            for (tool, group), found in counts.items()
        ]
        agreement = Details("Agreement per group", [Table("", head, rows)])
        yield Section(("By ", Id(column)), [*_means(document, column), agreement])


def _group(group: str | None) -> str:
    """A group as text; queries without one are told in words."""
    return "(no group)" if group is None else Id(group)


def _means(document: Document, column: str) -> Iterator[Table]:
    """One table per run: the reference's mean in each group, and the candidates' that are not the same."""
    places: dict[tuple[str, str], dict[tuple[str, str | None], list[GroupResult]]] = {}
    for result in document.groups:
        if result.column == column:
            place = places.setdefault((result.case, result.run), {})
            place.setdefault((result.measure, result.group), []).append(result)
    head = [Column("measure", "id", "measure"), Column(Id(column), "id"), Column("queries", "number")]
    head += [Column("mean", "number"), Column("other means")]
    for (case, run), found in places.items():
        rows: list[list[TableCell]] = []
        for (measure, group), results in found.items():
            mean = contrast(results[0].mean.reference_value, None).reference
            queries = f"{max(r.queries for r in results):,}"
            rows.append([Id(measure), _group(group), queries, mean, _others(results)])
        yield Table(Id(f"{case} / {run}"), head, rows, limit=60, noun="mean")


def _others(results: list[GroupResult]) -> Text:
    said: list[str] = []
    for r in results:
        if r.mismatches or r.missing or not r.mean.match:
            told = contrast(r.mean.reference_value, r.mean.candidate_value)
            differ = f"{r.mismatches + r.missing:,} of {r.queries:,} differ"
            said += [", " if said else "", Id(r.candidate), f" {told.candidate} ({differ})"]
    return tuple(said)
