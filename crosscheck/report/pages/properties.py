"""The page of ``crosscheck audit --properties``: missing properties by their smallest inputs, then all."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from crosscheck.audit_records import PropertyDocument, PropertyFinding, PropertyReport
from crosscheck.errors import count
from crosscheck.report.page import (
    Block,
    Bullets,
    Command,
    Details,
    Facts,
    Finding,
    Id,
    Message,
    Page,
    Section,
    Status,
    Table,
    Text,
    Verdict,
)
from crosscheck.report.pages import Kind, page
from crosscheck.report.tables import Field, exact, table

_LEFT_OPEN = {
    "unseen": "it is not handed what these are about",
    "refused": "it has no value for the inputs of these",
    "untried": "no time was left for these, or its values change from call to call",
}


def properties_page(document: PropertyDocument) -> Page:
    """The properties that a metric lacks with inputs that show it, then all of them."""
    report = document.properties
    lacking = [finding for finding in report.properties if finding.surprising]
    findings = [Finding(Status.UNEXPECTED, (Id(f.name), f": {f.says}")) for f in lacking]
    status = (Status.UNEXPECTED if lacking else Status.AGREE) if report.properties else Status.ERROR
    blocks: list[Block] = [Message(report.message or "it could not be called")]
    if report.properties:
        held: list[Block] = [listed_properties(report.properties), _left_open(report.properties)]
        blocks = [*examples(f for f in report.properties if f.holds == "no"), Section("Properties", held)]
    about: Text = ("Called as ", Id(report.call), ".") if report.call else ""
    verdict = Verdict(status, _headline(report, lacking), about, findings)
    return page(document, ("Properties of ", Id(report.target)), verdict, blocks)


def _headline(report: PropertyReport, lacking: Sequence[PropertyFinding]) -> Text:
    target = Id(report.target)
    if not report.properties:
        return (target, " could not be called.")
    whose = "a sound measure" if report.measure is None else Id(report.measure)
    cases = f" ({count(sum(f.cases for f in report.properties), 'comparison')}, seed {report.seed})."
    if not lacking:
        return (target, " lacks no property of ", whose, cases)
    return (target, f" lacks {count(len(lacking), 'property')} of ", whose, cases)


def listed_properties(findings: Iterable[PropertyFinding]) -> Table:
    """A table of the properties that are known to hold or not to hold."""
    known = [finding for finding in findings if finding.holds in ("yes", "no")]
    fields: list[Field] = ["holds", "@property=name", "in words=says", ("", _beside)]
    return table("", known, *fields, limit=40, noun="property")


def _beside(finding: PropertyFinding) -> str:
    if finding.expected not in ("yes", "no"):
        return ""
    return f"{'as' if finding.expected == finding.holds else 'unlike'} the measure"


def _left_open(findings: Sequence[PropertyFinding]) -> Bullets:
    names = {status: [f.name for f in findings if f.holds == status] for status in _LEFT_OPEN}
    return Bullets("", [f"{_LEFT_OPEN[status]}: {', '.join(held)}" for status, held in names.items() if held])


def examples(findings: Iterable[PropertyFinding]) -> Iterator[Block]:
    """A section per property, with the inputs that show that it does not hold."""
    for finding in findings:
        blocks: list[Block] = []
        for given in finding.inputs:
            whose = "the mean" if given.query is None else f"query {given.query}"
            blocks.append(Facts([(whose, exact(given.value))]))
            blocks.append(Message(f"qrels\n{given.qrels}run.txt\n{given.run}"))
        if finding.python:
            blocks.append(Details("A program that prints both", [Command(finding.python)]))
        yield Section((Id(finding.name), f": {finding.says}"), blocks)


KIND = Kind(name="properties", document=PropertyDocument, page=properties_page)
