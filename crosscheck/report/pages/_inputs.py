"""The inputs and tools of a run, their notes, and the sentences that describe the measures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from crosscheck.errors import count
from crosscheck.evaluation.sentence import sentences
from crosscheck.report.comparisons import place, saved, with_status
from crosscheck.report.page import Block, Bullets, Details, Facts, Id, Paragraph, Status, Text
from crosscheck.report.pages import paper
from crosscheck.report.words import listed
from crosscheck.results import BackendRecord, Document


def what_was_compared(document: Document) -> Details:
    """The inputs, the tools, and the tolerance within which values must agree."""
    return Details("What was compared", [Facts(list(_compared(document))), Paragraph(_tolerance(document))])


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
            if _role(document, record) == wanted:
                yield wanted, _backend(record)
    if own := saved(document):
        yield "saved", ("numbers that came with the cases: ", *listed(own, 8))


def _role(document: Document, backend: BackendRecord) -> str:
    """The part of a backend in this run: ``reference``, ``candidate`` or ``not available``."""
    if not backend.available:
        return "not available"
    candidates = {c.candidate for c in document.comparisons}
    references = {c.reference for c in document.comparisons} - candidates
    return "reference" if backend.id in {document.reference, *references} else "candidate"


def _backend(record: BackendRecord) -> Text:
    about = record.engine if record.available else record.reason or "not available"
    return (Id(f"{record.id} {record.version}".rstrip()), f": {about}" if about else "")


def notes(document: Document) -> Iterator[Block]:
    """Notes on the inputs and the tools, and the measures that a tool does not have."""
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


def for_the_paper(document: Document) -> Block:
    """The sentence that describes each measure, where the conventions of the reference are known."""
    counts = {i.queries for i in document.inputs}
    queries = min(counts) if len(counts) == 1 else None
    measures = {c.measure: c for c in document.comparisons}
    said = [sentences({name: queries}, c.reference, c.reference_engine) for name, c in measures.items()]
    return paper([text for some in said for text in some])
