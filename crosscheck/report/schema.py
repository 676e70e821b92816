"""The JSON Schema of the result document (draft 2020-12), shipped beside this module as ``schema.json``.

It is made from the records of :mod:`crosscheck.results`. After a change of a record,
``python -m crosscheck.report.schema`` prints the new content of the file.
"""

from __future__ import annotations

import inspect
import json
import sys
from importlib import resources
from typing import Any

import msgspec

from crosscheck.errors import no_such
from crosscheck.report.kinds import KINDS, kind
from crosscheck.results import SCHEMA_VERSION, Document


def schema() -> str:
    """The schema that ships with this version, as JSON text."""
    return resources.files("crosscheck.report").joinpath("schema.json").read_text("utf-8")


def generated() -> str:
    """The schema made anew from the records."""
    return schema_of(Document, "crosscheck result document", SCHEMA_VERSION)


def schema_of_kind(name: str) -> str:
    """The JSON Schema of the documents of a kind: ``run``, ``audit``, or a study.

    Raises:
        UsageError: there is no such kind.
    """
    if name == "run":
        return schema()
    if name not in KINDS:
        raise no_such("study", name, sorted(KINDS), several="documents")
    return schema_of(kind(name).document, f"crosscheck {name} document", kind(name).version)


def schema_of(record: type[Any], title: str, version: int) -> str:
    """The JSON Schema of documents of the class ``record``, with its title and the schema version."""
    (root,), records = msgspec.json.schema_components([record], ref_template="#/$defs/{name}")
    for part in records.values():
        if "description" in part:
            part["description"] = inspect.cleandoc(part["description"]).replace("``", "`")
        for about in part.get("properties", {}).values():
            if about.get("default") in ([], {}):
                del about["default"]
    properties: dict[str, Any] = records[record.__name__]["properties"]
    properties["schema_version"] = {"const": version}
    document = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"{title}, version {version}",
        **root,
        "$defs": records,
    }
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    sys.stdout.write(generated())
