"""The page of ``crosscheck audit``: the verdict, deviations by their smallest input, and the evidence."""

from __future__ import annotations

import math
from collections.abc import Iterator

from crosscheck.audit_records import Accepted, Audit, AuditDocument, AxisFinding, Counterexample
from crosscheck.axes import axes
from crosscheck.report._figures import count, exact, figures
from crosscheck.report._words import setting, settings
from crosscheck.report.page import (
    Block,
    Bullets,
    Column,
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
    TableCell,
    Text,
    Verdict,
)
from crosscheck.report.pages import Kind
from crosscheck.report.pages._labels import meanings
from crosscheck.report.pages._sentences import listed
from crosscheck.report.pages._studies import columns
from crosscheck.report.pages.properties import examples, listed_properties
from crosscheck.results import Number

__all__ = ["KIND", "audit_page"]

_STATUS = {"agrees": Status.AGREE, "deviates": Status.UNEXPECTED, "uncallable": Status.ERROR}
#: Documents of a counterexample that are named in a sentence.
_NAMED = 4


def audit_page(document: AuditDocument) -> Page:
    """What a metric does, how that was found out, and how sure it is."""
    audit = document.audit
    shown = list(enumerate(audit.counterexamples, 1))
    findings = [Finding(Status.UNEXPECTED, _deviation(audit, found), f"deviation-{n}") for n, found in shown]
    told = {found.cause for found in audit.counterexamples}
    findings += [
        Finding(Status.UNEXPECTED, (Id(cause), ": ", _unshown(audit, cause)))
        for cause in audit.causes
        if cause not in told
    ]
    blocks: list[Block] = []
    if audit.verdict == "uncallable":
        blocks.append(Message(audit.message or "it could not be called"))
    else:
        blocks += [_counterexample(audit, found, f"deviation-{n}") for n, found in shown]
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


def _deviation(audit: Audit, found: Counterexample) -> Text:
    """What it does, and the smallest input that shows it."""
    axis = next(
        (f for f in audit.fingerprint if f.cause == found.cause and f.value != f.reference_value), None
    )
    known = axes().get(axis.axis) if axis else None
    does = (
        known.does(axis.reference_value, axis.value) if axis and known and axis.status == "decided" else None
    )
    values = figures(found.reference_value, found.candidate_value)
    head = (f"It {does}: ",) if does else (Id(found.cause), ": ", f"{found.explanation.rstrip('.')}: ")
    return (
        *(*head, Id(found.measure), f" {values[1].text} instead of {values[0].text}"),
        *_input(found),
        ".",
    )


def _input(found: Counterexample) -> tuple[str, ...]:
    """The input in words, where it is small."""
    query = next(iter({**found.run, **found.qrels}), None)
    if len({**found.run, **found.qrels}) > 1 or query is None or len(found.run.get(query, {})) > _NAMED:
        queries = count(len({**found.run, **found.qrels}), "query")
        return (f" on {queries} with {count(sum(map(len, found.run.values())), 'document')}",)
    levels, parts = found.qrels.get(query, {}), list[str]()
    for docno, score in found.run.get(query, {}).items():
        level = f"level {levels[docno]}" if docno in levels else "not judged"
        parts += [", " if parts else "", Id(docno), f" (score {_score(score)}, {level})"]
    if not parts:
        return (" where nothing is retrieved",)
    missed = [docno for docno in levels if docno not in found.run.get(query, {})]
    rest = (", not retrieved: ", *listed(missed, 3)) if missed else ()
    return (" for ", *parts, *rest)


def _score(score: float) -> str:
    """The shortest digits that give back the score."""
    return f"{score:g}" if float(f"{score:g}") == score else repr(score)


def _unshown(audit: Audit, cause: str) -> str:
    """What is known of a deviation without a counterexample."""
    finding = next((f for f in audit.fingerprint if f.cause == cause and f.value != f.reference_value), None)
    if finding is None:
        return f"it meets {audit.fresh_inputs_met:,} of {audit.fresh_inputs:,} values on fresh inputs."
    return (
        f"{setting(finding.axis, finding.value)} instead of {setting(finding.axis, finding.reference_value)}."
    )


def _counterexample(audit: Audit, found: Counterexample, anchor: str) -> Section:
    """The input as a table, line by line, then how to see both values."""
    rows: list[list[TableCell]] = []
    for query in {**found.run, **found.qrels}:
        levels = found.qrels.get(query, {})
        for docno, score in found.run.get(query, {}).items():
            rank = str(found.ranks[query][docno])
            rows.append([Id(query), Id(docno), _level(levels, docno), Figure(f"{score!r}", score), rank])
        missed = [docno for docno in levels if docno not in found.run.get(query, {})]
        rows += [[Id(query), Id(docno), _level(levels, docno), "–", "–"] for docno in missed]
    if len({**found.run, **found.qrels}) == 1:
        rows = [row[1:] for row in rows]
    head = columns("@query", "@docno", "#level", "#score", "#rank column")[-len(rows[0]) if rows else 0 :]
    whose = "the mean" if found.query is None else ("query ", Id(found.query))
    title = (
        Id(found.cause),
        ": ",
        Id(found.measure),
        " of ",
        *((whose,) if isinstance(whose, str) else whose),
    )
    values = figures(found.reference_value, found.candidate_value)
    facts: list[tuple[str, Text]] = [(Id(audit.reference), values[0].text), ("here", values[1].text)]
    facts += [("why no smaller", found.note)] if found.note else []
    more: list[Block] = [Paragraph(found.explanation)]
    more += (
        [Command(found.trec_eval, "The reference's value, from these as files")] if found.trec_eval else []
    )
    more += [Command(found.python, "Both values")] if found.python else []
    tags = {
        "tool": [audit.target],
        "cause": [found.cause],
        "measure": [found.measure],
        "status": ["unexpected"],
    }
    table = Table("", head, rows, limit=7, noun="document")
    return Section(title, [table, Facts(facts), Details("To see it", more)], anchor, tags)


