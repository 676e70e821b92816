"""The evidence of an audit: the fingerprint with the inputs that decided it, and its confirmation."""

from __future__ import annotations

import math
from collections.abc import Iterator
from operator import itemgetter

from crosscheck.audit_records import Audit, AxisFinding
from crosscheck.errors import count
from crosscheck.report.page import Block, Bullets, Details, Facts, Id, Paragraph, Section, Status, Table, Text
from crosscheck.report.pages._counterexample import accepted
from crosscheck.report.pages._labels import meanings
from crosscheck.report.pages.properties import examples, listed_properties
from crosscheck.report.tables import Field, begun, table
from crosscheck.report.words import listed, settings


def evidence(audit: Audit) -> Iterator[Block]:
    """Blocks with the fingerprint and what confirms it, folded if the metric agrees with the reference."""
    fold = Details if audit.verdict == "agrees" else Section
    facts = list(_predictions(audit))
    open_or_decided = [f for f in audit.fingerprint if f.status in ("decided", "open")]
    deviating = [f for f in open_or_decided if f.value != f.reference_value]
    if deviating or facts:
        said = f"Fingerprint, from {count(audit.experiments, 'experiment')} (seed {audit.seed})"
        yield fold(said, [_fingerprint(deviating, 12), Facts(facts)])
    unasked = {about: [f.axis for f in audit.fingerprint if f.status == s] for s, about in _NOT_ASKED.items()}
    rest = [(about, ", ".join(names)) for about, names in unasked.items() if names]
    yield Details("Every axis", [_fingerprint(open_or_decided, 60), Facts(rest)])
    if audit.practice:
        yield fold("In practice", [Bullets("", audit.practice, limit=6)])
    if audit.kinds_without_effect:
        no_change = Bullets("", audit.kinds_without_effect)
        yield Details(f"Kinds of change without effect on {audit.measure}", [no_change])
    yield Bullets("Notes", audit.notes, limit=3)
    if audit.accepts:
        yield Details("What it takes that the reference refuses", [*map(accepted, audit.accepts)])
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
    if audit.recognised is not None and audit.recognised.doubt:
        yield f"{audit.recognised.formula} is not proved", audit.recognised.doubt
    if audit.rivals:
        yield "or", ", ".join(audit.rivals)
    if done := audit.confirmation:
        failed = f"; it failed on {done.failed:,} more" if done.failed else ""
        differs = ("; not on ", *listed(done.differs, 3)) if done.differs else ()
        met = f"all values on {done.confirmed:,} of {done.of:,} runs of the cases{failed}"
        yield "predicts", (met, *differs)
    for other in audit.alternatives:
        named = (Id(", ".join(other.causes)), " (", Id(settings(other.conventions)), ")")
        yield "or", ("no input tells it apart from ", *named)


#: Status of axes for which the audit found no value -> the reason in words.
_NOT_ASKED = {
    "settled": "settled by how it is called",
    "unseen": "no input showed any influence",
    "unknown": "unknown, as something is unexplained",
}


def _alike(did: str, beside: str) -> bool:
    """Whether metric and reference do the same on an input: both refuse it, or both have the same value."""
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
    return f"{number}{finding.input}; it said {begun(finding.seen)}"
