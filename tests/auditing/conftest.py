"""Every audit that these tests make is held against its own evidence."""

import pytest

from crosscheck.audit_records import Audit
from crosscheck.auditing import session
from tests.auditing.audited import contradictions


@pytest.fixture(autouse=True)
def no_audit_contradicts_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hold every audit of the test against its own evidence."""
    made = session.Session.audited

    def audited(self: session.Session) -> Audit:
        audit = made(self)
        assert list(contradictions(audit)) == [], audit
        return audit

    monkeypatch.setattr(session.Session, "audited", audited)
