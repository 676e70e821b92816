"""The page of ``crosscheck tools``: what each tool prints, and what in the input makes them differ."""

from __future__ import annotations

from crosscheck.report._figures import count, short
from crosscheck.report.page import (
    Block,
    Bullets,
    Details,
    Id,
    Page,
    Paragraph,
    Section,
    Status,
    Table,
    TableCell,
    Text,
)
from crosscheck.report.pages import Kind
from crosscheck.report.pages._sentences import listed
from crosscheck.report.pages._studies import columns, page
from crosscheck.results import Number, as_float
from crosscheck.study_records import LintFinding, ToolGroup, ToolsDocument, ToolSwap

__all__ = ["KIND", "tools_page"]

_SURE = (
    "No tool was called. Each number is recomputed under the conventions of the tool's profile, which were"
    " observed by running that version, or read in its source; where an axis is not known, under each of its"
    " values, which gives a range."
)


def tools_page(document: ToolsDocument) -> Page:
    """A table for each measure and run, trec_eval's number first, then swaps and the input."""
    cells: dict[tuple[str, str], list[ToolGroup]] = {}
    for group in document.groups:
        cells.setdefault((group.measure, group.run), []).append(group)
    several = len(document.runs) > 1
    sections: list[Block] = []
    for (measure, run), groups in cells.items():
        head = columns("#prints", "#tools", "why", "which")
        rows = [_row(group) for group in groups]
        title = (Id(measure), " of ", Id(run)) if several else (Id(measure),)
        sections.append(Section(title, [Table("", head, rows, limit=30, noun="number")]))
    same = all(len(groups) == 1 for groups in cells.values())
    return page(
        document,
        ("What tools print for ", *listed(document.runs, 3)),
        *sections,
        Bullets("Systems that change places", [_swap(swap) for swap in document.swaps]),
        *([_lint(document.lint, several)] if document.lint is not None else []),
        Bullets("Notes", document.notes),
        Details("How sure this is", [Paragraph(_SURE), _versions(document)]),
        status=(Status.AGREE if same else Status.DIFFERS) if cells else None,
    )


def _row(group: ToolGroup) -> list[TableCell]:
    names = [f"{tool} [read]" if tool in group.read else tool for tool in group.tools]
    return [group.printed or "–", str(len(group.tools)), group.reason, (*listed(names, 100),)]


def _versions(document: ToolsDocument) -> Table:
    """The version of each tool, and how its conventions are known."""
    read = {name for group in document.groups for name in group.read}
    rows: list[list[TableCell]] = [
        [Id(name), Id(software), "read in its source" if name in read else "run"]
        for name, software in sorted(document.software.items())
    ]
    return Table("", columns("@profile", "@tool", "known by"), rows, limit=100, noun="tool")


def _swap(swap: ToolSwap) -> Text:
    better, worse = Id(swap.better), Id(swap.worse)
    said = (Id(swap.measure), ": ", better, " is better than ", worse, " by trec_eval, and worse by ")
    return (*said, *listed(swap.tools, 10))


def _lint(found: list[LintFinding], several: bool) -> Block:
    head = columns(*(["@run"] if several else []), "@measure", "what", "#queries", "#trec_eval", "effect")
    rows = [[*([Id(f.run)] if several else []), *_finding(f)] for f in found]
    return Section(
        "What in the input makes tools differ", [Table("", head, rows, limit=100, noun="property")]
    )


def _finding(found: LintFinding) -> list[TableCell]:
    return [
        *(Id(found.measure), found.says, f"{found.queries:,}", short(found.value)),
        _effect(found.value, found.effects),
    ]


def _effect(value: Number | None, effects: dict[str, Number | None]) -> str:
    """Other values that the mean takes, with the settings that give them."""
    by_text: dict[str, list[str]] = {}
    for setting, mean in effects.items():
        if mean is not None and (value is None or abs(as_float(mean) - as_float(value)) >= 5e-5):
            by_text.setdefault(short(mean), []).append(setting)
    said = [f"{text} ({', '.join(settings)})" for text, settings in by_text.items()]
    return "; ".join(said) or f"none ({count(len(effects), 'other rule')} tried)"


KIND = Kind("tools", ToolsDocument, tools_page, "tools")
