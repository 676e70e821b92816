"""JSON Schemas (draft 2020-12), made from the records that documents are made of."""

from __future__ import annotations

import inspect
import json
from functools import cache
from typing import Any

import msgspec

from crosscheck.errors import no_such
from crosscheck.report.kinds import KINDS, kind


@cache
def schema(name: str = "run") -> str:
    """The JSON Schema of the documents of a kind (``run``, ``audit``, or a study), as JSON text.

    Raises:
        UsageError: there is no such kind.
    """
    if name not in KINDS:
        raise no_such("study", name, sorted(KINDS), several="documents")
    about = kind(name)
    (root,), records = msgspec.json.schema_components([about.document], ref_template="#/$defs/{name}")
    for part in records.values():
        if "description" in part:
            part["description"] = inspect.cleandoc(part["description"]).replace("``", "`")
        for field in part.get("properties", {}).values():
            if field.get("default") in ([], {}):
                del field["default"]
    properties: dict[str, Any] = records[about.document.__name__]["properties"]
    properties["schema_version"] = {"const": about.version}
    document = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"crosscheck {'result' if name == 'run' else name} document, version {about.version}",
        **root,
        "$defs": records,
    }
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"
