"""The page of ``crosscheck tools``: what each tool prints, and what in the input makes them differ."""

from __future__ import annotations

from operator import itemgetter

from crosscheck.errors import count
from crosscheck.report.page import Block, Bullets, Details, Id, Page, Paragraph, Section, Status, Table, Text
from crosscheck.report.pages import Kind, study_page
from crosscheck.report.tables import NONE, Field, short, table
from crosscheck.report.words import listed
from crosscheck.results import as_float
from crosscheck.study_records.tools import LintFinding, ToolGroup, ToolsDocument, ToolSwap

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
        title = (Id(measure), " of ", Id(run)) if several else (Id(measure),)
        sections.append(Section(title, [table("", groups, *_GROUP, limit=30, noun="number")]))
    same = all(len(groups) == 1 for groups in cells.values())
    return study_page(
        document,
        ("What tools print for ", *listed(document.runs, 3)),
        *sections,
        Bullets("Systems that change places", [_swap(swap) for swap in document.swaps]),
        *([_lint(document.lint, several)] if document.lint is not None else []),
        Details("How sure this is", [Paragraph(_SURE), _versions(document)]),
        status=(Status.AGREE if same else Status.DIFFERS) if cells else None,
    )


def _which(group: ToolGroup) -> Text:
    """Names of the tools in a group, after the reason why they print the same, if there is one."""
    names = listed([f"{tool} [read]" if tool in group.read else tool for tool in group.tools], 100)
    return (f"{group.reason}: ", *names) if group.reason else names


_GROUP: tuple[Field, ...] = (
    *(("#prints", lambda group: group.printed or NONE), ("#tools", lambda group: len(group.tools))),
    ("which, and why", _which),
)


def _versions(document: ToolsDocument) -> Table:
    """The version of each tool, and how its conventions are known."""
    read = {name for group in document.groups for name in group.read}
    fields: list[Field] = [
        *(("@profile", itemgetter(0)), ("@tool", itemgetter(1))),
        ("known by", lambda of: "read in its source" if of[0] in read else "run"),
    ]
    return table("", sorted(document.software.items()), *fields, limit=100, noun="tool")


def _swap(swap: ToolSwap) -> Text:
    better, worse = Id(swap.better), Id(swap.worse)
    said = (Id(swap.measure), ": ", better, " is better than ", worse, " by trec_eval, and worse by ")
    return (*said, *listed(swap.tools, 10))


def _lint(found: list[LintFinding], several: bool) -> Block:
    shown = table("", found, *(["@run"] * several), *_LINT, limit=100, noun="property")
    return Section("What in the input makes tools differ", [shown])


def _effect(found: LintFinding) -> str:
    """Other values that the mean takes, with the settings that give them."""
    by_text: dict[str, list[str]] = {}
    for setting, mean in found.effects.items():
        if mean is not None and (found.value is None or abs(as_float(mean) - as_float(found.value)) >= 5e-5):
            by_text.setdefault(short(mean), []).append(setting)
    said = [f"{text} ({', '.join(settings)})" for text, settings in by_text.items()]
    return "; ".join(said) or f"none ({count(len(found.effects), 'other rule')} tried)"


_LINT: tuple[Field, ...] = (*("@measure", "what=says", "#queries", "#trec_eval=value", ("effect", _effect)),)
KIND = Kind("tools", ToolsDocument, tools_page, "tools")
