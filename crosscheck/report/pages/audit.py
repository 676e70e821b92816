"""The page of ``crosscheck audit``: the verdict, deviations by their smallest input, and the evidence."""

from __future__ import annotations

import math
from collections.abc import Iterator
from operator import itemgetter
from typing import NamedTuple

from crosscheck.audit_records import Accepted, Audit, AuditDocument, AxisFinding, Counterexample
from crosscheck.axes import axes
from crosscheck.report._figures import count, exact, figures
from crosscheck.report._words import setting, settings
from crosscheck.report.page import (
    Block,
    Bullets,
    Command,
    Details,
    Facts,
    Figure,
    Finding,
    Id,
    Message,
    Page,
    Paragraph,
    Section,
    Status,
    Table,
    Text,
    Verdict,
)
from crosscheck.report.pages import Kind
from crosscheck.report.pages._labels import meanings
from crosscheck.report.pages._sentences import listed
from crosscheck.report.pages._tables import Field, table
from crosscheck.report.pages.properties import examples, listed_properties

__all__ = ["KIND", "audit_page"]

_STATUS = {"agrees": Status.AGREE, "deviates": Status.UNEXPECTED, "uncallable": Status.ERROR}
#: Documents of a counterexample that are named in a sentence.
_NAMED = 4


def audit_page(document: AuditDocument) -> Page:
    """What a metric does, how that was found out, and how sure it is."""
    audit = document.audit
    shown = {f"deviation-{n}": found for n, found in enumerate(audit.counterexamples, 1)}
    findings = [Finding(Status.UNEXPECTED, _deviation(audit, found), name) for name, found in shown.items()]
    told = {found.cause for found in audit.counterexamples}
    unshown = [(Id(cause), ": ", _unshown(audit, cause)) for cause in audit.causes if cause not in told]
    findings += [Finding(Status.UNEXPECTED, text) for text in unshown]
    blocks: list[Block] = [Message(audit.message or "it could not be called")]
    if audit.verdict != "uncallable":
        blocks = [_counterexample(audit, found, name) for name, found in shown.items()]
        blocks += _evidence(audit)
    return Page(
        kind="audit",
        title=("Audit of ", Id(audit.target), " as ", Id(audit.measure)),
        verdict=Verdict(_STATUS[audit.verdict], _headline(audit), _about(audit), findings),
        blocks=blocks,
        tool=(document.tool.name, " ", Id(document.tool.version)),
        brief=audit.verdict == "agrees",
    )


def _headline(audit: Audit) -> Text:
    target, measure = Id(audit.target), Id(audit.measure)
    match audit.verdict:
        case "uncallable":
            return (target, " could not be called as ", measure, ".")
        case "agrees":
            met = f"{audit.fresh_inputs_met:,} of {audit.fresh_inputs:,} fresh inputs"
            same = f": the same value on {met}."
            return (target, " agrees with ", Id(audit.reference), " on ", measure, same)
    sure = f" ({audit.strength})" if audit.strength not in (None, "none") else ""
    causes = f": {', '.join(audit.causes)}{sure}."
    return (target, " deviates from ", Id(audit.reference), " on ", measure, causes)


def _about(audit: Audit) -> Text:
    """How it was called, and who else follows these conventions."""
    said: list[str] = []
    if audit.call:
        said += ["Called as ", Id(audit.call), ". "]
    nearest = audit.nearest_profile
    if nearest is not None and not nearest.differs:
        said += ["Same conventions as ", Id(nearest.name), " on this measure."]
    elif nearest is not None:
        said += ["Nearest known profile: ", Id(nearest.name), f", except for {', '.join(nearest.differs)}."]
    return tuple(said)


def _changed(audit: Audit, cause: str) -> AxisFinding | None:
    """The axis behind a cause."""
    return next((f for f in audit.fingerprint if f.cause == cause and f.value != f.reference_value), None)


def _deviation(audit: Audit, found: Counterexample) -> Text:
    """What it does, and the smallest input that shows it."""
    axis = _changed(audit, found.cause)
    known = axes().get(axis.axis) if axis and axis.status == "decided" else None
    does = known.does(axis.reference_value, axis.value) if axis and known else None
    values = figures(found.reference_value, found.candidate_value)
    head = (f"It {does}: ",) if does else (Id(found.cause), ": ", f"{found.explanation.rstrip('.')}: ")
    said = f" {values[1].text} instead of {values[0].text}"
    return (*head, Id(found.measure), said, *_input(found), ".")


