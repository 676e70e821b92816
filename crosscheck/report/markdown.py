"""Markdown for the summary page of a CI job: verdict first, then tables, details folded away.

Everything that comes from outside is written so that GitHub's renderer shows it and nothing else: no
markup, no HTML, no mention of a person, no link.
"""

from __future__ import annotations

import html
from collections.abc import Iterable, Iterator

from crosscheck.report._document_pictures import group_pictures, impact_sets
from crosscheck.report._escape import clip, lines
from crosscheck.report._figures import contrast, count, exact, rank
from crosscheck.report._groups import (
    Group,
    Status,
    alternatives,
    differing,
    groups,
    places,
    role,
    status,
    tally,
    whole,
    with_status,
    worst,
)
from crosscheck.report._markdown_studies import group_rows, impact_rows
from crosscheck.report._markdown_text import code, html_code, image, prose
from crosscheck.report._pictures import Picture
from crosscheck.report._renderer import Renderer, RenderOptions
from crosscheck.report._tools import folded
from crosscheck.report._words import (
    as_expected,
    cause_list,
    convention,
    evidence,
    in_axis_order,
    interval_words,
    reproduced,
    settings,
    verdict,
)
from crosscheck.results import Comparison, Document

__all__ = ["RENDERER", "code", "prose", "render"]

_MARKS = {
    Status.MATCH: "✓ match",
    Status.KNOWN: "≈ known",
    Status.UNEXPECTED: "✗ unexpected",
    Status.STALE: "! stale",
    Status.ERROR: "✗ error",
    Status.UNSUPPORTED: "– unsupported",
}
#: In the order in which they matter to a reader.
_TROUBLE = (Status.UNEXPECTED, Status.STALE, Status.ERROR, Status.KNOWN)
_QUERIES_SHOWN = 20


def render(document: Document, options: RenderOptions) -> str:
    """The document as GitHub-flavoured markdown of fewer than ``options.max_bytes`` bytes of UTF-8.

    What does not fit is left out from the end, and every table or list that was cut says how much.
    """
    budget = _Budget(options.max_bytes - 1000)  # room for the notices of what was left out
    prefix = options.pictures
    drawn = group_pictures(document) if prefix is not None else []
    trouble = [group for wanted in _TROUBLE for group in groups(with_status(document, wanted))]
    # The unexpected groups come first, so that the pictures are those of the first groups.
    details = [
        _details(group, drawn[place] if place < len(drawn) else [], prefix or "")
        for place, group in enumerate(trouble)
    ]
    affected = impact_rows(document, impact_sets(document) if prefix is not None else [], prefix)
    parts = [
        budget.whole(_head(document, options)),
        budget.rows(_candidate_table(document), "candidate", share=0.2),
        budget.rows(_backend_list(document), "backend", share=0.2),
        # The table may take half of what is left: the details behind it say why.
        budget.rows(_difference_table(document), "row", share=0.5),
        budget.rows(_tools(document), "finding", share=0.2),
        budget.rows(affected, "impact", share=0.5),
        budget.rows(group_rows(document), "row", share=0.5),
        budget.rows(details, "detail", share=0.9),
        budget.rows(_inputs(document), "line", share=1.0),
    ]
    return "\n\n".join(part.strip("\n") for part in parts if part) + "\n"


def _tools(document: Document) -> list[str]:
    found = folded(document)
    rows = [f"- {code(said)}: {', '.join(code(place) for place in places)}\n" for said, places in found]
    return _headed("## What several measures of a candidate say together\n\n", rows)


class _Budget:
    """Counts the bytes that are written, and cuts lists where they would be too many."""

    def __init__(self, size: int) -> None:
        self._left = size

    def whole(self, text: str) -> str:
        self._left -= len(text.encode()) + 1
        return text

    def rows(self, rows: list[str], noun: str, share: float) -> str:
        """As many rows as fit into a share of what is left, and how many did not."""
        room, kept = int(self._left * share), 0
        for row in rows:
            room -= len(row.encode())
            if room < 0:
                break
            kept += 1
        text = "".join(rows[:kept])
        if kept < len(rows):
            text += f"\n**{count(len(rows) - kept, noun)} omitted**, because this page has a size limit.\n"
        return self.whole(text)


