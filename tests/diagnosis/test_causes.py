"""The causes as data: labels, prose, and the numbers their examples claim."""

from __future__ import annotations

import re

import pytest

import crosscheck
from crosscheck.conventions import Conventions
from crosscheck.diagnosis.causes import causes, labels

Q1, AB = {"1": {"a": 1, "b": 0}}, {"1": {"a": 2.0, "b": 1.0}}
#: label -> qrels, run, measure, {conventions: value} as the prose of the cause says it.
EXAMPLES = {
    "tie-breaking": (Q1, {"1": {"a": 0.5, "b": 0.5}}, "RR", {"": 0.5, "ties=input": 1.0}),
    "gain": (
        {"1": {"a": 1, "b": 2}},
        AB,
        "nDCG",
        {"": 0.8597, "gain=exponential": 0.7967, "gain=binary": 1.0},
    ),
    "precision-denominator": (Q1, AB, "P@5", {"": 0.2, "precision_denominator=min(k,retrieved)": 0.5}),
    "score-precision": (
        Q1,
        {"1": {"a": 1.00000001, "b": 1.0}},
        "RR",
        {"": 0.5, "score_precision=float64": 1.0},
    ),
    "rank-order": (Q1, {"1": {"b": 1.0, "a": 2.0}}, "RR", {"": 1.0, "order=input": 0.5}),
    "ideal-ranking": (
        {"1": {"a": 1, "b": 1}},
        {"1": {"a": 2.0}},
        "nDCG",
        {"": 0.6131, "ideal=retrieved": 1.0},
    ),
    "discount": (Q1, {"1": {"b": 2.0, "a": 1.0}}, "nDCG", {"": 0.6309, "discount=jarvelin": 1.0}),
    "ap-denominator": (
        {"1": {"a": 1, "b": 1}},
        {"1": {"a": 2.0}},
        "AP",
        {"": 0.5, "ap_denominator=retrieved-relevant": 1.0},
    ),
    "recall-denominator": (
        {"1": {"a": 1, "b": 1}},
        {"1": {"a": 2.0}},
        "R@1",
        {"": 0.5, "recall_denominator=min(R,k)": 1.0},
    ),
    "relevance-level": ({"1": {"a": 1, "b": 2}}, AB, "RR", {"": 1.0, "relevance_level=2": 0.5}),
    "unjudged-documents": (
        {"1": {"a": 1}},
        {"1": {"x": 2.0, "a": 1.0}},
        "RR",
        {"": 0.5, "unjudged=removed": 1.0},
    ),
    "judged-depth": (
        {"1": {**dict.fromkeys("abcdef", 1), "z": 0}},
        {"1": {doc: 9.0 - i for i, doc in enumerate("xabcdef")}},
        "bpref",
        {"": 1.0, "judged_depth=5": 0.8333, "depth=5": 0.6667},
    ),
    "rr-cutoff": (
        {"1": {"a": 1}},
        {"1": {**{f"x{i}": 99.0 - i for i in range(10)}, "a": 1.0}},
        "RR",
        {"": 0.0909, "rr_cutoff=10": 0.0},
    ),
    "depth": (
        {"1": {"a": 1}},
        {"1": {**{f"x{i:03}": 999.0 - i for i in range(100)}, "a": 1.0}},
        "AP",
        {"": 0.0099, "depth=100": 0.0},
    ),
    "bpref-form": (
        {"1": {"a": 1}},
        {"1": {"x": 2.0, "a": 1.0}},
        "bpref",
        {"": 1.0, "bpref_form=zero-when-no-nonrelevant": 0.0},
    ),
    "negative-relevance": (
        {"1": {"a": 1, "b": -1}},
        {"1": {"b": 2.0, "a": 1.0}},
        "bpref",
        {"": 1.0, "negatives=nonrelevant": 0.0},
    ),
    "special-scores": (
        {"1": {"a": 1, "b": 1}},
        {"1": {"a": -1.0, "b": -2.0}},
        "AP",
        {"": 1.0, "special_scores=nonpositive-dropped": 0.0},
    ),
    "identical-ids": (
        {"1": {"a": 1}},
        {"1": {"1": 2.0, "a": 1.0}},
        "RR",
        {"": 0.5, "identical_ids=removed": 1.0},
    ),
    "id-normalisation": (
        {"1": {"DocA": 1}},
        {"1": {"doca": 2.0, "DocB": 1.0}},
        "RR",
        {"": 0.0, "ids=case": 1.0},
    ),
    "universe": (
        {"1": {"a": 1, "b": 1}},
        {"1": {"a": 2.0}},
        "R@1",
        {"": 0.5, "universe=retrieved": 1.0},
    ),
    "rprec-denominator": (
        {"1": {"a": 1, "b": 1}},
        {"1": {"a": 2.0}},
        "Rprec",
        {"": 0.5, "rprec_denominator=min(R,retrieved)": 1.0},
    ),
    "recall-points": (
        {"1": {"a": 1, "b": 1}},
        {"1": {"a": 3.0, "x": 2.0, "b": 1.0}},
        "IPrec@0.6",
        {"": 0.6667, "recall_points=round": 1.0},
    ),
    "rounding": (
        {"1": {"a": 1, "b": 0, "c": 0}},
        {"1": {"b": 3.0, "c": 2.0, "a": 1.0}},
        "RR",
        {"": 0.3333, "rounding=4": 0.3333},
    ),
}


@pytest.mark.parametrize("label", EXAMPLES)
def test_the_example_of_a_cause_is_true(label: str) -> None:
    """The numbers in the prose are what crosscheck computes, and they are in the prose."""
    qrels, run, measure, claimed = EXAMPLES[label]
    prose = causes()[label].prose
    for spec, value in claimed.items():
        computed = crosscheck.evaluate(qrels, run, [measure], conventions=spec or Conventions())
        assert computed["1"][measure] == pytest.approx(value, abs=5e-5)
        assert re.search(rf"{re.escape(str(value))}", prose), f"{value} is not in the prose of {label}"


def test_the_labels_the_users_know_exist() -> None:
    """Labels are stable identifiers."""
    assert {
        "tie-breaking",
        "missing-queries",
        "gain",
        "precision-denominator",
        "score-precision",
        "rank-order",
        "ideal-ranking",
        "discount",
        "ap-denominator",
        "recall-denominator",
        "query-set",
        "cross-query-leak",
        "rounding",
        "float-noise",
        "unexplained",
    } <= set(labels())


@pytest.mark.parametrize("label", labels())
def test_every_cause_explains_itself(label: str) -> None:
    """Summary, prose with an example and a way out, and an axis that exists or none."""
    cause = causes()[label]
    assert cause.summary
    assert "qrels:" in cause.prose
    assert "run:" in cause.prose
    assert "Way out:" in cause.prose
    assert cause.axis is None or hasattr(Conventions(), cause.axis)
    assert cause.axis is None or cause.needs


def test_every_axis_that_measures_read_has_a_cause() -> None:
    """An axis without a cause could change a number that nobody can explain."""
    explained = {cause.axis for cause in causes().values()}
    axes = set(Conventions.__dataclass_fields__)
    assert axes <= explained
