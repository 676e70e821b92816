"""The building blocks of the terminal report: tables, lists, and one difference told in full."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeAlias

from rich.console import RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from crosscheck.report._escape import clip
from crosscheck.report._figures import contrast, count, exact, rank
from crosscheck.report._groups import (
    Group,
    Status,
    alternatives,
    differing,
    largest_first,
    places,
    whole,
    worst,
)
from crosscheck.report._renderer import RenderOptions
from crosscheck.report._words import (
    cause_list,
    convention,
    evidence,
    in_axis_order,
    interval_words,
    setting,
    settings,
)
from crosscheck.results import Alternative, Cell, Comparison, TiedDocument

__all__ = [
    "MARKS",
    "STYLES",
    "Rows",
    "difference",
    "facts",
    "heading",
    "indented",
    "listed",
    "more",
    "places_lines",
    "table",
]

Rows: TypeAlias = list[tuple[str, str | Text]]

#: A glyph beside the word, so that nothing is told by colour alone.
MARKS = {
    Status.MATCH: "✓",
    Status.KNOWN: "≈",
    Status.UNEXPECTED: "✗",
    Status.STALE: "!",
    Status.ERROR: "✗",
    Status.UNSUPPORTED: "–",
}
STYLES = {
    Status.MATCH: "green",
    Status.KNOWN: "cyan",
    Status.UNEXPECTED: "bold red",
    Status.STALE: "bold yellow",
    Status.ERROR: "bold red",
    Status.UNSUPPORTED: "none",
}


def indented(what: RenderableType, columns: int) -> Padding:
    """Anything, moved to the right."""
    return Padding(what, (0, 0, 0, columns), expand=False)


def facts(rows: Rows, *, width: int = 0) -> Table:
    """Labels on the left, text that wraps on the right."""
    grid = Table.grid(padding=(0, 2, 0, 0))
    grid.add_column(no_wrap=True, min_width=width)
    grid.add_column(overflow="fold")
    for label, body in rows:
        grid.add_row(Text(label), Text(body) if isinstance(body, str) else body)
    return grid


def table(head: Sequence[tuple[str, bool]], rows: Sequence[Sequence[str | Text]]) -> Table:
    """A table without lines; ``head``: (title, whether it holds numbers), which wrap after all others."""
    grid = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="bold")
    for title, numeric in head:
        grid.add_column(
            title, justify="right" if numeric else "left", no_wrap=numeric, overflow="fold", vertical="top"
        )
    for row in rows:
        grid.add_row(*(Text(cell) if isinstance(cell, str) else cell for cell in row))
    return grid


def listed(names: Sequence[str], limit: int, options: RenderOptions, total: int | None = None) -> str:
    """Names joined by commas; beyond ``limit`` (or beyond those given) only how many there are."""
    shown = names if options.verbose else names[:limit]
    rest = (len(names) if total is None else total) - len(shown)
    return ", ".join(map(clip, shown)) + (f" and {rest:,} more" if rest > 0 else "")


def places_lines(comparisons: Sequence[Comparison], options: RenderOptions) -> list[str]:
    """Cases, runs and measures of some comparisons, cases with the same measures on one line."""
    folded = places(comparisons)
    shown = folded if options.verbose else folded[:6]
    lines = [f"{listed(where, 6, options)}: {listed(names, 12, options)}" for where, names in shown]
    rest = len(folded) - len(shown)
    return lines + ([f"and in {count(rest, 'more group')} of cases"] if rest else [])


def more(what: str, options: RenderOptions) -> Text:
    """A line that stands for what a cap leaves out, and says where it can be read."""
    written = any(path.endswith(".json") for path in options.written)
    return Text(f"{what} in the JSON report" if written else f"{what}: --report json has them all")


def heading(group: Group, word: str, mark: Status, about: str) -> Text:
    """The first line of a group: its status as glyph and word, the candidate, and what it is about."""
    status = (f"{MARKS[mark]} {word}  ", STYLES[mark])
    return Text.assemble(status, (clip(group.first.candidate), "bold"), about)


def difference(group: Group, word: str, mark: Status, options: RenderOptions) -> Iterator[RenderableType]:
    """One story in full: where, how large, why, how sure, and the queries and documents that show it."""
    first = group.first
    yield Text()
    about = f" against {clip(first.reference)}: {clip(cause_list(group.causes))}"
    yield indented(heading(group, word, mark, about), 2)
    yield from _means(group, options)
    yield Text()
    yield indented(facts(_reasons(group, options)), 4)
    yield from _queries(group, options)
    yield from _documents(group, options)


def _means(group: Group, options: RenderOptions) -> Iterator[RenderableType]:
    ordered = largest_first(group)
    shown = ordered if options.verbose else ordered[:8]
    where = list(dict.fromkeys(_place(c) for c in group.comparisons))
    head = [("measure", False), *_PAIR, ("differ", True)]
    rows = [
        [
            clip(c.measure),
            *contrast(c.mean.reference, c.mean.candidate),
            differing(c),
        ]
        for c in shown
    ]
    title = "Means, and the number of queries that differ"
    if len(where) == 1:
        title += f", {where[0]}"
    else:
        head.append(("case / run", False))
        rows = [[*row, _place(c)] for row, c in zip(rows, shown, strict=True)]
    yield indented(Text(title), 4)
    yield indented(table(head, rows), 6)
    if rest := len(ordered) - len(shown):
        yield indented(more(count(rest, "more comparison"), options), 6)
        yield indented(Text("\n".join(["All of them:", *places_lines(group.comparisons, options)])), 6)


_PAIR = (("reference", True), ("candidate", True), ("delta", True))


def _place(comparison: Comparison) -> str:
    return f"{clip(comparison.case)} / {clip(comparison.run)}"


def _reasons(group: Group, options: RenderOptions) -> Rows:
    diagnosis, rows = group.diagnosis, list[tuple[str, str | Text]]()
    messages = dict.fromkeys(c.message for c in group.comparisons if c.message)
    rows += [("message", clip(message, 600)) for message in list(messages)[:3]]
    if group.first.reason:
        rows.append(("declared", clip(group.first.reason, 600)))
    if diagnosis is None:
        return rows
    rows.append(("cause", clip(f"{cause_list(group.causes)}: {diagnosis.explanation}", 1000)))
    rows.append(("evidence", evidence(group)))
    if group.conventions:
        label = "convention" if whole(diagnosis) else "in part"
        rows.append((label, clip(settings(group.conventions), 600)))
    ulps = [c.max_ulp for c in group.comparisons if c.max_ulp is not None]
    if ulps and 0 < max(ulps) <= 1000:
        steps = f"{max(ulps):,} ULP (steps from one double-precision number to the next)"
        rows.append(("largest", steps))
    rows += _missing(group, options)
    others = alternatives(group)
    shown = others if options.verbose else others[:4]
    rows += [("or", "what fits this data just as well:")] if shown else []
    rows += [("", _other(other, fits, group)) for other, fits in shown]
    if len(others) > len(shown):
        rows.append(("", more(count(len(others) - len(shown), "more explanation"), options)))
    if diagnosis.separate_by:
        rows.append(("to decide", clip(diagnosis.separate_by, 600)))
    return rows


def _other(other: Alternative, fits: int, group: Group) -> str:
    changes = "; ".join(
        f"{setting(axis, value)} ({convention(axis, value)})"
        for axis, value in in_axis_order(other.conventions)
    )
    size = len(group.comparisons)
    scope = "" if size == 1 else f", in {fits:,} of {count(size, 'comparison')}"
    return clip(f"{cause_list(other.causes)}: {changes}{scope}", 600)


def _missing(group: Group, options: RenderOptions) -> Rows:
    rows: Rows = []
    for outcome, side in (
        ("missing-in-candidate", group.first.candidate),
        ("missing-in-reference", group.first.reference),
    ):
        found = [cell.query for _, cell in worst(group) if cell.outcome == outcome]
        ids = listed(list(dict.fromkeys(found)), 10, options)
        if found:
            rows.append(("no value", f"{clip(side)} has none where the other has one: query {ids}"))
    return rows


def _queries(group: Group, options: RenderOptions) -> Iterator[RenderableType]:
    cells = worst(group)
    if not cells:
        yield Text()
        compared = any(c.queries for c in group.comparisons)
        told = "No single query differs; only the mean does." if compared else "Only means were compared."
        yield indented(Text(told), 4)
        return
    shown = cells[: 200 if options.verbose else 5]
    by_place: dict[str, list[tuple[Comparison, Cell]]] = {}
    for comparison, cell in shown:
        by_place.setdefault(_place(comparison), []).append((comparison, cell))
    measures = {c.measure for c in group.comparisons}
    head = [("query", False), ("measure", False), *_PAIR, ("cause", False)]
    title = "Queries that differ most"
    if len(measures) == 1:
        # Seventeen digits on both sides leave no room for a column that says the same in every row.
        head.pop(1)
        title += f" in {clip(group.first.measure)}"
    for place, found in by_place.items():
        rows = [
            [
                clip(d.query),
                *([clip(c.measure)] if len(measures) > 1 else []),
                *contrast(d.reference, d.candidate),
                clip(cause_list(d.causes)),
            ]
            for c, d in found
        ]
        yield Text()
        yield indented(Text(f"{title}, {place}"), 4)
        yield indented(table(head, rows), 6)
        yield from (indented(Text(line), 6) for line in interval_lines(found, options))
    if len(cells) > len(shown):
        yield indented(more(count(len(cells) - len(shown), "more query value"), options), 6)


def interval_lines(found: Sequence[tuple[Comparison, Cell]], options: RenderOptions) -> list[str]:
    """What the order of tied documents can make of the values shown."""
    tied = [(comparison, cell, cell.ties) for comparison, cell in found if cell.ties is not None]
    shown = tied if options.verbose else tied[:3]
    return [
        f"query {clip(cell.query)}, {clip(comparison.measure)}: {interval_words(ties)}"
        for comparison, cell, ties in shown
    ]


def _documents(group: Group, options: RenderOptions) -> Iterator[RenderableType]:
    """The documents that swap places, once per query however many measures they move."""
    moved: dict[str, list[TiedDocument]] = {}
    for comparison, cell in worst(group):
        if cell.documents:
            moved.setdefault(f"query {clip(cell.query)} of {_place(comparison)}", cell.documents)
    shown = list(moved.items())[: 20 if options.verbose else 2]
    for where, documents in shown:
        tied = documents if options.verbose else documents[:6]
        rows = [
            [
                clip(d.docno),
                exact(d.score),
                "not judged" if d.rel is None else str(d.rel),
                f"{rank(d.reference_rank)} → {rank(d.candidate_rank)}",
            ]
            for d in tied
        ]
        yield Text()
        yield indented(Text(f"Documents that make a difference, {where}"), 4)
        head = [
            ("docno", False),
            ("score", True),
            ("relevance", False),
            ("rank in reference → candidate", False),
        ]
        yield indented(table(head, rows), 6)
        if len(documents) > len(tied):
            yield indented(more(count(len(documents) - len(tied), "more document"), options), 6)
    if len(moved) > len(shown):
        yield indented(more(f"Documents of {count(len(moved) - len(shown), 'more query')}", options), 4)
