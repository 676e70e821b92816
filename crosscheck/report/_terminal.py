"""The sections of the terminal report, as rich renderables; only the text renderer imports this."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from rich.console import RenderableType
from rich.text import Text

from crosscheck.report._escape import clip, visible
from crosscheck.report._escape import lines as message_lines
from crosscheck.report._figures import count
from crosscheck.report._groups import Group, Status, groups, role, saved, tally, with_status
from crosscheck.report._renderer import RenderOptions
from crosscheck.report._terminal_blocks import (
    MARKS,
    STYLES,
    Rows,
    difference,
    facts,
    heading,
    indented,
    listed,
    more,
    places_lines,
    table,
)
from crosscheck.report._terminal_studies import by_group, impacts, tools
from crosscheck.report._words import as_expected, cause_list, verdict
from crosscheck.results import BackendRecord, Comparison, Document

__all__ = ["report"]


def report(document: Document, options: RenderOptions) -> Iterator[RenderableType]:
    """All sections in reading order; the verdict comes last, where a terminal leaves the eye."""
    yield Text(f"{visible(document.tool.name)} {visible(document.tool.version)}", style="bold")
    yield from _compared(document, options)
    if document.comparisons:
        yield from _agreement(document, options)
    yield from _unexpected(document, options)
    yield from _stale(document, options)
    yield from _errors(document, options)
    yield from _known(document, options)
    yield from tools(document, options)
    yield from impacts(document, options)
    yield from by_group(document, options)
    yield from _unsupported(document, options)
    yield from _queries(document, options)
    yield from _notes(document, options)
    yield from _verdict(document, options)


def _heading(text: str, style: str = "bold") -> list[RenderableType]:
    return [Text(), Text(text, style=style)]


def _compared(document: Document, options: RenderOptions) -> Iterator[RenderableType]:
    comparisons = document.comparisons
    runs = dict.fromkeys([(i.case, i.run) for i in document.inputs] + [(c.case, c.run) for c in comparisons])
    size = [
        count(len({case for case, _ in runs}), "case"),
        count(len(runs), "run"),
        count(len({c.measure for c in comparisons}), "measure"),
    ]
    if document.inputs:
        rankings = count(sum(i.queries for i in document.inputs), "query ranking")
        size.append(f"{rankings} (one per run and judged query)")
    yield from _heading("What was compared")
    rows: Rows = [("inputs", ", ".join(size))]
    roles = ("reference", "candidate", "not available")
    for wanted in roles:
        found = [record for record in document.backends if role(document, record) == wanted]
        rows += [(wanted, _backend(record)) for record in found]
    if own := saved(document):
        rows.append(("saved", f"numbers that came with the cases: {listed(own, 8, options)}"))
    yield indented(facts(rows), 2)


def _backend(record: BackendRecord) -> Text:
    name = f"{clip(record.id)} {clip(record.version)}".rstrip()
    about = record.engine if record.available else record.reason or "not available"
    return Text.assemble((name, "bold"), f": {clip(about, 600)}" if about else "")


def _names(document: Document, options: RenderOptions) -> dict[str, str]:
    """Candidate -> what it is called where many are counted: saved numbers fold unless they are few."""
    own = saved(document)
    fold = set(own) if len(own) > 3 and not options.verbose else set()
    return {name: f"saved numbers ({len(own)})" if name in fold else clip(name) for name in tally(document)}


def _agreement(document: Document, options: RenderOptions) -> Iterator[RenderableType]:
    names = _names(document, options)
    counts: dict[str, Counter[Status]] = {}
    for candidate, found in tally(document).items():
        counts.setdefault(names[candidate], Counter()).update(found)
    used = {s for statuses in counts.values() for s in statuses} | {Status.MATCH, Status.UNEXPECTED}
    shown = [s for s in Status if s in used]
    head = [("", False), ("candidate", False), ("compared", True), *((_COLUMN[s], True) for s in shown)]
    rows: list[list[str | Text]] = [
        [_mark(found), name, f"{found.total():,}", *(f"{found[s]:,}" for s in shown)]
        for name, found in counts.items()
    ]
    yield from _heading("What agrees")
    tolerances = sorted({c.tolerance for c in document.comparisons})
    limit = " to ".join(f"{t:g}" for t in dict.fromkeys((tolerances[0], tolerances[-1])))
    agreeing = f"To agree, every query and the mean may differ by at most {limit}."
    if decimals := sorted({c.decimals for c in document.comparisons if c.decimals is not None}):
        digits = ", ".join(map(str, decimals))
        agreeing += f" Values that were printed with {digits} decimals are compared as printed."
    yield indented(Text(agreeing), 2)
    yield indented(table(head, rows), 2)


_COLUMN = {
    Status.MATCH: "agree",
    Status.KNOWN: "known",
    Status.UNEXPECTED: "UNEXPECTED",
    Status.STALE: "STALE",
    Status.ERROR: "ERROR",
    Status.UNSUPPORTED: "unsupported",
}


def _mark(found: Counter[Status]) -> Text:
    """The glyph of the worst status that a candidate has."""
    order = (Status.UNEXPECTED, Status.STALE, Status.ERROR, Status.KNOWN, Status.MATCH)
    worst = next((s for s in order if found[s]), Status.UNSUPPORTED)
    return Text(MARKS[worst], style=STYLES[worst])


def _unexpected(document: Document, options: RenderOptions) -> Iterator[RenderableType]:
    found = groups(with_status(document, Status.UNEXPECTED))
    if found:
        yield from _heading("What differs, declared by nobody", "bold red")
        yield from _in_full(found, "UNEXPECTED", Status.UNEXPECTED, options)


def _in_full(found: list[Group], word: str, mark: Status, options: RenderOptions) -> Iterator[RenderableType]:
    shown = found if options.verbose else found[:20]
    for group in shown:
        if group.first.outcome == "mismatch":
            yield from difference(group, word, mark, options)
        else:
            yield Text()
            yield from _folded(group, word, mark, group.first.outcome, options)
    if len(found) > len(shown):
        yield Text()
        yield indented(more(count(len(found) - len(shown), "more difference"), options), 2)


def _stale(document: Document, options: RenderOptions) -> Iterator[RenderableType]:
    found = groups(with_status(document, Status.STALE))
    if found:
        yield from _heading("Declared as known, but no longer true: remove the declaration", "bold yellow")
    for group in found:
        yield from _folded(group, "STALE", Status.STALE, "", options)


def _errors(document: Document, options: RenderOptions) -> Iterator[RenderableType]:
    found = groups(with_status(document, Status.ERROR))
    if found:
        yield from _heading("What could not be computed", "bold red")
    for group in found:
        yield from _folded(group, "ERROR", Status.ERROR, "", options)


def _known(document: Document, options: RenderOptions) -> Iterator[RenderableType]:
    found = groups(with_status(document, Status.KNOWN))
    if not found:
        return
    yield from _heading("What differs as declared")
    if options.verbose:
        yield from _in_full(found, "known", Status.KNOWN, options)
        return
    names = _names(document, options)
    stories: dict[str, dict[str, list[Comparison]]] = {}
    for group in found:
        what = cause_list(group.causes) if group.first.outcome == "mismatch" else group.first.outcome
        causes = stories.setdefault(names[group.first.candidate], {})
        causes.setdefault(clip(what), []).extend(group.comparisons)
    head = [("cause", False), ("times", True), ("declared", False)]
    for name, causes in stories.items():
        yield indented(Text.assemble((f"{_KNOWN} known  ", STYLES[Status.KNOWN]), (name, "bold")), 2)
        rows = [[cause, f"{len(members):,}", _declared(members)] for cause, members in causes.items()]
        yield indented(table(head, rows), 4)
    yield indented(Text("--verbose shows them in full."), 2)


_KNOWN = MARKS[Status.KNOWN]


def _declared(comparisons: Sequence[Comparison]) -> str:
    """Where and why some differences are known: the first case with its reason, and how many more."""
    more_cases = len({c.case for c in comparisons}) - 1
    where = clip(comparisons[0].case) + (f" and {count(more_cases, 'more case')}" if more_cases else "")
    return f"{where}: {clip(comparisons[0].reason or 'no reason given', 300)}"


def _folded(
    group: Group, word: str, mark: Status, what: str, options: RenderOptions
) -> Iterator[RenderableType]:
    """A few lines: candidate and cause, where it happened, the declared reason, what the backend said."""
    tail = ", ".join(filter(None, [what, count(len(group.comparisons), "comparison")]))
    yield indented(heading(group, word, mark, f"  {tail}"), 2)
    lines: list[RenderableType] = [Text(line) for line in places_lines(group.comparisons, options)]
    if group.first.reason:
        lines.append(Text(f"reason: {clip(group.first.reason, 600)}"))
    if group.first.message:
        said = message_lines(group.first.message)
        limit = len(said) if options.verbose else 12
        lines += [Text(clip(line, 600)) for line in said[:limit]]
        if len(said) > limit:
            lines.append(more(count(len(said) - limit, "more line"), options))
    for line in lines:
        yield indented(line, 4)


def _unsupported(document: Document, options: RenderOptions) -> Iterator[RenderableType]:
    measures: dict[str, list[str]] = {}
    for comparison in with_status(document, Status.UNSUPPORTED):
        measures.setdefault(comparison.candidate, []).append(comparison.measure)
    if measures:
        yield from _heading("What a candidate does not have")
        mark = f"{MARKS[Status.UNSUPPORTED]} unsupported  "
        for candidate, names in measures.items():
            missing = listed(list(dict.fromkeys(names)), 20, options)
            yield indented(Text(f"{mark}{clip(candidate)}: {missing}"), 2)


def _queries(document: Document, options: RenderOptions) -> Iterator[RenderableType]:
    lines = []
    for record in document.inputs:
        where = f"{clip(record.case)} / {clip(record.run)}"
        for number, ids, what in (
            (record.missing, record.missing_queries, "judged, but without results in the run"),
            (record.unjudged, record.unjudged_queries, "in the run, but without judgements"),
        ):
            if number:
                lines.append(f"{where}: {count(number, 'query')} {what}: {listed(ids, 10, options, number)}")
    yield from _capped("Queries that only one side has", lines, options)


def _notes(document: Document, options: RenderOptions) -> Iterator[RenderableType]:
    lines = [
        f"{clip(i.case)} / {clip(i.run)}: {clip(note, 600)}" for i in document.inputs for note in i.notes
    ]
    said = Counter((c.candidate, note) for c in document.comparisons for note in c.notes)
    lines += [
        f"{clip(candidate)}: {clip(note, 600)} ({count(number, 'comparison')})"
        for (candidate, note), number in said.items()
    ]
    yield from _capped("Notes", lines, options)


def _capped(title: str, lines: Sequence[str], options: RenderOptions) -> Iterator[RenderableType]:
    if not lines:
        return
    shown = lines if options.verbose else lines[:10]
    yield from _heading(title)
    for line in shown:
        yield indented(Text(line), 2)
    if len(lines) > len(shown):
        yield indented(more(count(len(lines) - len(shown), "more line"), options), 2)


def _verdict(document: Document, options: RenderOptions) -> Iterator[RenderableType]:
    mark = Status.MATCH if as_expected(document) else Status.UNEXPECTED
    yield from _heading("Verdict")
    yield indented(Text.assemble((f"{MARKS[mark]} ", STYLES[mark]), (verdict(document), "bold")), 2)
    labels = [label for c in with_status(document, Status.UNEXPECTED) for label in Group((c,)).causes]
    if labels:
        yield indented(Text(f"crosscheck explain {clip(labels[0])} says what that cause means."), 2)
    if options.written:
        first, *others = map(visible, options.written)
        also = f" (also {', '.join(others)})" if others else ""
        yield indented(Text(f"The full report is in {first}{also}."), 2)
    else:
        yield indented(Text("--report json writes everything to reports/crosscheck.json."), 2)
