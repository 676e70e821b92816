"""The JSON Schema of the result document (draft 2020-12), shipped beside this module as ``schema.json``.

It is made from the records of :mod:`crosscheck.results`; ``python -m crosscheck.report.schema`` prints
what the file must hold after one of them has changed.
"""

from __future__ import annotations

import inspect
import json
import sys
from importlib import resources
from typing import Any

import msgspec

from crosscheck.results import SCHEMA_VERSION, Document

__all__ = ["generated", "schema"]


def schema() -> str:
    """The schema that ships with this version, as JSON text."""
    return resources.files("crosscheck.report").joinpath("schema.json").read_text("utf-8")


def generated() -> str:
    """The schema made anew from the records."""
    (root,), records = msgspec.json.schema_components([Document], ref_template="#/$defs/{name}")
    for record in records.values():
        if "description" in record:
            record["description"] = inspect.cleandoc(record["description"]).replace("``", "`")
    properties: dict[str, Any] = records["Document"]["properties"]
    properties["schema_version"] = {"const": SCHEMA_VERSION}
    document = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"crosscheck result document, version {SCHEMA_VERSION}",
        **root,
        "$defs": records,
    }
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    sys.stdout.write(generated())
