"""The JSON documents of an audit and of the properties of a metric."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from crosscheck import __version__
from crosscheck.audit_records import Audit, AuditDocument, PropertyDocument, PropertyReport
from crosscheck.harness.document import environment
from crosscheck.results import SCHEMA_VERSION, Tool

__all__ = ["document", "property_document"]


def document(audit: Audit) -> AuditDocument:
    """The audit as a document."""
    return AuditDocument(**_made(audit.seed), audit=audit)


def property_document(report: PropertyReport) -> PropertyDocument:
    """The properties of a metric as a document."""
    return PropertyDocument(**_made(report.seed), properties=report)


def _made(seed: int) -> dict[str, Any]:
    """The fields of every document: the program that wrote it, and where."""
    tool = Tool("crosscheck", __version__)
    made_in = replace(environment(), seed=seed)
    return {"schema_version": SCHEMA_VERSION, "tool": tool, "environment": made_in}
