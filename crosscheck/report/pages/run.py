"""The page of ``crosscheck run`` and ``diff``: the answer, every finding, then what was compared."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from crosscheck.errors import count
from crosscheck.report.comparisons import (
    Bundle,
    as_expected,
    bundles,
    differing,
    identity,
    place,
    status,
    verdict,
    with_status,
)
from crosscheck.report.page import Block, Details, Finding, Id, Page, Section, Status, Table, Text, Verdict
from crosscheck.report.pages import Kind, page
from crosscheck.report.pages._beyond import by_group, impacts, tools
from crosscheck.report.pages._finding import section
from crosscheck.report.pages._inputs import for_the_paper, notes, what_was_compared
from crosscheck.report.pages._labels import meanings
from crosscheck.report.pages._overview import TROUBLE, agreement, matrix, urgency
from crosscheck.report.pages._sentences import finding
from crosscheck.report.tables import Field, table, values
from crosscheck.report.words import cause_list, listed
from crosscheck.results import Document

#: Findings that are told in full; the others are folded away.
_IN_FULL = 5


def run_page(document: Document) -> Page:
    """The page of a run: the differences and their causes, then agreement, inputs and tools."""
    found = [group for wanted in TROUBLE for group in bundles(with_status(document, wanted))]
    known = bundles(with_status(document, Status.KNOWN))
    anchors = {identity(c): _anchor(n) for n, group in enumerate([*found, *known]) for c in group.comparisons}
    told = [section(document, group, anchors[identity(group.first)]) for group in (*found, *known)]
    full = min(sum(status(group.first) is not Status.DIFFERS for group in found), _IN_FULL)
    good = as_expected(document)
    blocks: list[Block] = [matrix(document, anchors), *told[:full]]
    if rest := told[full : len(found)]:
        blocks.append(Details(f"{count(len(rest), 'more finding')} in full", rest))
    blocks += [
        agreement(document),
        *notes(document),
        *by_group(document),
        *impacts(document, folded=good),
        *_known(known, told[len(found) :]),
        *tools(document),
        *meanings(label for group in (*found, *known) for label in group.causes),
        what_was_compared(document),
        Details("Every comparison", [_every(document)]),
        for_the_paper(document),
    ]
    findings = [Finding(status(g.first), finding(g), anchors[identity(g.first)]) for g in found]
    mark = Status.AGREE if good else findings[0].status if findings else Status.ERROR
    mark = Status.UNEXPECTED if document.broken else mark
    cases = list(dict.fromkeys(c.case for c in document.comparisons))
    title = ("crosscheck: ", *listed(cases, 3)) if cases else "crosscheck"
    answer = Verdict(mark, verdict(document), _about(document), findings)
    return page(document, title, answer, blocks, brief=good and not document.groups)


def _anchor(number: int) -> str:
    return f"finding-{number + 1}"


def _about(document: Document) -> Text:
    """Reference and number of cases, runs and measures, in one line."""
    comparisons = document.comparisons
    runs = dict.fromkeys([(i.case, i.run) for i in document.inputs] + [(c.case, c.run) for c in comparisons])
    version = next((b.version for b in document.backends if b.id == document.reference), "")
    sizes = {"case": {case for case, _ in runs}, "run": runs, "measure": {c.measure for c in comparisons}}
    told = ", ".join(count(len(some), noun) for noun, some in sizes.items())
    main = {c.measure for c in comparisons if c.reference == document.reference}
    others: dict[str, dict[str, None]] = {}
    for c in comparisons:
        if c.measure not in main:
            others.setdefault(c.reference, {})[c.measure] = None
    first = Id(f"{document.reference} {version}".rstrip())
    more = [part for id, some in others.items() for part in (", ", Id(id), " for ", *listed(some, 3))]
    return ("Reference ", first, *more, f"; {told}.")


def _known(known: Sequence[Bundle], told: Sequence[Section]) -> Iterator[Block]:
    """Declared differences, one line per tool and cause."""
    fields: list[Field] = [
        ("@tool", lambda group: group.first.candidate),
        ("@cause", lambda g: cause_list(g.causes) if g.first.outcome == "mismatch" else g.first.outcome),
        *(("#times", lambda group: len(group.comparisons)), ("declared", _declared)),
    ]
    if known:
        declared = table("", known, *fields, limit=40, noun="cause")
        yield Details("What differs as declared", [declared, *told])


def _declared(group: Bundle) -> Text:
    more = len({c.case for c in group.comparisons}) - 1
    where = f" and {count(more, 'more case')}" if more else ""
    return (Id(group.first.case), where, f": {group.first.reason or 'no reason given'}")


def _every(document: Document) -> Table:
    """All comparisons, those that differ first."""
    fields: list[Field] = [
        *(("!", status), "@tool=candidate", "@measure", ("@case / run", place)),
        values(lambda c: (c.mean.reference_value, c.mean.candidate_value, None)),
        ("#differ", lambda c: differing(c) if c.outcome == "mismatch" else ""),
        ("@cause", lambda c: cause_list(c.diagnosis.causes) if c.diagnosis else ""),
    ]
    return table("", sorted(document.comparisons, key=urgency), *fields, noun="comparison")


KIND = Kind(name="run", document=Document, page=run_page)
