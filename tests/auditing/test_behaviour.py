"""Unusual inputs are reported as behaviour; failing metrics are findings, not failures of ours."""

from __future__ import annotations

import math
from collections.abc import Sequence

from crosscheck.auditing import audit
from crosscheck.backends.base import Backend, Description
from crosscheck.backends.native import native_values
from crosscheck.conventions import Conventions
from crosscheck.evaluation.rankings import Rankings
from crosscheck.harness.document import document_of
from crosscheck.model import Measure, MeasureValues, Qrels, Run
from crosscheck.report import RenderOptions, render


def refuses_empty(gains: Sequence[int], k: int) -> float:
    if not gains:
        raise IndexError("empty")
    return sum(gain > 0 for gain in gains[:k]) / k


def nan_without_relevant(gains: Sequence[int], num_rel: int, k: int) -> float:
    return sum(gain > 0 for gain in gains[:k]) / k if num_rel else math.nan


def counts(gains: Sequence[int], k: int) -> float:
    return float(sum(gain > 0 for gain in gains[:k]))


def single_precision(gains: Sequence[int], num_rel: int) -> float:
    import numpy as np

    found, total = 0, np.float32(0.0)
    for rank, gain in enumerate(gains, 1):
        if gain > 0:
            found += 1
            total += np.float32(found) / np.float32(rank)
    return float(total / np.float32(num_rel)) if num_rel else 0.0


def single_precision_and_long_lists(gains: Sequence[int], num_rel: int) -> float:
    return single_precision(gains, num_rel) / (2 if len(gains) > 60 else 1)


class Printing(Backend):
    """A program that prints four decimals."""

    id, isolated, conventions = "printing", False, None

    def describe(self) -> Description:
        return Description(id=self.id, version="", engine=self.id, available=True)

    def supports(self, measure: Measure) -> bool:
        return True

    def evaluate(self, qrels: Qrels, run: Run, measures: Sequence[Measure]) -> dict[Measure, MeasureValues]:
        values = native_values(Rankings(run, qrels), measures[0], Conventions(), self.id)
        printed = {topic: round(value, 4) for topic, value in values.values.items()}
        return {measures[0]: MeasureValues(printed, None, self.id, decimals=4)}


def four_decimals(gains: Sequence[int]) -> float:
    return round(next((1 / rank for rank, gain in enumerate(gains, 1) if gain > 0), 0.0), 4)


def one_too_many(gains: Sequence[int], k: int) -> float:
    """A bug, not a convention: the first rank counts as 2."""
    return next((1 / (rank + 1) for rank, gain in enumerate(gains, 1) if gain > 0), 0.0)


def test_raising_is_behaviour() -> None:
    """An exception is named with its type and message; the metric agrees wherever it answers."""
    found = audit(refuses_empty, "P@5")
    assert found.verdict == "agrees"
    assert found.behaviour["empty run"].startswith("raises IndexError: empty")
    assert found.behaviour["k = 0"].startswith("raises ZeroDivisionError")
    assert found.behaviour["k past the end"] == "0.001"


def test_what_it_does_stands_beside_what_the_reference_does() -> None:
    """Values of the reference, and its refusals; said only where the metric does something else."""
    found = audit(nan_without_relevant, "P@5")
    assert found.behaviour_of_reference == {
        "empty run": "no value",
        "empty qrels": "no value",
        "a document twice": "refused: run: a document occurs twice under one query",
        "no relevant document": "0.0",
        "k past the end": "0.001",
    }
    said = render(document_of(found), "text", RenderOptions(verbose=True, width=100))
    lines = [line.split() for line in said.splitlines()]
    assert ["no", "relevant", "document", "NaN", "0.0"] in lines
    assert ["k", "past", "the", "end", "0.001", "the", "same"] in lines


def test_nan_is_a_value() -> None:
    """NaN where nothing is relevant is a convention with a label of its own."""
    found = audit(nan_without_relevant, "P@5")
    assert found.conventions == {"no_relevant": "nan"}
    assert found.behaviour["no relevant document"] == "NaN"


def test_values_out_of_range_are_marked() -> None:
    """A count in place of a precision is outside the range, and no convention explains it."""
    found = audit(counts, "P@5")
    assert found.causes == ["unexplained"]
    assert found.behaviour["k past the end"] == "1.0"
    assert found.behaviour["a document twice"] == "2.0, outside [0, 1]"


def test_a_bug_is_unexplained_with_a_counterexample() -> None:
    """Behaviour that no convention explains gets no other label, and comes with a small input."""
    found = audit(one_too_many, "RR", call="f(gains, 5)")
    assert found.causes == ["unexplained"]
    (example,) = found.counterexamples
    assert sum(map(len, example.run.values())) <= 2
    assert example.candidate_value != example.reference_value


def test_single_precision_is_no_deviation() -> None:
    """A metric that computes in float32 agrees, and the audit says that it compared less closely."""
    found = audit(single_precision, "AP")
    assert found.verdict == "agrees"
    assert (found.tolerance, found.precision) == (1e-6, "single")
    said = "Values count as equal within 1e-06 (relative), as they are in single precision."
    assert said in render(document_of(found), "markdown", RenderOptions())


def test_the_tolerance_is_found_beside_a_bug() -> None:
    """A bug that shows on long lists only does not hide that all other values are in single precision; one
    in double precision is not taken for it."""
    beside = audit(single_precision_and_long_lists, "AP")
    assert (beside.causes, beside.precision) == (["unexplained"], "single")
    assert 0.7 < beside.fresh_inputs_met / beside.fresh_inputs < 1
    assert audit(one_too_many, "RR", call="f(gains, 5)").precision == "double"


def test_printed_decimals_are_the_tolerance() -> None:
    """Values that come with a number of decimals are compared as printed."""
    found = audit(Printing(), "RR")
    assert (found.verdict, found.tolerance, found.precision) == ("agrees", 0.5e-4, "printed")


def test_printed_decimals_are_rounding() -> None:
    """Four decimals are the label rounding and nothing else."""
    found = audit(four_decimals, "RR")
    assert found.conventions == {"rounding": 4}


def test_functions_that_a_child_cannot_import_are_called_here() -> None:
    """A lambda is audited all the same."""
    found = audit(lambda gains, k: sum(g > 0 for g in gains[:k]) / min(k, max(len(gains), 1)), "P@5")
    assert found.causes == ["precision-denominator"]
