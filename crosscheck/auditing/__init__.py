"""A metric under audit: its conventions, found by experiment and proved by counterexample."""

from crosscheck.auditing.auditor import audit
from crosscheck.auditing.property_audit import properties
from crosscheck.auditing.record import Audit, AuditDocument, Counterexample, PropertyReport

__all__ = ["Audit", "AuditDocument", "Counterexample", "PropertyReport", "audit", "properties"]