def _head(document: Document, options: RenderOptions) -> str:
    mark = "✓ as expected" if as_expected(document) else "✗ not as expected"
    cases = {(i.case, i.run) for i in document.inputs} | {(c.case, c.run) for c in document.comparisons}
    size = f"{count(len({case for case, _ in cases}), 'case')}, {count(len(cases), 'run')}"
    size += f", {count(len({c.measure for c in document.comparisons}), 'measure')}"
    paragraphs = [f"## crosscheck: {mark}", prose(verdict(document))]
    if options.written:
        paragraphs.append(f"Full report: {_listed(options.written, 10)}")
    paragraphs.append(f"{size}, compared with {code(document.reference)}.")
    return "\n\n".join(paragraphs)


def _candidate_table(document: Document) -> list[str]:
    rows = []
    for candidate, found in tally(document).items():
        cells = [code(candidate), f"{found.total():,}", *(f"{found[s]:,}" for s in _MARKS)]
        rows.append(f"| {' | '.join(cells)} |\n")
    head = f"| candidate | compared | {' | '.join(_MARKS.values())} |\n|---|--:|{'--:|' * len(_MARKS)}\n"
    return _headed(head, rows)


def _headed(head: str, rows: list[str]) -> list[str]:
    """Rows with a heading that belongs to the first, so that it goes where that goes."""
    return [head + rows[0], *rows[1:]] if rows else []


def _backend_list(document: Document) -> list[str]:
    found = []
    for record in document.backends:
        about = record.engine if record.available else record.reason or "no reason given"
        name = f"{code(record.id)} {prose(record.version)}".rstrip()
        found.append(f"- {role(document, record)}: {name}: {prose(about)}\n")
    return found


def _difference_table(document: Document) -> list[str]:
    """One row per comparison that did not simply agree, the surprises first."""
    head = (
        "### Differences\n\n"
        "| | case | run | measure | candidate | reference mean | candidate mean | delta | differ | cause"
        " | evidence | expected |\n"
        "|---|---|---|---|---|--:|--:|--:|--:|---|---|---|\n"
    )
    return _headed(head, [_row(c) for wanted in _TROUBLE for c in with_status(document, wanted)])


def _row(c: Comparison) -> str:
    where = (code(c.case), code(c.run), code(c.measure), code(c.candidate))
    mean = contrast(c.mean.reference, c.mean.candidate)
    differ = cause = proof = ""
    if c.outcome == "mismatch":
        differ = differing(c)
        cause = code(cause_list(Group((c,)).causes))
    if c.diagnosis:
        proof = f"{c.diagnosis.strength}, {reproduced(c.diagnosis.reproduced, c.diagnosis.of)}"
    expected = f"yes: {prose(c.reason or 'declared')}" if c.expected else "**no**"
    return f"| {_MARKS[status(c)]} | {' | '.join((*where, *mean, differ, cause, proof, expected))} |\n"


def _details(group: Group, pictures: list[Picture], prefix: str) -> str:
    first = group.first
    what = _MARKS[status(first)]
    cause = html_code(cause_list(group.causes)) if first.outcome == "mismatch" else ""
    size = count(len(group.comparisons), "comparison")
    summary = ", ".join(filter(None, [f"{what}: {html_code(first.candidate)}", cause, size]))
    body = "\n".join(_explanation(group)) + "\n" + _query_table(group)
    body += "".join(f"\n{image(picture, prefix)}\n" for picture in pictures)
    return f"\n<details>\n<summary>{summary}</summary>\n\n{body}\n</details>\n"


