"""The page of ``crosscheck audit --properties``: missing properties by their smallest inputs, then all."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from crosscheck.audit_records import PropertyDocument, PropertyFinding, PropertyReport
from crosscheck.report._figures import count, exact
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
    TableCell,
    Text,
    Verdict,
)
from crosscheck.report.pages import Kind
from crosscheck.report.pages._studies import columns

__all__ = ["KIND", "examples", "listed_properties", "properties_page"]

_LEFT_OPEN = {
    "unseen": "it is not handed what these are about",
    "refused": "it has no value for the inputs of these",
    "untried": "no time was left for these, or its values change from call to call",
}


def properties_page(document: PropertyDocument) -> Page:
    """What holds, what does not, and what that is unlike."""
    report = document.properties
    lacking = [finding for finding in report.properties if finding.surprising]
    findings = [Finding(Status.UNEXPECTED, (Id(f.name), f": {f.says}")) for f in lacking]
    status = (Status.UNEXPECTED if lacking else Status.AGREE) if report.properties else Status.ERROR
    blocks: list[Block] = [] if report.properties else [Message(report.message or "it could not be called")]
    blocks += examples(finding for finding in report.properties if finding.holds == "no")
    if report.properties:
        blocks.append(
            Section("Properties", [listed_properties(report.properties), _left_open(report.properties)])
        )
    about: Text = ("Called as ", Id(report.call), ".") if report.call else ""
    title = ("Properties of ", Id(report.target))
    tool = (document.tool.name, " ", Id(document.tool.version))
    return Page(
        "properties", title, Verdict(status, _headline(report, lacking), about, findings), blocks, tool
    )


def _headline(report: PropertyReport, lacking: Sequence[PropertyFinding]) -> Text:
    target = Id(report.target)
    if not report.properties:
        return (target, " could not be called.")
    whose = "a sound measure" if report.measure is None else Id(report.measure)
    cases = f" ({count(sum(f.cases for f in report.properties), 'comparison')}, seed {report.seed})."
    if not lacking:
        return (target, " lacks no property of ", whose, cases)
    many = f"{len(lacking):,} {'property' if len(lacking) == 1 else 'properties'} of "
    return (target, " lacks ", many, whose, cases)


def listed_properties(findings: Iterable[PropertyFinding]) -> Table:
    """The properties of which something is known."""
    rows: list[list[TableCell]] = []
    for finding in findings:
        if finding.holds in ("yes", "no"):
            same = finding.expected == finding.holds
            beside = (
                ("as" if same else "unlike") + " the measure" if finding.expected in ("yes", "no") else ""
            )
            rows.append([finding.holds, Id(finding.name), finding.says, beside])
    return Table("", columns("holds", "@property", "in words", ""), rows, limit=40, noun="property")


def _left_open(findings: Sequence[PropertyFinding]) -> Bullets:
    names = {status: [f.name for f in findings if f.holds == status] for status in _LEFT_OPEN}
    return Bullets("", [f"{_LEFT_OPEN[status]}: {', '.join(held)}" for status, held in names.items() if held])


def examples(findings: Iterable[PropertyFinding]) -> Iterator[Block]:
    """The inputs that show that a property does not hold."""
    for finding in findings:
        blocks: list[Block] = []
        for given in finding.inputs:
            whose = "the mean" if given.query is None else f"query {given.query}"
            blocks.append(Facts([(whose, exact(given.value))]))
            blocks.append(Message(f"qrels\n{given.qrels}run.txt\n{given.run}"))
        told = [Details("A program that prints both", [Command(finding.python)])] if finding.python else []
        yield Section((Id(finding.name), f": {finding.says}"), [*blocks, *told])


KIND = Kind("properties", PropertyDocument, properties_page, "properties")
