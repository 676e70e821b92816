"""The audit of a metric: its conventions, found by experiments and confirmed by counterexamples."""

from crosscheck.audit_records import Audit, AuditDocument, Counterexample
from crosscheck.auditing.auditor import audit

__all__ = ["Audit", "AuditDocument", "Counterexample", "audit"]
