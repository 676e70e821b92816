"""Why values of measures over subtopics differ: found by recomputing them, as for any measure."""

from __future__ import annotations

import math
import random
from typing import Any

import pytest

import crosscheck
from tests.support.strength import earned

MEASURES = ["alpha_nDCG@5", "nERR_IA@5", "nNRBP", "AP_IA", "P_IA@5", "StRecall@3"]


def inputs(levels: list[int], *, tied: bool) -> tuple[Any, dict[str, dict[str, float]]]:
    """Thirty queries. Of tied documents all have the same highest level, for one subtopic or another."""
    rnd = random.Random(5)
    rows = []
    run = {}
    for topic in map(str, range(30)):
        docnos = [f"d{i}" for i in range(12)]
        for docno in docnos[:10]:
            first = rnd.choice(["s", "t", "u"])
            rows.append((topic, first, docno, levels[-1]))
            rows += [(topic, name, docno, rnd.choice(levels[:-1])) for name in "stu" if name != first]
        ranked = rnd.sample(docnos, 12)
        run[topic] = {docno: float(-(i // 2 if tied else i)) for i, docno in enumerate(ranked)}
    return tuple(map(list, zip(*rows, strict=True))), run


@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize(
    ("changed", "label", "tied"),
    [
        ("ties=docid-asc", "tie-breaking", True),
        ("relevance_level=2", "relevance-level", False),
        ("unjudged=removed", "unjudged-documents", False),
    ],
)
def test_one_changed_axis_is_found(measure: str, changed: str, label: str, tied: bool) -> None:
    """Though no document's highest level says anything about it."""
    qrels, run = inputs([0, 1, 2], tied=tied)
    theirs = {
        query: values[measure]
        for query, values in crosscheck.evaluate(qrels, run, [measure], conventions=changed).items()
    }
    found = crosscheck.diagnose(qrels, run, measure, theirs)
    assert found is not None
    assert found.strength == earned(found, 3)
    assert found.causes == [label]


def test_ndevals_nan_of_a_query_without_relevant_documents() -> None:
    """0 / 0 of nNRBP is NaN on both sides, and 0.0 there differs."""
    qrels = (["1", "1", "2", "2"], ["s", "t", "s", "t"], ["a", "b", "a", "b"], [1, 1, 0, 0])
    run = {"1": {"a": 2.0, "b": 1.0}, "2": {"a": 2.0, "b": 1.0}}
    assert crosscheck.diagnose(qrels, run, "nNRBP", {"1": 1.0, "2": math.nan}) is None
    assert crosscheck.diagnose(qrels, run, "nNRBP", {"1": 1.0, "2": 0.0}) is not None


def test_nothing_explains_what_no_convention_gives() -> None:
    """A wrong discount stays unexplained."""
    qrels, run = inputs([0, 1, 2], tied=False)
    ours = crosscheck.evaluate(qrels, run, ["alpha_nDCG@5"])
    theirs = {query: values["alpha_nDCG@5"] * 0.9 for query, values in ours.items()}
    found = crosscheck.diagnose(qrels, run, "alpha_nDCG@5", theirs)
    assert found is not None
    assert found.causes == ["unexplained"]
