"""The JSON report: exact, readable again, valid whatever the document holds."""

from __future__ import annotations

import json
from typing import Any, NoReturn

import pytest

from crosscheck.errors import InputError
from crosscheck.report import render
from crosscheck.report.json_report import load
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


def _damaged(**changes: Any) -> str:
    held = json.loads(render(samples.everything(), "json"))
    return json.dumps({**held, **changes})


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
        (_damaged(complete="yes"), "complete"),
        (_damaged(comparisons=[{"case": 1}]), r"comparisons\[0\]"),
        (_damaged(schema_version=5), "cannot read the schema version"),
        (_damaged(schema_version="1"), "cannot read the schema version"),
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
        ("audit", "audit.counterexamples.0.ranks", {}, r"no rank - at `\$\.audit\.counterexamples\[0\]`"),
        (
            "pool",
            "unjudged.0.run",
            "x",
            "'fair' is not one of the runs with an unjudged rate|'best' is not one of",
        ),
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
    held = json.loads(render(documents.document(kind), "json"))
    *way, last = (int(part) if part.isdecimal() else part for part in path.split("."))
    part = held
    for key in way:
        part = part[key]
    part[last] = value
    with pytest.raises(InputError, match=told):
        load(json.dumps(held))


def older(held: dict[str, Any]) -> dict[str, Any]:
    """The document as version 2 wrote it: values were called as the sides that they belong to."""
    for compared in held["comparisons"]:
        for values in (compared["mean"], *compared["cells"]):
            for side in ("reference", "candidate"):
                values[side] = values.pop(f"{side}_value")
    return held | {"schema_version": 2}


def test_an_audit_of_version_3_is_read():
    """Counterexamples, accepted inputs and axes have other names for the reference's value and the metric's,
    and ids of queries and documents may be those names."""
    document = audit()
    for example in document.audit.counterexamples:
        example.qrels["cells"] = {"reference": 1, "candidate": 0}
    held = json.loads(render(document, "json"))
    for found in (
        *held["audit"]["counterexamples"],
        *held["audit"]["accepts"],
        *held["audit"]["fingerprint"],
    ):
        for side in ("reference", "candidate"):
            if f"{side}_value" in found:
                found[side] = found.pop(f"{side}_value")
    assert {"reference", "candidate"} <= held["audit"]["counterexamples"][0].keys()
    read = load(json.dumps(held | {"schema_version": 3}))
    assert read.audit == document.audit


def test_a_document_of_version_1_is_read_and_says_no_more_than_is_known():
    """``interval`` is none, a proof with fewer than three differing queries is consistent, and the document
    can be written again."""
    held = older(json.loads(render(samples.everything(), "json"))) | {"schema_version": 1}
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
