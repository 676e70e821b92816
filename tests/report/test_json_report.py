"""The JSON report: exact, readable again, valid whatever the document holds."""

import json
from typing import Any, NoReturn

import pytest
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]

from crosscheck.errors import InputError
from crosscheck.report import render
from crosscheck.report.json_report import load, schema
from crosscheck.results import Mean, number
from tests.html import documents
from tests.html.documents import audit
from tests.report import samples


def _refuse(literal: str) -> NoReturn:
    raise AssertionError(f"{literal} is not JSON")


@pytest.mark.parametrize("value", [float("nan"), float("inf"), float("-inf")])
def test_not_a_number_is_a_string_and_never_null(value):
    """A float that JSON cannot write becomes its name, so that it is not taken for an absent value."""
    one = samples.comparison(mean=Mean(value, None, False))
    written = json.loads(render(samples.document([one]), "json"), parse_constant=_refuse)
    mean = written["comparisons"][0]["mean"]
    assert mean["reference_value"] == number(value)
    assert mean["candidate_value"] is None


def damaged(kind: str, path: str, value: Any) -> Any:
    """The JSON of a document with another value at a path; ``...`` takes the value away."""
    held = part = json.loads(render(documents.document(kind), "json"))
    *way, last = (int(part) if part.isdecimal() else part for part in path.split("."))
    for key in way:
        part = part[key]
    if value is ...:
        del part[last]
    else:
        part[last] = value
    return held


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "truncated"),
        ("[]", "object"),
        ('{"schema_version": 3}', "missing required field"),
        ('{"schema_version": 1}', "missing required field"),
        ('{"schema_version": 1, "comparisons": [5, {"diagnosis": 5}]}', "object"),
        (b"\xff", "not a result document"),
        ("\ud800", "not a result document"),
        ('{"a":' * 100_000, "not a result document"),
    ],
)
def test_a_damaged_document_is_refused(text, told):
    """Anything but a result document of this version is an input error that says where it fails."""
    with pytest.raises(InputError, match=told) as error:
        load(text, path="saved.json")
    assert str(error.value).startswith("saved.json: ")


@pytest.mark.parametrize(
    ("kind", "path", "value", "told"),
    [
        ("run", "complete", "yes", "complete"),
        ("run", "comparisons", [{"case": 1}], r"comparisons\[0\]"),
        ("run", "schema_version", 5, "cannot read the schema version"),
        ("run", "schema_version", "1", "cannot read the schema version"),
        ("audit", "audit.counterexamples.0.ranks", {}, r"no rank - at `\$\.audit\.counterexamples\[0\]`"),
        ("pool", "unjudged.0.run", "x", "'(fair|best)' is not one of the runs with an unjudged rate"),
        ("agreement", "confusion.0", [], "one row and one column for each of the `levels`"),
        ("compare", "measures.0.pairs.0.b", "x", "'x' is not one of the runs of the JSON document"),
        ("compare", "measures.0.systems.0.better_than", ["x"], "'x' is not one of the runs"),
        ("compare", "measures.0.pairs", [], r"length >= 1 - at `\$\.measures\[0\]\.pairs`"),
        ("why", "answers", [], r"length >= 1 - at `\$\.answers`"),
        ("why", "answers.0.chance", -1e-9, r">= 0.* - at `\$\.answers\[0\]\.chance`"),
        ("why", "by_chance", -1, r">= 0.* - at `\$\.by_chance`"),
        ("evidence", "evidence.0.rankings.0.reference_ranking.0.rank", 0, r">= 1 - at .*ranking\[0\]\.rank`"),
        ("evidence", "comparisons.1.diagnosis.causes", [], r"must have a cause - at .*\[1\]\.diagnosis`"),
    ],
)
def test_a_document_whose_parts_contradict_each_other_is_refused(kind, path, value, told):
    """A name that is not listed, a table of another size or a missing part is named by its path."""
    with pytest.raises(InputError, match=told):
        load(json.dumps(damaged(kind, path, value)))


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("schema_version", 1),
        ("schema_version", ...),
        ("complete", "yes"),
        ("comparisons.4.outcome", "matched"),
        ("comparisons.4.mean.reference_value", "nan"),
        ("comparisons.4.mean.reference_value", ...),
        ("comparisons.4.diagnosis.strength", "certain"),
        ("comparisons.4.diagnosis.strength", "interval"),
        ("comparisons.4.cells.0.outcome", "match"),
        ("comparisons.4.queries", 1.5),
        ("summary.causes", ["tie-breaking"]),
    ],
)
def test_the_schema_refuses_other_documents(path, value):
    """A wrong type, an unknown outcome, a missing field or another version does not validate."""
    assert not Draft202012Validator(json.loads(schema())).is_valid(damaged("run", path, value))


def renamed(values: dict[str, Any]) -> None:
    """As before version 4: values were called as the sides that they belong to."""
    for side in ("reference", "candidate"):
        if f"{side}_value" in values:
            values[side] = values.pop(f"{side}_value")


def test_an_audit_of_version_3_is_read():
    """Counterexamples, accepted inputs and axes have other names for the reference's value and the metric's,
    and ids of queries and documents may be those names."""
    document = audit()
    for example in document.audit.counterexamples:
        example.qrels["cells"] = {"reference": 1, "candidate": 0}
    held = json.loads(render(document, "json"))
    for found in ("counterexamples", "accepts", "fingerprint"):
        for values in held["audit"][found]:
            renamed(values)
    assert {"reference", "candidate"} <= held["audit"]["counterexamples"][0].keys()
    read = load(json.dumps(held | {"schema_version": 3}))
    assert read.audit == document.audit


def test_a_document_of_version_1_is_read_and_says_no_more_than_is_known():
    """``interval`` is none, a proof with fewer than three differing queries is consistent, and the document
    can be written again."""
    held = damaged("run", "schema_version", 1)
    for compared in held["comparisons"]:
        for values in (compared["mean"], *compared["cells"]):
            renamed(values)
    differing = [c for c in held["comparisons"] if c["diagnosis"]]
    differing[0]["diagnosis"]["strength"] = "interval"
    differing[1] |= {"mismatches": 3, "matches": 47}
    for comparison in differing:
        del comparison["diagnosis"]["fits"], comparison["diagnosis"]["tried"]
    old = [c["diagnosis"]["strength"] for c in differing]
    document = load(json.dumps(held))
    new = [c.diagnosis.strength for c in document.comparisons if c.diagnosis]
    assert (old[:3], new[:3]) == (["interval", "proved", "proved"], ["none", "proved", "consistent"])
    assert new[3:] == old[3:]
    assert load(render(document, "json")) == document
