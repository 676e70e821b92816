"""Sections of the Markdown report beyond single comparisons: what they mean for the systems, and groups."""

from __future__ import annotations

from collections.abc import Sequence

from crosscheck.report._by_group import agreement_by_group, columns, differing_by_group
from crosscheck.report._markdown_text import code, image, prose
from crosscheck.report._pictures import Picture
from crosscheck.results import Document

__all__ = ["group_rows", "impact_rows"]


def impact_rows(document: Document, pictures: Sequence[Sequence[Picture]], prefix: str | None) -> list[str]:
    """One list item per impact, the affected ones first, with its pictures where they are written."""
    ordered = sorted(enumerate(document.impacts), key=lambda entry: not entry[1].affected)
    rows = []
    for place, impact in ordered:
        text = f"- {code(impact.case)}, {code(impact.measure)}: {prose(impact.summary, 4000)}\n"
        text += "".join(f"  - note: {prose(note)}\n" for note in impact.notes)
        if prefix is not None and place < len(pictures):
            text += "".join(f"\n  {image(picture, prefix)}\n" for picture in pictures[place])
        rows.append(text)
    return ["### What it means for the systems\n\n" + rows[0], *rows[1:]] if rows else []


def group_rows(document: Document) -> list[str]:
    """Tables of agreement and of the means that differ, per column that results were grouped by."""
    rows: list[str] = []
    for column in columns(document):
        head = f"### By {prose(column)}\n\n| {prose(column)} "
        head += "| candidate | values | agree | differ | missing |\n|---|---|--:|--:|--:|--:|\n"
        lines = [
            f"| {_group(row.group)} | {code(row.candidate)} | {row.values:,} | {row.matches:,} |"
            f" {row.mismatches:,} | {row.missing:,} |\n"
            for row in agreement_by_group(document, column)
        ]
        rows += [head + lines[0], *lines[1:]]
        found = [
            f"| {_group(r.group)} | {' | '.join(map(code, (r.case, r.run, r.measure, r.candidate)))} |"
            f" {' | '.join(means)} | {r.mismatches + r.missing:,} of {r.queries:,} |\n"
            for r, means in differing_by_group(document, column)
        ]
        if found:
            title = (
                f"\nMeans of the groups in which something differs:\n\n| {prose(column)} | case | run"
                " | measure | candidate | reference mean | candidate mean | delta | differ |\n"
                "|---|---|---|---|---|--:|--:|--:|--:|\n"
            )
            rows += [title + found[0], *found[1:]]
        rows.append("\n")
    return rows


def _group(group: str | None) -> str:
    return "(no group)" if group is None else code(group)
