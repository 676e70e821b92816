"""The JSON report: exact, readable again, valid whatever the document holds."""

import json
from typing import Any, NoReturn

import pytest

from crosscheck.report import render
from crosscheck.report.json_report import load
from crosscheck.results import Mean, number
from tests.html.documents import audit
from tests.report import samples
from tests.report.test_outputs import damaged


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
    held = json.loads(damaged("run", "schema_version", 1))
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
