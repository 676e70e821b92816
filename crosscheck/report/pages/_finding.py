"""One finding in full: means, queries, the strength of its evidence, rankings, and a command to repeat it."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator, Sequence

from crosscheck.errors import count
from crosscheck.harness.settings import DEFAULT_REFERENCE
from crosscheck.report.comparisons import (
    Bundle,
    alternatives,
    differing,
    evidence,
    identity,
    interval_words,
    place,
    places,
    printed,
    saved,
    status,
    subject,
    whole,
    worst,
)
from crosscheck.report.page import Block, Bullets, Command, Details, Facts, Id, Message, Section, Table, Text
from crosscheck.report.pages.pictures import pictures
from crosscheck.report.tables import Field, figure, short, table, values
from crosscheck.report.words import cause_list, changes, listed, settings
from crosscheck.results import Alternative, Cell, Comparison, Document, Evidence, FreshInputs

#: Comparisons and queries of a group that a short report shows, and messages that every report shows.
_ROWS, _QUERIES, _MESSAGES = 3, 3, 3


def section(document: Document, group: Bundle, anchor: str) -> Section:
    """The section of one group of comparisons: means, queries and facts, then all else in a folded block."""
    first, differs = group.first, group.first.outcome == "mismatch"
    about = subject(group)
    cells = worst(group)
    blocks: list[Block] = [_means(group)] if differs else []
    blocks += [_queries(group, cells), Facts(list(_facts(group, cells)))]
    shown, found = _evidence(document, group)
    rest = [*_more(group, cells), *pictures(shown, found, anchor.removeprefix("finding-"))]
    rest += _command(document, first, cells) if differs else ()
    tags = {"tool": [first.candidate], "status": [str(status(first))], "cause": group.causes}
    for name in ("measure", "case"):
        tags[name] = list(dict.fromkeys(getattr(c, name) for c in group.comparisons))
    blocks.append(Details(("More of ", Id(first.candidate), ", ", about), rest))
    return Section((Id(first.candidate), ": ", about), blocks, anchor, tags)


def _means(group: Bundle) -> Table:
    fields: list[Field] = [
        *("@measure", values(lambda c: (c.mean.reference_value, c.mean.candidate_value, printed(c)))),
        *(("#differ", differing), ("@case / run", place)),
    ]
    several = len(set(map(place, group.comparisons))) > 1
    return table("", group.comparisons, *fields[: None if several else -1], limit=_ROWS, noun="comparison")


def _queries(group: Bundle, cells: Sequence[tuple[Comparison, Cell]]) -> Table:
    several: list[Field] = [("@measure", lambda of: of[0].measure)]
    where: list[Field] = [("@case / run", lambda of: place(of[0]))]
    fields: list[Field] = [
        ("@query", lambda of: of[1].query),
        *several * (len({c.measure for c in group.comparisons}) > 1),
        values(lambda of: (of[1].reference_value, of[1].candidate_value, printed(of[0]))),
        *where * (len(set(map(place, group.comparisons))) > 1),
        ("@cause", lambda of: cause_list(of[1].causes)),
    ]
    return table("", cells, *fields, limit=_QUERIES, noun="query value")


def _facts(group: Bundle, cells: Sequence[tuple[Comparison, Cell]]) -> Iterator[tuple[str, Text]]:
    first, diagnosis = group.first, group.diagnosis
    if first.outcome != "mismatch":
        yield from _first(_where(group, 3, 8), 3)
    reasons = dict.fromkeys(c.reason for c in group.comparisons if c.reason)
    yield from _first([("declared", reason) for reason in reasons], 3)
    if first.message:
        yield "message", "; ".join(line.strip() for line in first.message.splitlines())
    if diagnosis is None:
        return
    asked = diagnosis.fresh
    yield "evidence", evidence(group) + (f"; {asked.met} of {asked.asked} fresh inputs" if asked else "")
    clauses = diagnosis.explanation.removesuffix(".").split("; ")
    if diagnosis.strength == "none":
        yield "reason", diagnosis.explanation
    elif diagnosis.strength == "consistent" and len(clauses) > max(len(diagnosis.conventions), 1):
        yield "doubt", (Id(first.measure), f": {clauses[-1]}")
    if diagnosis.conventions:
        name = "conventions" if whole(diagnosis) else "in part"
        yield name, (Id(settings(diagnosis.conventions)), f" (crosscheck explain {group.causes[0]})")
    yield from (("ties", told) for told in _ties(cells, 1))
    if others := alternatives(group):
        yield "or", listed([f"{cause_list(o.causes)} ({settings(o.conventions)})" for o, _ in others], 1)
    if diagnosis.separate_by:
        yield "to decide", diagnosis.separate_by


def _where(group: Bundle, runs: int, measures: int) -> list[tuple[str, Text]]:
    folded = places(group.comparisons)
    return [("where", (*listed(where, runs), ": ", *listed(names, measures))) for where, names in folded]


def _first(rows: list[tuple[str, Text]], most: int) -> list[tuple[str, Text]]:
    """The first ``most`` of rows with the same name, and a row that counts the others."""
    rest = len(rows) - most
    return [*rows[:most], (rows[0][0], f"and {rest:,} more")] if rest > 0 else rows


def _ties(cells: Sequence[tuple[Comparison, Cell]], most: int) -> list[Text]:
    """The range of values over all orders of tied documents, for the first queries that have one."""
    tied = [(c, cell, cell.ties) for c, cell in cells if cell.ties is not None][:most]
    return [
        ("query ", Id(cell.query), ", ", Id(c.measure), ": ", interval_words(ties)) for c, cell, ties in tied
    ]


def _other(other: Alternative, fits: int, group: Bundle) -> Text:
    size = len(group.comparisons)
    scope = "" if size == 1 else f", in {fits:,} of {count(size, 'comparison')}"
    return (Id(cause_list(other.causes)), ": ", changes(other.conventions), scope)


def _more(group: Bundle, cells: Sequence[tuple[Comparison, Cell]]) -> Iterator[Block]:
    """Blocks for the folded part: the diagnosis in words, alternatives, ties, documents, notes, messages."""
    first, diagnosis = group.first, group.diagnosis
    rows: list[tuple[str, Text]] = []
    if diagnosis is not None:
        rows.append(("cause", (Id(cause_list(group.causes)), ": ", diagnosis.explanation)))
    rows += _first(_where(group, 10, 20), 10)
    ulps = max((c.max_ulp for c in group.comparisons if c.max_ulp is not None), default=0)
    if 0 < ulps <= 1000:
        rows.append(("largest", f"{ulps:,} ULP (steps from one double-precision number to the next)"))
    for side, name in (("candidate", first.candidate), ("reference", first.reference)):
        ids = list(dict.fromkeys(cell.query for _, cell in cells if cell.outcome == f"missing-in-{side}"))
        if ids:
            lacks = " has none where the other has one: query "
            rows.append(("no value", (Id(name), lacks, *listed(ids, 10))))
    rows += _first([("or", _other(other, fits, group)) for other, fits in alternatives(group)], 10)
    if diagnosis is not None and diagnosis.fresh is not None and diagnosis.fresh.met < diagnosis.fresh.asked:
        rows.append(("fresh inputs", _unmet(diagnosis.fresh)))
    yield Facts(rows)
    yield Bullets("What the order of tied documents can make of it", _ties(cells, 20), limit=5)
    yield from (_documents(c, cell) for c, cell in [of for of in cells if of[1].documents][:1])
    yield Bullets("Notes", list(dict.fromkeys(note for c in group.comparisons for note in c.notes)))
    messages = list(dict.fromkeys(c.message for c in group.comparisons if c.message))
    yield from map(Message, messages[:_MESSAGES])
    rest = len(messages) - _MESSAGES
    yield Bullets("", [f"and {count(rest, 'more message')}"] if rest > 0 else [])


def _unmet(fresh: FreshInputs) -> Text:
    """The smallest fresh input that the conventions do not predict, or why there is none."""
    if fresh.query is None:
        return fresh.failure or "not all of them are predicted"
    return ("query ", Id(fresh.query), f": {short(fresh.found)} instead of {short(fresh.expected)}")


def _documents(c: Comparison, cell: Cell) -> Table:
    title = ("Documents that make the difference in query ", Id(cell.query), " of ", place(c))
    fields: list[Field] = [
        *("@docno", ("#score", lambda d: figure(d.score, full=True))),
        ("#relevance", lambda d: "not judged" if d.rel is None else d.rel),
        *("#rank in reference=reference_rank", "#in candidate=candidate_rank"),
    ]
    return table(title, cell.documents, *fields, limit=10, noun="document")


def _evidence(document: Document, group: Bundle) -> tuple[Comparison, Evidence | None]:
    """The first comparison of a group that has evidence, with the evidence; else the first, with None."""
    held = {identity(found): found for found in document.evidence}
    shown = next((c for c in group.comparisons if identity(c) in held), group.first)
    return shown, held.get(identity(shown))


def _command(
    document: Document, c: Comparison, cells: Sequence[tuple[Comparison, Cell]]
) -> Iterator[Command]:
    """The command that repeats a comparison, if its files are known, where possible for the worst query."""
    files = next((i for i in document.inputs if (i.case, i.run) == (c.case, c.run)), None)
    if files is None or not files.run_path:
        return
    query = next((["--query", cell.query] for of, cell in cells if of is c), [])
    reference = [] if c.reference == DEFAULT_REFERENCE else ["--reference", c.reference]
    if c.reference.startswith(_SAVED) and c.candidate.startswith(_SAVED):
        paths = {one.id: one.engine.removeprefix("recorded in ") for one in document.backends}
        sides = [max(side.removeprefix(_SAVED), paths[side], key=len) for side in (c.reference, c.candidate)]
        call = ["diff", *sides, "--qrels", files.qrels_path, "--run", files.run_path, "-m", c.measure]
    elif c.candidate in saved(document):
        call = [os.path.dirname(files.qrels_path) or ".", "-m", c.measure, *query, *reference]
    else:
        call = [files.qrels_path, files.run_path, "-m", c.measure, "-b", c.candidate, *query, *reference]
    yield Command(shlex.join(["crosscheck", *call]), "To see this alone")


_SAVED = "recorded:"
