"""Blocks beyond single comparisons: impact on systems, joint conventions of a tool, groups of queries."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeVar

from crosscheck.errors import count
from crosscheck.report.comparisons import place
from crosscheck.report.page import Block, Bullets, Details, Id, Paragraph, Section, Text
from crosscheck.report.pages.pictures import impact_charts
from crosscheck.report.tables import Field, contrast, short, table
from crosscheck.report.words import listed, settings
from crosscheck.results import Document, GroupResult, ToolConventions

K = TypeVar("K")


def impacts(document: Document, *, folded: bool) -> Iterator[Block]:
    """Whether the mismatches of cases with several runs change a conclusion, the affected ones first."""
    if not document.impacts:
        return
    ordered = sorted(document.impacts, key=lambda impact: not impact.affected)
    blocks: list[Block] = []
    for number, impact in enumerate(ordered, 1):
        blocks.append(Paragraph((Id(impact.case), ", ", Id(impact.measure), ": ", impact.summary)))
        blocks.append(Bullets("Notes", impact.notes))
        blocks += impact_charts(impact, f"impact-{number}") if number <= 10 else ()
    title = "What it means for the systems"
    if folded or not ordered[0].affected:
        yield Details(title, blocks)
    else:
        yield Section(title, blocks[:1])
        yield Details("More of what it means for the systems", blocks[1:])


def tools(document: Document) -> Iterator[Block]:
    """For candidates that differ on several measures, the conventions that explain the most measures."""
    found: dict[Text, list[str]] = {}
    for one in document.tools:
        found.setdefault(_together(one), []).append(f"{one.candidate}, {place(one)}")
    if found:
        lines = [(*listed(where, 3), ": ", *said) for said, where in found.items()]
        yield Details("What several measures of a tool say together", [Bullets("", lines, limit=6)])


def _together(found: ToolConventions) -> tuple[str, ...]:
    """The conventions in words, how many measures they reproduce, and the causes of the other measures."""
    total = len(found.measures) + len(found.rest)
    text: tuple[str, ...] = (Id(settings(found.conventions)), " reproduces")
    if not found.conventions:
        text = ("no single change does better than the reference's own conventions, which reproduce",)
    text = (*text, f" {len(found.measures):,} of {count(total, 'measure')}")
    rest = [
        f"{measure} ({', '.join(causes) or 'agrees with the reference'})"
        for measure, causes in found.rest.items()
    ]
    return (*text, "; not ", *listed(rest, 8), ".") if rest else (*text, ".")


_COUNTED = {"values": "queries", "agree": "matches", "differ": "mismatches", "missing": "missing"}


def by_group(document: Document) -> Iterator[Block]:
    """Per group of queries: the mean of every measure, and how often each candidate agrees."""
    for column in dict.fromkeys(result.column for result in document.groups):
        results = [result for result in document.groups if result.column == column]
        agreement = table(
            "",
            list(_parted(results, lambda r: (r.candidate, r.group)).values()),
            ("@tool", lambda some: some[0].candidate),
            (f"@{column}", lambda some: _group(some[0])),
            *(_sum(title, field) for title, field in _COUNTED.items()),
        )
        means: list[Block] = [
            table(
                where,
                list(_parted(of_run, lambda r: (r.measure, r.group)).values()),
                ("@measure", lambda some: some[0].measure),
                (f"@{column}", lambda some: _group(some[0])),
                ("#queries", lambda some: max(r.queries for r in some)),
                ("#mean", lambda some: short(some[0].mean.reference_value)),
                ("other means", _others),
                limit=60,
                noun="mean",
            )
            for where, of_run in _parted(results, place).items()
        ]
        yield Section(("By ", Id(column)), [*means, Details("Agreement per group", [agreement])])


def _parted(results: list[GroupResult], key: Callable[[GroupResult], K]) -> dict[K, list[GroupResult]]:
    """Key -> the results with this key, in order."""
    found: dict[K, list[GroupResult]] = {}
    for result in results:
        found.setdefault(key(result), []).append(result)
    return found


def _sum(title: str, field: str) -> Field:
    return f"#{title}", lambda some: sum(getattr(result, field) for result in some)


def _group(result: GroupResult) -> Text:
    """The name of a group; ``(no group)`` for queries without a group."""
    return ("(no group)",) if result.group is None else Id(result.group)


def _others(results: list[GroupResult]) -> Text:
    said: list[str] = []
    for r in results:
        if r.mismatches or r.missing or not r.mean.match:
            told = contrast(r.mean.reference_value, r.mean.candidate_value)
            differ = f"{r.mismatches + r.missing:,} of {r.queries:,} differ"
            said += [", " if said else "", Id(r.candidate), f" {told.candidate} ({differ})"]
    return tuple(said)
