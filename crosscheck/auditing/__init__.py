"""A metric under audit: its conventions, found by experiment and proved by counterexample."""

from crosscheck.audit_records import Audit, AuditDocument, Counterexample
from crosscheck.auditing.auditor import audit

__all__ = ["Audit", "AuditDocument", "Counterexample", "audit"]
