"""The page of ``crosscheck run`` and ``diff``: the answer, every finding, then what was compared."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress

from crosscheck.axes.missing_queries import MISSING_QUERIES
from crosscheck.axes.missing_queries import MissingQueries as Missing
from crosscheck.conventions import conventions, profiles
from crosscheck.errors import CrosscheckError
from crosscheck.evaluation.sentence import sentence
from crosscheck.names import parse_measure
from crosscheck.names.tools import describes
from crosscheck.report._figures import count, figures
from crosscheck.report._groups import (
    Group,
    Status,
    differing,
    groups,
    role,
    saved,
    status,
    tally,
    with_status,
)
from crosscheck.report._words import as_expected, cause_list, verdict
from crosscheck.report.page import (
    Block,
    Bullets,
    Column,
    Details,
    Facts,
    Finding,
    Id,
    Matrix,
    MatrixCell,
    Page,
    Paragraph,
    Section,
    Table,
    TableCell,
    Text,
    Verdict,
)
from crosscheck.report.pages import Kind
from crosscheck.report.pages._beyond import by_group, impacts, tools
from crosscheck.report.pages._finding import section
from crosscheck.report.pages._labels import meanings
from crosscheck.report.pages._sentences import finding, listed
from crosscheck.results import BackendRecord, Comparison, Document

__all__ = ["KIND", "run_page"]

#: What is told before anything else, in this order.
_TROUBLE = (Status.UNEXPECTED, Status.STALE, Status.ERROR, Status.DIFFERS)
#: Findings that are told in full; the others are folded away.
_IN_FULL = 5


def run_page(document: Document) -> Page:
    """What differs and why, what agrees, and what was compared."""
    found = [group for wanted in _TROUBLE for group in groups(with_status(document, wanted))]
    known = groups(with_status(document, Status.KNOWN))
    anchors = {
        _id(c): f"finding-{n}" for n, group in enumerate([*found, *known], 1) for c in group.comparisons
    }
    told = [section(document, group, f"finding-{n}") for n, group in enumerate(found, 1)]
    loud = sum(status(group.first) is not Status.DIFFERS for group in found)
    full = min(loud, _IN_FULL)
    declared = [section(document, group, f"finding-{n}") for n, group in enumerate(known, len(found) + 1)]
    good = as_expected(document)
    blocks: list[Block] = [_matrix(document, anchors), *told[:full]]
    if told[full:]:
        blocks.append(Details(f"{count(len(told) - full, 'more finding')} in full", told[full:]))
    blocks += [
        _agreement(document),
        *_notes(document),
        *by_group(document),
        *impacts(document, folded=good),
        *_known(document, known, declared),
        *tools(document),
        *meanings(label for group in (*found, *known) for label in group.causes),
        Details("What was compared", [Facts(list(_compared(document))), Paragraph(_tolerance(document))]),
        Details("Every comparison", [_every(document)]),
        *_for_the_paper(document),
    ]
    findings = [Finding(status(g.first), finding(g), f"finding-{n}") for n, g in enumerate(found, 1)]
    mark = Status.AGREE if good else findings[0].status if findings else Status.ERROR
    return Page(
        kind="run",
        title=_title(document),
        verdict=Verdict(mark, verdict(document), _about(document), findings),
        blocks=blocks,
        tool=(document.tool.name, " ", Id(document.tool.version)),
        brief=good and not document.groups,
    )


def _id(c: Comparison) -> tuple[str, str, str, str]:
    """What tells a comparison from the others."""
    return c.case, c.run, c.measure, c.candidate


def _title(document: Document) -> Text:
    cases = list(dict.fromkeys(c.case for c in document.comparisons))
    return ("crosscheck: ", *listed(cases, 3)) if cases else "crosscheck"


def _about(document: Document) -> Text:
    """What was compared, in one line."""
    comparisons = document.comparisons
    runs = dict.fromkeys([(i.case, i.run) for i in document.inputs] + [(c.case, c.run) for c in comparisons])
    version = next((b.version for b in document.backends if b.id == document.reference), "")
    sizes = (
        count(len({case for case, _ in runs}), "case"),
        count(len(runs), "run"),
        count(len({c.measure for c in comparisons}), "measure"),
    )
    return ("Reference ", Id(f"{document.reference} {version}".rstrip()), f"; {', '.join(sizes)}.")


def _matrix(document: Document, anchors: dict[tuple[str, str, str, str], str]) -> Matrix:
    """The worst status of each tool on each measure, with the number of queries that differ."""
    own = saved(document)
    fold = dict.fromkeys(own, f"saved numbers ({len(own)})") if len(own) > 3 else {}
    tools = list(dict.fromkeys(fold.get(tool, tool) for tool in tally(document)))
    measures = list(dict.fromkeys(c.measure for c in document.comparisons))
    found: dict[tuple[str, str], list[Comparison]] = {}
    for c in document.comparisons:
        found.setdefault((fold.get(c.candidate, c.candidate), c.measure), []).append(c)
    cells = [[_cell(found.get((tool, m), []), anchors) for m in measures] for tool in tools]
    return Matrix("Tools and measures", [Id(t) for t in tools], [Id(m) for m in measures], cells)


_ORDER = (*_TROUBLE, Status.KNOWN, Status.AGREE, Status.UNSUPPORTED)


def _cell(found: Sequence[Comparison], anchors: dict[tuple[str, str, str, str], str]) -> MatrixCell | None:
    if not found:
        return None
    worst = min(found, key=lambda c: _ORDER.index(status(c)))
    same = [c for c in found if status(c) is status(worst)]
    queries = sum(c.mismatches + c.missing for c in same)
    text = f"{queries:,} q" if queries else ""
    return MatrixCell(status(worst), text, anchors.get(_id(worst), ""))


def _names(document: Document) -> dict[str, str]:
    """Candidate -> what it is called where many are counted: saved numbers fold unless they are few."""
    own = saved(document)
    fold = set(own) if len(own) > 1 else set()
    versions = {b.id: b.version for b in document.backends}
    return {
        name: f"saved numbers ({len(own)})" if name in fold else f"{name} {versions.get(name, '')}".rstrip()
        for name in tally(document)
    }


_COLUMN = {
    Status.AGREE: "agree",
    Status.KNOWN: "known",
    Status.DIFFERS: "differ",
    Status.UNEXPECTED: "UNEXPECTED",
    Status.STALE: "STALE",
    Status.ERROR: "ERROR",
    Status.UNSUPPORTED: "unsupported",
}


def _agreement(document: Document) -> Table:
    """How often each candidate agrees."""
    names = _names(document)
    counts: dict[str, Counter[Status]] = {}
    for candidate, found in tally(document).items():
        counts.setdefault(names[candidate], Counter()).update(found)
    used = {s for statuses in counts.values() for s in statuses} | {Status.AGREE}
    shown = [s for s in _COLUMN if s in used]
    columns = [Column("", "status", "status"), Column("tool", "id", "tool"), Column("compared", "number")]
    columns += [Column(_COLUMN[s], "number") for s in shown]
    rows: list[list[TableCell]] = [
        [
            next(s for s in _ORDER if found[s]),
            Id(name),
            f"{found.total():,}",
            *(f"{found[s]:,}" for s in shown),
        ]
        for name, found in counts.items()
    ]
    return Table("", columns, rows, limit=6, noun="tool")


def _tolerance(document: Document) -> str:
    tolerances = sorted({c.tolerance for c in document.comparisons}) or [0.0]
    limit = " to ".join(f"{t:g}" for t in dict.fromkeys((tolerances[0], tolerances[-1])))
    text = f"To agree, every query and the mean may differ by at most {limit}."
    if decimals := sorted({c.decimals for c in document.comparisons if c.decimals is not None}):
        digits = ", ".join(map(str, decimals))
        text += f" Values that were printed with {digits} decimals are compared as printed."
    return text


def _compared(document: Document) -> Iterator[tuple[str, Text]]:
    rankings = count(sum(i.queries for i in document.inputs), "query ranking")
    yield "inputs", f"{rankings} (one per run and judged query)"
    for wanted in ("reference", "candidate", "not available"):
        for record in document.backends:
            if role(document, record) == wanted:
                yield wanted, _backend(record)
    if own := saved(document):
        yield "saved", ("numbers that came with the cases: ", *listed(own, 8))


def _backend(record: BackendRecord) -> Text:
    about = record.engine if record.available else record.reason or "not available"
    return (Id(f"{record.id} {record.version}".rstrip()), f": {about}" if about else "")


def _known(document: Document, known: Sequence[Group], told: Sequence[Section]) -> Iterator[Block]:
    """What differs as declared, one line per tool and cause."""
    if not known:
        return
    columns = [Column("tool", "id", "tool"), Column("cause", "id", "cause"), Column("times", "number")]
    rows: list[list[TableCell]] = []
    for group in known:
        what = cause_list(group.causes) if group.first.outcome == "mismatch" else group.first.outcome
        rows.append([Id(group.first.candidate), Id(what), f"{len(group.comparisons):,}", _declared(group)])
    table = Table("", [*columns, Column("declared")], rows, limit=40, noun="cause")
    yield Details("What differs as declared", [table, *told])


def _declared(group: Group) -> Text:
    more = len({c.case for c in group.comparisons}) - 1
    where = f" and {count(more, 'more case')}" if more else ""
    return (Id(group.first.case), where, f": {group.first.reason or 'no reason given'}")


def _notes(document: Document) -> Iterator[Block]:
    """What the reader should know of the inputs and of the tools, and what a tool does not have."""
    lines: list[Text] = []
    for i in document.inputs:
        where = Id(f"{i.case} / {i.run}")
        lines += [(where, f": {note}") for note in i.notes]
        for number, ids, what in (
            (i.missing, i.missing_queries, "judged, but without results in the run"),
            (i.unjudged, i.unjudged_queries, "in the run, but without judgements"),
        ):
            if number:
                lines.append((where, f": {count(number, 'query')} {what}: ", *listed(ids, 10, number)))
    said = Counter((c.candidate, note) for c in document.comparisons for note in c.notes)
    lines += [
        (Id(candidate), f": {note} ({count(number, 'comparison')})")
        for (candidate, note), number in said.items()
    ]
    yield Bullets("Notes", lines, limit=4, noun="note")
    lacking: dict[str, list[str]] = {}
    for c in with_status(document, Status.UNSUPPORTED):
        lacking.setdefault(c.candidate, []).append(c.measure)
    told: list[Text] = [
        (Id(candidate), " does not have ", *listed(dict.fromkeys(names), 20))
        for candidate, names in lacking.items()
    ]
    if told:
        yield Details("What a tool does not have", [Bullets("", told)])


def _every(document: Document) -> Table:
    """All comparisons, those that differ first."""
    columns = [
        Column("", "status", "status"),
        Column("tool", "id", "tool"),
        Column("measure", "id", "measure"),
        Column("case / run", "id", "case"),
        Column("reference", "number"),
        Column("candidate", "number"),
        Column("delta", "number"),
        Column("differ", "number"),
        Column("cause", "text", "cause"),
    ]
    ordered = sorted(document.comparisons, key=lambda c: _ORDER.index(status(c)))
    rows: list[list[TableCell]] = [
        [
            status(c),
            Id(c.candidate),
            Id(c.measure),
            Id(f"{c.case} / {c.run}"),
            *figures(c.mean.reference_value, c.mean.candidate_value),
            differing(c) if c.outcome == "mismatch" else "",
            cause_list(c.diagnosis.causes) if c.diagnosis else "",
        ]
        for c in ordered
    ]
    return Table("", columns, rows, limit=20, noun="comparison")


def _for_the_paper(document: Document) -> Iterator[Block]:
    """The sentence that describes each measure, where the conventions of the reference are known."""
    measures = {c.measure: c for c in document.comparisons}
    counts = {i.queries for i in document.inputs}
    said: list[str] = []
    for name, one in measures.items():
        spec = one.reference_engine.partition(", conventions ")[2] or one.reference
        with suppress(CrosscheckError):  # its conventions, or the names in a saved document, are not known
            measure, dropping = parse_measure(name), conventions(spec)[MISSING_QUERIES] is Missing.DROPPED
            if describes(profiles().get(spec, profiles()["trec_eval-9.0.8"]), measure):
                number = min(counts) if len(counts) == 1 and dropping else None
                said.append(sentence(measure, spec, number))
    if said:
        yield Details("For the paper", [Bullets("", said, noun="measure")])


KIND = Kind("run", Document, run_page, "crosscheck")