def _explanation(group: Group) -> Iterator[str]:
    first, diagnosis = group.first, group.diagnosis
    for where, measures in places(group.comparisons)[:10]:
        yield f"- where: {_listed(where, 10)}: {_listed(measures, 20)}"
    if first.reason:
        yield f"- declared reason: {prose(first.reason)}"
    messages = list(dict.fromkeys(c.message for c in group.comparisons if c.message))[:3]
    yield from (f"- message: {prose(message)}" for message in messages if "\n" not in message)
    if diagnosis:
        yield f"- cause: {code(cause_list(group.causes))}: {prose(diagnosis.explanation)}"
        yield f"- evidence: {evidence(group)}"
        if diagnosis.conventions:
            label = "conventions" if whole(diagnosis) else "conventions that explain a part"
            yield f"- {label}: {code(settings(diagnosis.conventions))}"
        for other, fits in alternatives(group)[:10]:
            words = "; ".join(convention(axis, value) for axis, value in in_axis_order(other.conventions))
            name = f"{code(cause_list(other.causes))} ({code(settings(other.conventions))}: {prose(words)})"
            scope = f"{fits:,} of {count(len(group.comparisons), 'comparison')}"
            yield f"- alternative: {name} fits {scope} just as well"
        if diagnosis.separate_by:
            yield f"- to decide: {prose(diagnosis.separate_by)}"
    for note in dict.fromkeys(note for c in group.comparisons for note in c.notes):
        yield f"- note: {prose(note)}"
    for message in messages:
        if "\n" in message:
            said = "\n".join(html.escape(clip(line, 500)) for line in lines(message)[:40])
            yield f"\n<pre>{said}</pre>"


def _query_table(group: Group) -> str:
    cells = worst(group)
    if not cells:
        return ""
    text = [
        "",
        "| query | case | measure | reference | candidate | delta | cause |",
        "|---|---|---|--:|--:|--:|---|",
    ]
    for c, cell in cells[:_QUERIES_SHOWN]:
        where = (code(cell.query), code(f"{c.case} / {c.run}"), code(c.measure))
        values = contrast(cell.reference, cell.candidate)
        text.append(f"| {' | '.join((*where, *values, code(cause_list(cell.causes))))} |")
    if len(cells) > _QUERIES_SHOWN:
        text += ["", f"**{count(len(cells) - _QUERIES_SHOWN, 'more query value')} omitted.**"]
    tied = [(c, cell, cell.ties) for c, cell in cells[:_QUERIES_SHOWN] if cell.ties is not None]
    text += [""] * bool(tied)
    for c, cell, ties in tied[:5]:
        text.append(f"- query {code(cell.query)}, {code(c.measure)}: {interval_words(ties)}")
    return "\n".join([*text, *_document_table(group)]) + "\n"


def _document_table(group: Group) -> list[str]:
    shown = next(((c, cell) for c, cell in worst(group) if cell.documents), None)
    if shown is None:
        return []
    c, cell = shown
    title = (
        f"Documents that make the difference in query {code(cell.query)} of {code(f'{c.case} / {c.run}')}:"
    )
    text = [
        "",
        title,
        "",
        "| docno | score | relevance | reference rank | candidate rank |",
        "|---|--:|---|--:|--:|",
    ]
    for d in cell.documents[:10]:
        level = "not judged" if d.rel is None else str(d.rel)
        text.append(
            f"| {code(d.docno)} | {exact(d.score)} | {level} | {rank(d.reference_rank)} |"
            f" {rank(d.candidate_rank)} |"
        )
    if len(cell.documents) > 10:
        text += ["", f"**{count(len(cell.documents) - 10, 'more document')} omitted.**"]
    return text


def _inputs(document: Document) -> list[str]:
    text = []
    for i in document.inputs:
        facts = [prose(note) for note in i.notes]
        if i.missing:
            ids = _listed(i.missing_queries, 10, i.missing)
            facts.append(f"{count(i.missing, 'judged query')} without results ({ids})")
        if i.unjudged:
            ids = _listed(i.unjudged_queries, 10, i.unjudged)
            facts.append(f"{count(i.unjudged, 'query')} of the run without judgements ({ids})")
        if facts:
            text.append(f"- {code(f'{i.case} / {i.run}')}: {'; '.join(facts)}\n")
    return _headed("### Inputs\n\n", text)


def _listed(names: Iterable[str], limit: int, total: int | None = None) -> str:
    given = list(names)
    rest = (len(given) if total is None else total) - min(limit, len(given))
    return ", ".join(map(code, given[:limit])) + (f" and {rest:,} more" if rest > 0 else "")


RENDERER = Renderer("markdown", "md", render)
