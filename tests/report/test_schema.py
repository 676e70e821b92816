"""The JSON Schema that is made from the records."""

from __future__ import annotations

import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]

from crosscheck.report import render
from crosscheck.report.json_report import schema
from tests.report import samples


@pytest.mark.parametrize("sample", ["everything", "hostile", "flood"])
def test_reports_satisfy_the_schema(sample: str) -> None:
    """Every JSON report validates against the schema of the same version."""
    document = json.loads(render(getattr(samples, sample)(), "json"))
    Draft202012Validator(json.loads(schema())).validate(document)


def _change(path: str, value: Any) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(render(samples.everything(), "json"))
    *parents, last = [int(key) if key.isdecimal() else key for key in path.split("/")]
    place: Any = document
    for key in parents:
        place = place[key]
    if value is ...:
        del place[last]
    else:
        place[last] = value
    return document


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("schema_version", 1),
        ("schema_version", ...),
        ("complete", "yes"),
        ("comparisons/4/outcome", "matched"),
        ("comparisons/4/mean/reference_value", "nan"),
        ("comparisons/4/mean/reference_value", ...),
        ("comparisons/4/diagnosis/strength", "certain"),
        ("comparisons/4/diagnosis/strength", "interval"),
        ("comparisons/4/cells/0/outcome", "match"),
        ("comparisons/4/queries", 1.5),
        ("summary/causes", ["tie-breaking"]),
    ],
)
def test_the_schema_refuses_other_documents(path: str, value: Any) -> None:
    """A wrong type, an unknown outcome, a missing field or another version does not validate."""
    validator = Draft202012Validator(json.loads(schema()))
    assert not validator.is_valid(_change(path, value))
