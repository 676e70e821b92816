"""The audit of a metric: its conventions, found by experiments and confirmed by counterexamples."""

from crosscheck.auditing.auditor import audit
from crosscheck.auditing.property_audit import properties
from crosscheck.auditing.record import Audit, AuditDocument, Counterexample, PropertyReport

__all__ = ["Audit", "AuditDocument", "Counterexample", "PropertyReport", "audit", "properties"]