def _level(levels: dict[str, int], docno: str) -> TableCell:
    return Figure(str(levels[docno]), levels[docno]) if docno in levels else "not judged"


def _evidence(audit: Audit) -> Iterator[Block]:
    """The fingerprint and what confirms it, folded where it says that nothing deviates."""
    facts: list[tuple[str, Text]] = []
    if audit.verdict != "agrees":
        met = f"{audit.fresh_inputs_met:,} of {audit.fresh_inputs:,} values on fresh inputs"
        facts.append(("predicts", met))
    if audit.doubt:
        facts.append(("not proved", audit.doubt))
    if audit.rivals:
        facts.append(("or", ", ".join(audit.rivals)))
    done = audit.confirmation
    if done is not None:
        failed = f"; it failed on {done.failed:,} more" if done.failed else ""
        differs = ("; not on ", *listed(done.differs, 3)) if done.differs else ()
        text = f"all values on {done.confirmed:,} of {done.of:,} runs of the cases{failed}"
        facts.append(("predicts", (text, *differs)))
    for other in audit.alternatives:
        named = (Id(", ".join(other.causes)), " (", Id(settings(other.conventions)), ")")
        facts.append(("or", ("no input tells it apart from ", *named)))
    deviating = [
        f for f in audit.fingerprint if f.value != f.reference_value and f.status in ("decided", "open")
    ]
    said = f"Fingerprint, from {count(audit.experiments, 'experiment')} (seed {audit.seed})"
    if deviating or facts:
        blocks: list[Block] = [_fingerprint(deviating, 12), Facts(facts)]
        yield Details(said, blocks) if audit.verdict == "agrees" else Section(said, blocks)
    yield Details("Every axis", list(_axes(audit)))
    if audit.practice:
        practice = Bullets("", audit.practice, limit=6)
        held = "In practice"
        yield Details(held, [practice]) if audit.verdict == "agrees" else Section(held, [practice])
    yield Bullets("Notes", audit.notes, limit=3)
    if audit.accepts:
        blocks = [block for found in audit.accepts for block in _accepted(audit, found)]
        yield Details("What it takes that the reference refuses", blocks)
    yield from _properties(audit)
    yield from meanings(audit.causes)
    rows: list[list[TableCell]] = []
    for name, did in audit.behaviour.items():
        beside = audit.behaviour_of_reference.get(name, did)
        rows.append([name, did, "" if _alike(did, beside) else beside])
    head = columns("input", "what it does", audit.reference)
    yield Details("Unusual inputs", [Table("", head, rows, limit=40)])


def _properties(audit: Audit) -> Iterator[Block]:
    """The properties in which metric and measure differ."""
    known = [f for f in audit.properties if f.holds in ("yes", "no") and f.expected in ("yes", "no")]
    differ = [f for f in known if f.holds != f.expected]
    if audit.properties:
        said = f"{len(known) - len(differ):,} of {len(known):,} are those of the measure."
        shown = examples(f for f in differ if f.holds == "no")
        yield Details("Properties", [Paragraph(said), listed_properties(differ), *shown])


def _alike(did: str, beside: str) -> bool:
    """Whether metric and reference do the same: both refuse an input, or have the same value."""
    if did.startswith(("raises ", "fails: ")):
        return beside.startswith("refused: ")
    try:
        return math.isclose(float(did), float(beside), rel_tol=1e-6, abs_tol=1e-9)
    except ValueError:
        return did == beside


def _axes(audit: Audit) -> Iterator[Block]:
    yield _fingerprint([f for f in audit.fingerprint if f.status in ("decided", "open")], 60)
    rows: list[tuple[str, Text]] = []
    for status, about in (
        ("settled", "settled by how it is called"),
        ("unseen", "no input showed any influence"),
        ("unknown", "unknown, as something is unexplained"),
    ):
        names = [f.axis for f in audit.fingerprint if f.status == status]
        rows += [(about, ", ".join(names))] if names else []
    yield Facts(rows)


def _fingerprint(findings: list[AxisFinding], limit: int) -> Table:
    head = [Column("", "status"), *columns("@axis", "value", "reference", "shown by")]
    rows: list[list[TableCell]] = [
        [
            Status.DIFFERS if f.value != f.reference_value else Status.AGREE,
            Id(f.axis),
            _value(f.value),
            _value(f.reference_value),
            _shown(f),
        ]
        for f in findings
    ]
    return Table("", head, rows, limit=limit, noun="axis")


def _value(value: object) -> Id:
    return Id("none" if value is None else str(value))


def _shown(finding: AxisFinding) -> str:
    if finding.status == "open":
        return "no input tells it apart from the alternatives"
    if finding.input is None:
        return ""
    number = "" if finding.decided_by is None else f"experiment {finding.decided_by}: "
    return f"{number}{finding.input}; it said {_number(finding.seen)}"


def _number(value: Number | None) -> str:
    return exact(value)


def _accepted(audit: Audit, found: Accepted) -> Iterator[Block]:
    whose = () if found.query is None else (" of query ", Id(found.query))
    yield Paragraph(
        (Id(found.measure), *whose, f" is {exact(found.candidate_value)} here: {found.explanation}.")
    )
    yield Message(f"qrels:\n{found.qrels}\nrun.txt:\n{found.run}")
    if found.python:
        yield Command(found.python)


KIND = Kind("audit", AuditDocument, audit_page, "audit")
