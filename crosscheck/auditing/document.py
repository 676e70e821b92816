"""The JSON document of an audit, and its schema."""

from __future__ import annotations

import inspect
import json
import sys
from dataclasses import replace
from importlib import resources
from typing import Any

import msgspec

from crosscheck.auditing.record import Audit, AuditDocument
from crosscheck.harness.environment import environment
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
    (root,), records = msgspec.json.schema_components([AuditDocument], ref_template="#/$defs/{name}")
    for record in records.values():
        if "description" in record:
            record["description"] = inspect.cleandoc(record["description"]).replace("``", "`")
    properties: dict[str, Any] = records["AuditDocument"]["properties"]
    properties["schema_version"] = {"const": SCHEMA_VERSION}
    document = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"crosscheck audit document, version {SCHEMA_VERSION}",
        **root,
        "$defs": records,
    }
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    sys.stdout.write(generated())
