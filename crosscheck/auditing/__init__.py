"""A metric under audit: its conventions, found by experiment and proved by counterexample."""

from crosscheck.auditing.auditor import audit
from crosscheck.auditing.record import Audit, AuditDocument, Counterexample

__all__ = ["Audit", "AuditDocument", "Counterexample", "audit"]