class _Line(NamedTuple):
    """A document of a counterexample; None for what it has not."""

    query: str
    docno: str
    level: int | None
    score: float | None = None
    rank: int | None = None


def _lines(found: Counterexample) -> list[_Line]:
    """The documents of each query, those that are not retrieved last."""
    lines = []
    for query in {**found.run, **found.qrels}:
        levels, run = found.qrels.get(query, {}), found.run.get(query, {})
        lines += [_Line(query, d, levels.get(d), score, found.ranks[query][d]) for d, score in run.items()]
        lines += [_Line(query, d, level) for d, level in levels.items() if d not in run]
    return lines


def _input(found: Counterexample) -> tuple[str, ...]:
    """The input in words, where it is small."""
    lines = _lines(found)
    retrieved = [line for line in lines if line.score is not None]
    queries = len({line.query for line in lines})
    if queries != 1 or len(retrieved) > _NAMED:
        return (f" on {count(queries, 'query')} with {count(len(retrieved), 'document')}",)
    parts = list[str]()
    for line in retrieved:
        level = "not judged" if line.level is None else f"level {line.level}"
        parts += [", " if parts else " for ", Id(line.docno), f" (score {_score(line.score)}, {level})"]
    missed = [line.docno for line in lines if line.score is None]
    rest = (", not retrieved: ", *listed(missed, 3)) if missed else ()
    return (*parts, *rest) if parts else (" where nothing is retrieved",)


def _score(score: float | None) -> str:
    """The shortest digits that give back the score."""
    return f"{score:g}" if score is not None and float(f"{score:g}") == score else repr(score)


def _unshown(audit: Audit, cause: str) -> str:
    """What is known of a deviation without a counterexample."""
    finding = _changed(audit, cause)
    if finding is None:
        return f"it meets {audit.fresh_inputs_met:,} of {audit.fresh_inputs:,} values on fresh inputs."
    return (
        f"{setting(finding.axis, finding.value)} instead of {setting(finding.axis, finding.reference_value)}."
    )


def _counterexample(audit: Audit, found: Counterexample, anchor: str) -> Section:
    """The input as a table, line by line, then how to see both values."""
    lines = _lines(found)
    fields: list[Field] = [
        *("@query", "@docno", ("#level", lambda line: "not judged" if line.level is None else line.level)),
        *(("#score", lambda line: line.score and Figure(repr(line.score), line.score)), "#rank column=rank"),
    ]
    one = len({line.query for line in lines}) == 1
    values = figures(found.reference_value, found.candidate_value)
    facts: list[tuple[str, Text]] = [(Id(audit.reference), values[0].text), ("here", values[1].text)]
    facts += [("why no smaller", found.note)] if found.note else []
    programs = {"The reference's value, from these as files": found.trec_eval, "Both values": found.python}
    more = [Command(program, title) for title, program in programs.items() if program]
    whose = ("the mean",) if found.query is None else ("query ", Id(found.query))
    return Section(
        (Id(found.cause), ": ", Id(found.measure), " of ", *whose),
        [
            table("", lines, *fields[one:], limit=7, noun="document"),
            Facts(facts),
            Details("To see it", [Paragraph(found.explanation), *more]),
        ],
        anchor,
        {
            "tool": [audit.target],
            "cause": [found.cause],
            "measure": [found.measure],
            "status": [Status.UNEXPECTED],
        },
    )


