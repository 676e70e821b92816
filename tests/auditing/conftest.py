"""Every audit that these tests make is held against its own evidence."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from crosscheck.audit_records import Audit
from crosscheck.auditing import auditor
from crosscheck.model import MeasureValues


def contradictions(audit: Audit) -> Iterator[str]:
    """The words of an audit that its own evidence refutes."""
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
    if "unexplained" in audit.causes:
        if audit.nearest_profile is not None:
            yield "same conventions as a profile, beside something unexplained"
        for finding in audit.fingerprint:
            if finding.status == "open":
                yield f"{finding.axis} = {finding.value}, beside something unexplained"
    elif audit.fresh_inputs_met != audit.fresh_inputs and "cross-query-leak" not in audit.causes:
        yield "all explained, against fresh inputs"
    for finding in audit.fingerprint:
        if finding.status == "unknown" and finding.value != "unknown":
            yield f"{finding.axis} = {finding.value}, which is unknown"


@pytest.fixture(autouse=True)
def no_audit_contradicts_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hold every audit of the test against its own evidence."""
    made = auditor._Session.audited

    def audited(self: auditor._Session, first: MeasureValues) -> Audit:
        audit = made(self, first)
        assert list(contradictions(audit)) == [], audit
        return audit

    monkeypatch.setattr(auditor._Session, "audited", audited)
