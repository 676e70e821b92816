"""The JSON documents of an audit and of properties, and their schemas."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from importlib import resources
from typing import Any

import msgspec

from crosscheck.auditing.record import Audit, AuditDocument, PropertyDocument, PropertyReport
from crosscheck.harness.environment import environment
from crosscheck.report.schema import schema_of
from crosscheck.results import SCHEMA_VERSION, Tool

__all__ = ["as_json", "generated", "schema"]

#: Records of the documents, with the files beside this that describe them, and their titles.
_SCHEMAS: dict[type[Any], tuple[str, str]] = {
    AuditDocument: ("schema.json", "crosscheck audit document"),
    PropertyDocument: ("properties.schema.json", "crosscheck audit --properties document"),
}


def as_json(found: Audit | PropertyReport) -> str:
    """What ``crosscheck audit --report json`` writes; a schema beside this describes it."""
    from crosscheck import __version__

    document = (AuditDocument if isinstance(found, Audit) else PropertyDocument)(
        SCHEMA_VERSION,
        Tool("crosscheck", __version__),
        replace(environment(), seed=found.seed),
        found,  # type: ignore[arg-type]
    )
    # ASCII only: the name of a target may hold bytes that UTF-8 has no place for.
    return json.dumps(msgspec.to_builtins(document), indent=2, allow_nan=False) + "\n"


def schema(record: type[Any] = AuditDocument) -> str:
    """The JSON Schema that ships with this version."""
    return resources.files("crosscheck.auditing").joinpath(_SCHEMAS[record][0]).read_text("utf-8")


def generated(record: type[Any] = AuditDocument) -> str:
    """The schema made anew from the records."""
    return schema_of(record, _SCHEMAS[record][1], SCHEMA_VERSION)


if __name__ == "__main__":
    sys.stdout.write(generated(PropertyDocument if "properties" in sys.argv else AuditDocument))
