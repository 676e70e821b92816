"""The JSON document of an audit, and its schema."""

from __future__ import annotations

import sys
from importlib import resources

from msgspec.structs import replace

from crosscheck.audit_records import Audit, AuditDocument
from crosscheck.harness.environment import environment
from crosscheck.report.schema import schema_of
from crosscheck.results import SCHEMA_VERSION, Tool

__all__ = ["document", "generated", "schema"]


def document(audit: Audit) -> AuditDocument:
    """The audit as a document; ``schema.json`` beside this file describes it."""
    from crosscheck import __version__

    return AuditDocument(
        schema_version=SCHEMA_VERSION,
        tool=Tool("crosscheck", __version__),
        environment=replace(environment(), seed=audit.seed),
        audit=audit,
    )


def schema() -> str:
    """The JSON Schema that ships with this version."""
    return resources.files("crosscheck.auditing").joinpath("schema.json").read_text("utf-8")


def generated() -> str:
    """The JSON schema of the document of ``audit``, made from its records."""
    return schema_of(AuditDocument, "crosscheck audit document", SCHEMA_VERSION)


if __name__ == "__main__":
    sys.stdout.write(generated())
