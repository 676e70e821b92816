"""Audits: find the conventions of a metric by calling it on inputs, and show each by a counterexample."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from crosscheck.audit_records import Audit, AuditDocument, Counterexample, PropertyReport
    from crosscheck.auditing.property_audit import properties
    from crosscheck.auditing.session import audit

__all__ = ["Audit", "AuditDocument", "Counterexample", "PropertyReport", "audit", "properties"]

# Imported on first use: a child process that calls a metric needs only ``auditing.calls``.
_HOMES = {"audit": "auditing.session", "properties": "auditing.property_audit"}


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"crosscheck.{_HOMES.get(name, 'audit_records')}"), name)
