"""The audit of a metric: its conventions, found by experiments and confirmed by counterexamples."""

from crosscheck.auditing.auditor import audit
from crosscheck.auditing.record import Audit, AuditDocument, Counterexample

__all__ = ["Audit", "AuditDocument", "Counterexample", "audit"]
