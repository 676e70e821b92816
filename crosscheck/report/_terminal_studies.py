"""Sections of the terminal report beyond single comparisons: what they mean for the systems, and groups."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import RenderableType
from rich.text import Text

from crosscheck.report._by_group import agreement_by_group, columns, differing_by_group, group_name
from crosscheck.report._escape import clip
from crosscheck.report._figures import count
from crosscheck.report._renderer import RenderOptions
from crosscheck.report._terminal_blocks import indented, more, table
from crosscheck.report._tools import folded
from crosscheck.results import Document

__all__ = ["by_group", "impacts", "tools"]

#: Paragraphs and rows shown unless everything is asked for.
_IMPACTS, _ROWS = 6, 20


def impacts(document: Document, options: RenderOptions) -> Iterator[RenderableType]:
    """Whether the mismatches of cases with several runs change a conclusion, the affected ones first."""
    if not document.impacts:
        return
    yield Text()
    yield Text("What it means for the systems", style="bold")
    ordered = sorted(document.impacts, key=lambda impact: not impact.affected)
    shown = ordered if options.verbose else ordered[:_IMPACTS]
    for impact in shown:
        yield indented(Text(f"{clip(impact.case)}, {clip(impact.measure)}", style="bold"), 2)
        yield indented(Text(clip(impact.summary, 4000)), 4)
        for note in impact.notes:
            yield indented(Text(f"note: {clip(note, 600)}"), 4)
    if len(ordered) > len(shown):
        yield indented(more(count(len(ordered) - len(shown), "more measure"), options), 2)


def tools(document: Document, options: RenderOptions) -> Iterator[RenderableType]:
    """For candidates that differ on several measures, the one set of conventions that explains most."""
    found = folded(document)
    if not found:
        return
    yield Text()
    yield Text("What several measures of a candidate say together", style="bold")
    shown = found if options.verbose else found[:_IMPACTS]
    for said, places in shown:
        named = places if options.verbose else places[:3]
        rest = f" and {len(places) - len(named)} more" if len(places) > len(named) else ""
        yield indented(Text("; ".join(named) + rest, style="bold"), 2)
        yield indented(Text(said), 4)
    if len(found) > len(shown):
        yield indented(more(count(len(found) - len(shown), "more finding"), options), 2)


def by_group(document: Document, options: RenderOptions) -> Iterator[RenderableType]:
    """Agreement and the means that differ, per group of queries."""
    for column in columns(document):
        yield Text()
        yield Text(f"By {clip(column)}", style="bold")
        head = [
            (clip(column), False),
            ("candidate", False),
            ("values", True),
            ("agree", True),
            ("differ", True),
            ("missing", True),
        ]
        rows = [
            [
                group_name(row.group),
                clip(row.candidate),
                f"{row.values:,}",
                f"{row.matches:,}",
                f"{row.mismatches:,}",
                f"{row.missing:,}",
            ]
            for row in agreement_by_group(document, column)
        ]
        yield indented(table(head, rows), 2)
        yield from _means(document, column, options)


def _means(document: Document, column: str, options: RenderOptions) -> Iterator[RenderableType]:
    found = differing_by_group(document, column)
    if not found:
        return
    shown = found if options.verbose else found[:_ROWS]
    head = [(clip(column), False), ("measure", False)]
    head += [("reference", True), ("candidate", True), ("delta", True), ("differ", True)]
    places: dict[str, list[list[str]]] = {}
    for result, means in shown:
        differ = f"{result.mismatches + result.missing:,} of {result.queries:,}"
        place = f"{clip(result.candidate)}, {clip(result.case)} / {clip(result.run)}"
        row = [group_name(result.group), clip(result.measure), *means, differ]
        places.setdefault(place, []).append(row)
    for place, rows in places.items():
        yield Text()
        yield indented(Text(f"Means of the groups in which something differs, {place}"), 2)
        yield indented(table(head, rows), 4)
    if len(found) > len(shown):
        yield indented(more(count(len(found) - len(shown), "more row"), options), 4)
