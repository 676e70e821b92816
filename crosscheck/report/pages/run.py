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
from crosscheck.report._figures import count
from crosscheck.report._groups import (
    Group,
    Status,
    differing,
    groups,
    identity,
    place,
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
    Text,
    Verdict,
)
from crosscheck.report.pages import Kind
from crosscheck.report.pages._beyond import by_group, impacts, tools
from crosscheck.report.pages._finding import section
from crosscheck.report.pages._labels import meanings
from crosscheck.report.pages._sentences import finding, listed
from crosscheck.report.pages._tables import Field, table, values
from crosscheck.results import BackendRecord, Comparison, Document

__all__ = ["KIND", "run_page"]

#: What is told before anything else, in this order, and what comes after it.
_TROUBLE = (Status.UNEXPECTED, Status.STALE, Status.ERROR, Status.DIFFERS)
_ORDER = (*_TROUBLE, Status.KNOWN, Status.AGREE, Status.UNSUPPORTED)
#: Findings that are told in full; the others are folded away.
_IN_FULL = 5


def run_page(document: Document) -> Page:
    """What differs and why, what agrees, and what was compared."""
    found = [group for wanted in _TROUBLE for group in groups(with_status(document, wanted))]
    known = groups(with_status(document, Status.KNOWN))
    anchors = {identity(c): _anchor(n) for n, group in enumerate([*found, *known]) for c in group.comparisons}
    told = [section(document, group, anchors[identity(group.first)]) for group in (*found, *known)]
    full = min(sum(status(group.first) is not Status.DIFFERS for group in found), _IN_FULL)
    good = as_expected(document)
    blocks: list[Block] = [_matrix(document, anchors), *told[:full]]
    if rest := told[full : len(found)]:
        blocks.append(Details(f"{count(len(rest), 'more finding')} in full", rest))
    blocks += [
        _agreement(document),
        *_notes(document),
        *by_group(document),
        *impacts(document, folded=good),
        *_known(known, told[len(found) :]),
        *tools(document),
        *meanings(label for group in (*found, *known) for label in group.causes),
        Details("What was compared", [Facts(list(_compared(document))), Paragraph(_tolerance(document))]),
        Details("Every comparison", [_every(document)]),
        *_for_the_paper(document),
    ]
    findings = [Finding(status(g.first), finding(g), anchors[identity(g.first)]) for g in found]
    mark = Status.AGREE if good else findings[0].status if findings else Status.ERROR
    cases = list(dict.fromkeys(c.case for c in document.comparisons))
    return Page(
        kind="run",
        title=("crosscheck: ", *listed(cases, 3)) if cases else "crosscheck",
        verdict=Verdict(mark, verdict(document), _about(document), findings),
        blocks=blocks,
        tool=(document.tool.name, " ", Id(document.tool.version)),
        brief=good and not document.groups,
    )


def _anchor(number: int) -> str:
    return f"finding-{number + 1}"


def _about(document: Document) -> Text:
    """What was compared, in one line."""
    comparisons = document.comparisons
    runs = dict.fromkeys([(i.case, i.run) for i in document.inputs] + [(c.case, c.run) for c in comparisons])
    version = next((b.version for b in document.backends if b.id == document.reference), "")
    sizes = {"case": {case for case, _ in runs}, "run": runs, "measure": {c.measure for c in comparisons}}
    told = ", ".join(count(len(some), noun) for noun, some in sizes.items())
    return ("Reference ", Id(f"{document.reference} {version}".rstrip()), f"; {told}.")


def _matrix(document: Document, anchors: dict[tuple[str, str, str, str], str]) -> Matrix:
    """The worst status of each tool on each measure, with the number of queries that differ."""
    own = saved(document)
    fold = dict.fromkeys(own, f"saved numbers ({len(own)})") if len(own) > 3 else {}
    found: dict[tuple[str, str], list[Comparison]] = {}
    for c in document.comparisons:
        found.setdefault((fold.get(c.candidate, c.candidate), c.measure), []).append(c)
    rows, columns = (
        ([Id(name) for name in dict.fromkeys(names)] for names in zip(*found, strict=True))
        if found
        else ([], [])
    )
    cells = [[_cell(found.get((tool, m), []), anchors) for m in columns] for tool in rows]
    return Matrix("Tools and measures", rows, columns, cells)


