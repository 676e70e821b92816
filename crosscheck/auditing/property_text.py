"""Properties in words, for a terminal; nothing in them is computed here."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Sequence

from crosscheck.auditing.record import Audit, PropertyFinding, PropertyReport
from crosscheck.report import _escape

__all__ = ["as_text", "beside_an_audit"]

_WIDTH = 100
_LEFT_OPEN = {
    "unseen": "it is not handed what these are about",
    "refused": "it has no value for the inputs of these",
    "untried": "no time was left for these, or its values change from call to call",
}


def as_text(report: PropertyReport) -> str:
    """The whole report; ids and messages are escaped."""
    return "\n".join(_escape.visible(line) for line in _lines(report)) + "\n"


def _lines(report: PropertyReport) -> Iterator[str]:
    if not report.properties:
        yield f"{report.target} could not be called:"
        yield from (f"  {line}" for line in (report.message or "").splitlines())
        return
    cases = sum(finding.cases for finding in report.properties)
    what = "" if report.measure is None else f" as {report.measure}"
    yield f"Properties of {report.target}{what}, from {cases} comparisons (seed {report.seed})"
    if report.call:
        yield f"  called as {report.call}"
    for finding in report.properties:
        if finding.holds in ("yes", "no"):
            yield f"  {finding.holds:4}{_as_said(finding)}{_beside(finding)}"
    yield from _left_open(report.properties)
    yield from _examples(finding for finding in report.properties if finding.holds == "no")


def beside_an_audit(audit: Audit) -> Iterator[str]:
    """What is worth saying beside an audit: the properties in which metric and measure differ."""
    known = [f for f in audit.properties if f.holds in ("yes", "no") and f.expected in ("yes", "no")]
    differ = [f for f in known if f.holds != f.expected]
    if audit.properties:
        yield ""
        same = sum(f.holds == f.expected for f in known)
        yield f"Properties: {same} of {len(known)} are those of {audit.measure}"
        yield from (f"  {f.holds:4}{_as_said(f)}" for f in differ)
        yield from _examples(f for f in differ if f.holds == "no")


def _as_said(finding: PropertyFinding) -> str:
    return f"{finding.name}: {finding.says}"


def _beside(finding: PropertyFinding) -> str:
    if finding.expected not in ("yes", "no"):
        return ""
    return " (as the measure)" if finding.expected == finding.holds else " (unlike the measure)"


def _left_open(findings: Sequence[PropertyFinding]) -> Iterator[str]:
    for status, why in _LEFT_OPEN.items():
        names = [f.name for f in findings if f.holds == status]
        if names:
            yield from textwrap.wrap(
                f"{why}: {', '.join(names)}", _WIDTH, initial_indent="    ", subsequent_indent="      "
            )


def _examples(findings: Iterable[PropertyFinding]) -> Iterator[str]:
    for finding in findings:
        yield ""
        yield f"{finding.name}: {finding.says}"
        for given in finding.inputs:
            whose = "the mean" if given.query is None else f"query {given.query}"
            yield f"  {whose} is {'no value' if given.value is None else given.value}"
            yield from _side_by_side(given.qrels, given.run)


def _side_by_side(qrels: str, run: str) -> Iterator[str]:
    left, right = ["qrels", *qrels.splitlines()], ["run.txt", *run.splitlines()]
    width = max(map(len, left))
    for i in range(min(max(len(left), len(right)), 14)):
        judged = left[i] if i < len(left) else ""
        yield f"    {judged:{width}}   {right[i] if i < len(right) else ''}".rstrip()
    if max(len(left), len(right)) > 14:
        yield f"    ({max(len(left), len(right)) - 14} more lines)"
