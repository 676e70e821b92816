"""The audit of a metric: its conventions, found by experiments and confirmed by counterexamples."""

from crosscheck.audit_records import Audit, AuditDocument, Counterexample, PropertyReport
from crosscheck.auditing.auditor import audit
from crosscheck.auditing.property_audit import properties

__all__ = ["Audit", "AuditDocument", "Counterexample", "PropertyReport", "audit", "properties"]
