"""The words of an audit that its own evidence refutes."""

from collections.abc import Iterator

from crosscheck.audit_records import Audit
from crosscheck.conventions import profiles
from crosscheck.evaluation.formula import with_measure_parameters
from crosscheck.names import conventions_for, parse_measure

__all__ = ["contradictions"]


def contradictions(audit: Audit) -> Iterator[str]:
    """The words of an audit that its own evidence refutes."""
    if audit.verdict == "uncallable":
        return
    if (audit.verdict == "agrees") != (not audit.causes):
        yield "a verdict against its causes"
    if audit.verdict == "agrees":
        if audit.conventions:
            yield "agrees, under other conventions"
        if audit.fresh_inputs_met != audit.fresh_inputs or not audit.fresh_inputs:
            yield "agrees, against fresh inputs"
        if audit.confirmation is not None and audit.confirmation.differs:
            yield "agrees, against the given cases"
        if audit.counterexamples:
            yield "agrees, with a counterexample"
    if audit.nearest_profile is not None and {"unexplained", "cross-query-leak", "refuses-input"} & {
        *audit.causes
    }:
        yield "same conventions as a profile, beside what no conventions explain"
    if audit.nearest_profile is not None and audit.reference in profiles():
        measure, nearest = parse_measure(audit.measure), audit.nearest_profile
        tool = conventions_for(nearest.name, measure)
        reference = with_measure_parameters(conventions_for(audit.reference, measure), measure)
        for axis in audit.conventions.keys() - {*nearest.differs}:
            if tool.plain(axis) == reference.plain(axis):
                yield f"{axis} as in {nearest.name}, and not as in the reference, which has the same"
    if "unexplained" in audit.causes:
        for finding in audit.fingerprint:
            if finding.status == "open":
                yield f"{finding.axis} = {finding.value}, beside something unexplained"
    elif audit.fresh_inputs_met != audit.fresh_inputs and "cross-query-leak" not in audit.causes:
        yield "all explained, against fresh inputs"
    for finding in audit.fingerprint:
        if finding.status == "unknown" and finding.value != "unknown":
            yield f"{finding.axis} = {finding.value}, which is unknown"
    for shown in audit.counterexamples:
        if shown.cause == "unexplained" and shown.reference_value is None and shown.candidate_value == 0:
            yield "0 where there is nothing to measure, as unexplained"
