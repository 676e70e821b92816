"""An audit in words, for a terminal; nothing in it is computed here."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from crosscheck.audit_records import Audit, AxisFinding
from crosscheck.auditing.shown import qrels_text, run_text
from crosscheck.report import _escape
from crosscheck.results import Number

__all__ = ["as_text"]

_WIDTH = 100


def as_text(audit: Audit) -> str:
    """The whole audit; ids and messages are escaped."""
    return "\n".join(_escape.visible(line) for line in _lines(audit)) + "\n"


def _lines(audit: Audit) -> Iterator[str]:
    if audit.verdict == "uncallable":
        yield f"{audit.target} could not be called as {audit.measure}:"
        for line in (audit.message or "").splitlines():
            yield f"  {line}"
        return
    yield _headline(audit)
    if audit.call:
        yield f"  called as {audit.call}"
    yield from _wrapped(_profile(audit), "  ")
    for note in audit.notes:
        yield from _wrapped(f"note: {note}", "  ")
    yield ""
    yield f"Fingerprint, from {audit.experiments} experiments (seed {audit.seed})"
    if audit.verdict != "agrees":
        yield f"  it predicts {audit.fresh_inputs_met} of {audit.fresh_inputs} values on fresh inputs"
    yield from _fingerprint(audit)
    yield from _alternatives(audit)
    yield from _confirmation(audit)
    if audit.practice:
        yield ""
        yield "In practice"
        for sentence in audit.practice:
            yield from _wrapped(sentence, "  ", "    ")
    yield from _counterexamples(audit)
    yield from _accepted(audit)
    yield ""
    yield "Unusual inputs"
    width = max(map(len, audit.behaviour), default=0)
    for name, did in audit.behaviour.items():
        yield f"  {name:{width}}  {_escape.clip(did, 160)}"


def _headline(audit: Audit) -> str:
    if audit.verdict == "agrees":
        met = f"{audit.fresh_inputs_met} of {audit.fresh_inputs} fresh inputs"
        return f"{audit.target} agrees with {audit.reference} on {audit.measure}: the same value on {met}"
    return f"{audit.target} deviates from {audit.reference} on {audit.measure}: {', '.join(audit.causes)}"


def _profile(audit: Audit) -> str:
    nearest = audit.nearest_profile
    if nearest is None:
        return ""
    if not nearest.differs:
        return f"same conventions as {nearest.name} on this measure"
    return f"nearest known profile: {nearest.name}, except for {', '.join(nearest.differs)}"


def _fingerprint(audit: Audit) -> Iterator[str]:
    shown = [f for f in audit.fingerprint if f.status in ("decided", "open")]
    width = max((len(f.axis) for f in shown), default=0)
    values = max((len(_value(f)) for f in shown), default=0)
    for finding in shown:
        mark = "≠" if finding.value != finding.reference else "="
        yield f"  {mark} {finding.axis:{width}}  {_value(finding):{values}}  {_evidence(finding)}".rstrip()
    for status, about in (
        ("settled", "settled by how it is called"),
        ("unseen", "no input showed any influence"),
        ("unknown", "unknown, as something is unexplained"),
    ):
        names = [f.axis for f in audit.fingerprint if f.status == status]
        if names:
            yield from _wrapped(f"{about}: {', '.join(names)}", "    ", "      ")


def _value(finding: AxisFinding) -> str:
    return "none" if finding.value is None else str(finding.value)


def _evidence(finding: AxisFinding) -> str:
    if finding.status == "open":
        return "no input tells it apart from the alternatives"
    if finding.input is None:
        return ""
    number = "" if finding.decided_by is None else f"experiment {finding.decided_by}: "
    return f"{number}{finding.input}; it said {_number(finding.seen)}"


def _alternatives(audit: Audit) -> Iterator[str]:
    if audit.alternatives:
        yield "  no input tells this apart from"
        for other in audit.alternatives:
            axes = ", ".join(f"{axis}={value}" for axis, value in other.conventions.items())
            yield f"    {', '.join(other.causes)} ({axes})"


def _confirmation(audit: Audit) -> Iterator[str]:
    done = audit.confirmation
    if done is None:
        return
    failed = f"; it failed on {done.failed} more" if done.failed else ""
    yield f"  predicts all values on {done.confirmed} of {done.of} runs of the cases{failed}"
    if done.differs:
        more = f" and {len(done.differs) - 3} more" if len(done.differs) > 3 else ""
        yield f"    not on {', '.join(done.differs[:3])}{more}"


def _counterexamples(audit: Audit) -> Iterator[str]:
    for found in audit.counterexamples:
        yield ""
        yield (
            f"{found.cause}: {found.measure} of {_whose(found.query)} is {_number(found.reference)}, "
            f"here {_number(found.candidate)}"
        )
        yield from _side_by_side(qrels_text(found), run_text(found))
        if found.note:
            yield from _wrapped(found.note, "  ")
        if found.trec_eval:
            yield f"  {found.trec_eval}"


def _whose(query: str | None) -> str:
    return "the mean" if query is None else f"query {query}"


def _accepted(audit: Audit) -> Iterator[str]:
    for found in audit.accepts:
        yield ""
        yield (
            f"{found.cause}: {audit.reference} refuses such a run; "
            f"{found.measure} of {_whose(found.query)} is here {_number(found.candidate)}"
        )
        yield from _wrapped(found.explanation, "  ")
        yield from _side_by_side(found.qrels, found.run)


def _side_by_side(qrels: str, run: str) -> Iterator[str]:
    left, right = qrels.splitlines(), run.splitlines()
    width = max([len(line) for line in left] + [5])
    yield f"  {'qrels':{width}}   run.txt"
    most = 12
    for i in range(min(max(len(left), len(right)), most)):
        judged = left[i] if i < len(left) else ""
        line = right[i] if i < len(right) else ""
        yield f"  {judged:{width}}   {line}".rstrip()
    if len(right) > most:
        yield f"  ({len(right) - most} more lines)"


def _number(value: Number | None) -> str:
    return "no value" if value is None else str(value)


def _wrapped(text: str, indent: str, hanging: str | None = None) -> Iterator[str]:
    if text:
        yield from textwrap.wrap(
            text, _WIDTH, initial_indent=indent, subsequent_indent=hanging or indent + "  "
        )