def _cell(found: Sequence[Comparison], anchors: dict[tuple[str, str, str, str], str]) -> MatrixCell | None:
    if not found:
        return None
    worst = min(found, key=_urgency)
    queries = sum(c.mismatches + c.missing for c in found if status(c) is status(worst))
    return MatrixCell(status(worst), f"{queries:,} q" if queries else "", anchors.get(identity(worst), ""))


def _urgency(comparison: Comparison) -> int:
    return _ORDER.index(status(comparison))


def _agreement(document: Document) -> Table:
    """How often each candidate agrees; saved numbers are counted together unless they are few."""
    own = saved(document)
    versions = {b.id: f"{b.id} {b.version}".rstrip() for b in document.backends}
    fold = dict.fromkeys(own, f"saved numbers ({len(own)})") if len(own) > 1 else {}
    counts: dict[str, Counter[Status]] = {}
    for name, found in tally(document).items():
        counts.setdefault(fold.get(name, versions.get(name, name)), Counter()).update(found)
    fields: list[Field] = [
        *(("!", lambda row: min(row[1], key=_ORDER.index)), ("@tool", lambda row: row[0])),
        ("#compared", lambda row: row[1].total()),
    ]
    used = {Status.AGREE}.union(*counts.values())
    return table(
        "", list(counts.items()), *fields, *(_times(s) for s in Status if s in used), limit=6, noun="tool"
    )


def _times(wanted: Status) -> Field:
    loud = wanted in (Status.UNEXPECTED, Status.STALE, Status.ERROR)
    return f"#{wanted.upper() if loud else wanted}", lambda row: row[1][wanted]


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


def _known(known: Sequence[Group], told: Sequence[Section]) -> Iterator[Block]:
    """What differs as declared, one line per tool and cause."""
    fields: list[Field] = [
        ("@tool", lambda group: group.first.candidate),
        ("@cause", lambda g: cause_list(g.causes) if g.first.outcome == "mismatch" else g.first.outcome),
        *(("#times", lambda group: len(group.comparisons)), ("declared", _declared)),
    ]
    if known:
        declared = table("", known, *fields, limit=40, noun="cause")
        yield Details("What differs as declared", [declared, *told])


def _declared(group: Group) -> Text:
    more = len({c.case for c in group.comparisons}) - 1
    where = f" and {count(more, 'more case')}" if more else ""
    return (Id(group.first.case), where, f": {group.first.reason or 'no reason given'}")


def _notes(document: Document) -> Iterator[Block]:
    """What the reader should know of the inputs and of the tools, and what a tool does not have."""
    lines: list[Text] = []
    for i in document.inputs:
        lines += [(place(i), f": {note}") for note in i.notes]
        for number, ids, what in (
            (i.missing, i.missing_queries, "judged, but without results in the run"),
            (i.unjudged, i.unjudged_queries, "in the run, but without judgements"),
        ):
            if number:
                lines.append((place(i), f": {count(number, 'query')} {what}: ", *listed(ids, 10, number)))
    said = Counter((Id(c.candidate), note) for c in document.comparisons for note in c.notes)
    lines += [(tool, f": {note} ({count(number, 'comparison')})") for (tool, note), number in said.items()]
    yield Bullets("Notes", lines, limit=4, noun="note")
    lacking: dict[str, dict[str, None]] = {}
    for c in with_status(document, Status.UNSUPPORTED):
        lacking.setdefault(c.candidate, {})[c.measure] = None
    if lacking:
        told = [(Id(tool), " does not have ", *listed(names, 20)) for tool, names in lacking.items()]
        yield Details("What a tool does not have", [Bullets("", told)])


def _every(document: Document) -> Table:
    """All comparisons, those that differ first."""
    fields: list[Field] = [
        *(("!", status), "@tool=candidate", "@measure", ("@case / run", place)),
        *values(lambda c: (c.mean.reference_value, c.mean.candidate_value, None)),
        ("#differ", lambda c: differing(c) if c.outcome == "mismatch" else ""),
        ("cause", lambda c: cause_list(c.diagnosis.causes) if c.diagnosis else ""),
    ]
    return table("", sorted(document.comparisons, key=_urgency), *fields, noun="comparison")


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