def _evidence(audit: Audit) -> Iterator[Block]:
    """The fingerprint and what confirms it, folded where it says that nothing deviates."""
    fold = Details if audit.verdict == "agrees" else Section
    facts = list(_predictions(audit))
    open_or_decided = [f for f in audit.fingerprint if f.status in ("decided", "open")]
    deviating = [f for f in open_or_decided if f.value != f.reference_value]
    if deviating or facts:
        said = f"Fingerprint, from {count(audit.experiments, 'experiment')} (seed {audit.seed})"
        yield fold(said, [_fingerprint(deviating, 12), Facts(facts)])
    unasked = [
        (about, ", ".join(f.axis for f in audit.fingerprint if f.status == status))
        for status, about in _NOT_ASKED.items()
    ]
    rest = [(about, names) for about, names in unasked if names]
    yield Details("Every axis", [_fingerprint(open_or_decided, 60), Facts(rest)])
    if audit.practice:
        yield fold("In practice", [Bullets("", audit.practice, limit=6)])
    yield Bullets("Notes", audit.notes, limit=3)
    if audit.accepts:
        blocks = [block for found in audit.accepts for block in _accepted(found)]
        yield Details("What it takes that the reference refuses", blocks)
    known = [f for f in audit.properties if f.holds in ("yes", "no") and f.expected in ("yes", "no")]
    differ = [f for f in known if f.holds != f.expected]
    if audit.properties:
        said = f"{len(known) - len(differ):,} of {len(known):,} are those of the measure."
        shown = examples(f for f in differ if f.holds == "no")
        yield Details("Properties", [Paragraph(said), listed_properties(differ), *shown])
    yield from meanings(audit.causes)
    did = [(name, did, audit.behaviour_of_reference.get(name, "")) for name, did in audit.behaviour.items()]
    fields: list[Field] = [("input", itemgetter(0)), ("what it does", itemgetter(1))]
    beside: Field = (audit.reference, lambda row: "the same" if row[2] and _alike(row[1], row[2]) else row[2])
    yield Details("Unusual inputs", [table("", did, *fields, beside, limit=40)])


def _predictions(audit: Audit) -> Iterator[tuple[str, Text]]:
    if audit.verdict != "agrees":
        yield "predicts", f"{audit.fresh_inputs_met:,} of {audit.fresh_inputs:,} values on fresh inputs"
    if audit.doubt:
        yield "not proved", audit.doubt
    if audit.rivals:
        yield "or", ", ".join(audit.rivals)
    if done := audit.confirmation:
        failed = f"; it failed on {done.failed:,} more" if done.failed else ""
        differs = ("; not on ", *listed(done.differs, 3)) if done.differs else ()
        yield (
            "predicts",
            (f"all values on {done.confirmed:,} of {done.of:,} runs of the cases{failed}", *differs),
        )
    for other in audit.alternatives:
        named = (Id(", ".join(other.causes)), " (", Id(settings(other.conventions)), ")")
        yield "or", ("no input tells it apart from ", *named)


#: Axes without a value of their own, by their status.
_NOT_ASKED = {
    "settled": "settled by how it is called",
    "unseen": "no input showed any influence",
    "unknown": "unknown, as something is unexplained",
}


def _alike(did: str, beside: str) -> bool:
    """Whether metric and reference do the same: both refuse an input, or have the same value."""
    if did.startswith(("raises ", "fails: ")):
        return beside.startswith("refused: ")
    try:
        return math.isclose(float(did), float(beside), rel_tol=1e-6, abs_tol=1e-9)
    except ValueError:
        return did == beside


def _fingerprint(findings: list[AxisFinding], limit: int) -> Table:
    fields: list[Field] = [
        *(("!", lambda f: Status.DIFFERS if f.value != f.reference_value else Status.AGREE), "@axis"),
        *(("@value", lambda f: _value(f.value)), ("@reference", lambda f: _value(f.reference_value))),
        ("shown by", _shown),
    ]
    return table("", findings, *fields, limit=limit, noun="axis")


def _value(value: object) -> str:
    return "none" if value is None else str(value)


def _shown(finding: AxisFinding) -> str:
    if finding.status == "open":
        return "no input tells it apart from the alternatives"
    if finding.input is None:
        return ""
    number = "" if finding.decided_by is None else f"experiment {finding.decided_by}: "
    return f"{number}{finding.input}; it said {exact(finding.seen)}"


def _accepted(found: Accepted) -> Iterator[Block]:
    whose = () if found.query is None else (" of query ", Id(found.query))
    said = f" is {exact(found.candidate_value)} here: {found.explanation}."
    yield Paragraph((Id(found.measure), *whose, said))
    yield Message(f"qrels:\n{found.qrels}\nrun.txt:\n{found.run}")
    if found.python:
        yield Command(found.python)


KIND = Kind("audit", AuditDocument, audit_page, "audit")
