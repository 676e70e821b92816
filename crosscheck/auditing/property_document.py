"""The JSON document of the properties of a metric, and its schema."""

from __future__ import annotations

import sys
from importlib import resources

from msgspec.structs import replace

from crosscheck.audit_records import PropertyDocument, PropertyReport
from crosscheck.harness.environment import environment
from crosscheck.report.schema import schema_of
from crosscheck.results import SCHEMA_VERSION, Tool

__all__ = ["document", "generated", "schema"]


def document(report: PropertyReport) -> PropertyDocument:
    """The properties as a document; ``properties.schema.json`` beside this file describes it."""
    from crosscheck import __version__

    return PropertyDocument(
        schema_version=SCHEMA_VERSION,
        tool=Tool("crosscheck", __version__),
        environment=replace(environment(), seed=report.seed),
        properties=report,
    )


def schema() -> str:
    """The JSON Schema that ships with this version."""
    return resources.files("crosscheck.auditing").joinpath("properties.schema.json").read_text("utf-8")


def generated() -> str:
    """The JSON schema of the document of ``audit --properties``, made from its records."""
    return schema_of(PropertyDocument, "crosscheck audit --properties document", SCHEMA_VERSION)


if __name__ == "__main__":
    sys.stdout.write(generated())
