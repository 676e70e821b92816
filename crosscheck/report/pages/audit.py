"""The page of ``crosscheck audit``: the verdict, deviations by their smallest input, and the evidence."""

from __future__ import annotations

from crosscheck.audit_records import Audit, AuditDocument, Recognised
from crosscheck.report.page import Block, Finding, Id, Message, Page, Status, Text, Verdict
from crosscheck.report.pages import Kind, page
from crosscheck.report.pages._counterexample import counterexample, deviation, unshown
from crosscheck.report.pages._fingerprint import evidence
from crosscheck.report.words import setting

_STATUS = {"agrees": Status.AGREE, "deviates": Status.UNEXPECTED, "uncallable": Status.ERROR}
_PRECISION = {
    "double": ", as they are in double precision",
    "single": " (relative), as they are in single precision",
    "printed": ", as they are printed with so few decimals",
    None: "",
}


def audit_page(document: AuditDocument) -> Page:
    """The deviations of a metric with counterexamples, then the evidence for its conventions."""
    audit = document.audit
    shown = {f"deviation-{n}": found for n, found in enumerate(audit.counterexamples, 1)}
    findings = [Finding(Status.UNEXPECTED, deviation(audit, found), name) for name, found in shown.items()]
    told = {found.cause for found in audit.counterexamples}
    silent = [(Id(cause), ": ", unshown(audit, cause)) for cause in audit.causes if cause not in told]
    findings += [Finding(Status.UNEXPECTED, text) for text in silent]
    blocks: list[Block] = [Message(audit.message or "it could not be called")]
    if audit.verdict != "uncallable":
        blocks = [counterexample(audit, found, name) for name, found in shown.items()]
        blocks += evidence(audit)
    title = ("Audit of ", Id(audit.target), " as ", Id(audit.measure))
    status = Status.DIFFERS if audit.kinds_missed else _STATUS[audit.verdict]
    verdict = Verdict(status, _headline(audit), _about(audit), findings)
    return page(document, title, verdict, blocks, brief=audit.plainly_agrees)


def _headline(audit: Audit) -> Text:
    target, measure = Id(audit.target), Id(audit.measure)
    match audit.verdict:
        case "uncallable":
            return (target, " could not be called as ", measure, ".")
        case "agrees":
            met = f"{audit.fresh_inputs_met:,} of {audit.fresh_inputs:,} fresh inputs"
            same = f": the same value on {met}{_kinds(audit)}."
            return (target, " agrees with ", Id(audit.reference), " on ", measure, same)
    sure = f" ({audit.strength})" if audit.strength not in (None, "none") else ""
    causes = f": {', '.join(audit.causes)}{sure}."
    known = () if audit.recognised is None else _recognised(audit.recognised)
    if known and "unexplained" in audit.causes:
        return (target, " is not ", measure, ": ", *known)
    return (
        target,
        " deviates from ",
        Id(audit.reference),
        " on ",
        measure,
        causes,
        " Or " * bool(known),
        *known,
    )


def _kinds(audit: Audit) -> str:
    """How many kinds of change the fresh inputs would show; empty in old documents, which did not count."""
    missed = audit.kinds_missed
    if not audit.kinds_caught and not missed:
        return ""
    of_all = f", which catch {audit.kinds_caught} of {audit.kinds_caught + len(missed)} kinds of change"
    return of_all + "; not covered: " * bool(missed) + "; ".join(missed)


def _recognised(known: Recognised) -> Text:
    """The recognised formula of a metric, and the strength of its evidence."""
    said: list[str] = ["it is ", Id(known.formula)]
    for name, value in known.conventions.items():
        said += [" with ", Id(setting(name, value))]
    said += [" whatever k"] if known.whatever_k else []
    for rival in known.rivals:
        said += [" or ", Id(rival)]
    return (*said, f" ({known.strength}): it gives all {known.values:,} values.")


def _about(audit: Audit) -> Text:
    """How the metric was called, the nearest known profile, and when values count as equal."""
    said: list[str] = []
    if audit.call:
        said += ["Called as ", Id(audit.call), ". "]
    nearest = audit.nearest_profile
    if nearest is not None and not nearest.differs:
        said += ["Same conventions as ", Id(nearest.name), " on this measure."]
    elif nearest is not None:
        said += ["Nearest known profile: ", Id(nearest.name), f", except for {', '.join(nearest.differs)}."]
    if audit.verdict != "uncallable":
        within = f"Values count as equal within {audit.tolerance:g}{_PRECISION[audit.precision]}."
        said += [" " * bool(nearest), within]
    return tuple(said)


KIND = Kind(name="audit", document=AuditDocument, page=audit_page)
