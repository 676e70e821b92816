"""The JSON document of an audit, and its schema."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from importlib import resources

import msgspec

from crosscheck.audit_records import Audit, AuditDocument
from crosscheck.harness.environment import environment
from crosscheck.report.schema import schema_of
from crosscheck.results import SCHEMA_VERSION, Tool

__all__ = ["as_json", "generated", "schema"]


def as_json(audit: Audit) -> str:
    """The audit as ``crosscheck audit --report json`` writes it; ``schema.json`` beside this describes it."""
    from crosscheck import __version__

    document = AuditDocument(
        schema_version=SCHEMA_VERSION,
        tool=Tool("crosscheck", __version__),
        environment=replace(environment(), seed=audit.seed),
        audit=audit,
    )
    # ASCII only: the name of a target may hold bytes that UTF-8 has no place for.
    return json.dumps(msgspec.to_builtins(document), indent=2, allow_nan=False) + "\n"


def schema() -> str:
    """The JSON Schema that ships with this version."""
    return resources.files("crosscheck.auditing").joinpath("schema.json").read_text("utf-8")


def generated() -> str:
    """The schema made anew from the records."""
    return schema_of(AuditDocument, "crosscheck audit document", SCHEMA_VERSION)


if __name__ == "__main__":
    sys.stdout.write(generated())
