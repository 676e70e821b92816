"""The labels that a user's own metric gets: the one meant and no other, whatever the data."""

from __future__ import annotations

from pathlib import Path

import pytest

import crosscheck
from tests.harness import metrics
from tests.harness.data import SHAPES, write_random
from tests.support.strength import earned

NDCG = ("nDCG", "nDCG@5", "nDCG@10")
PRECISION = ("P@5", "P@10", "P@20")
CUT, UNCUT = ("P@5", "nDCG@10"), ("AP", "RR")
SEVERAL = (*CUT, *UNCUT)


MISSING = "missing-queries"
VERSION_9 = "native:trec_eval-9.0.8-c"
#: Function of ``metrics.py``, reference, measures, the label that it must get, the axis and its value, and
#: the smallest number of comparisons that must differ, out of shapes x measures.
METRICS = [
    ("exponential_gain", "", NDCG, "gain", ("gain", "exponential"), 18),
    ("binary_gain", "", NDCG, "gain", ("gain", "binary"), 18),
    ("precision_of_returned", "", PRECISION, "precision-denominator",
     ("precision_denominator", "min(k,retrieved)"), 12),
    ("missing_as_zero", "", SEVERAL, MISSING, ("missing_queries", "zero"), 24),
    ("only_above_zero", "", SEVERAL, MISSING, ("missing_queries", "dropped-without-hits"), 12),
    ("only_with_hits", "", CUT, MISSING, ("missing_queries", "dropped-without-relevant"), 6),
    ("only_with_hits", "", UNCUT, MISSING, ("missing_queries", "dropped-without-hits"), 6),
    ("trec_eval", VERSION_9, SEVERAL, MISSING, ("missing_queries", "dropped"), 24),
    ("trec_eval", "ir-measures", SEVERAL, MISSING, ("missing_queries", "dropped"), 24),
    ("file_order", "", SEVERAL, "tie-breaking", ("ties", "input"), 20),
    ("ties_ascending", "", SEVERAL, "tie-breaking", ("ties", "docid-asc"), 20),
]  # fmt: skip


@pytest.fixture(scope="module")
def cases(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One random case per shape."""
    folder = tmp_path_factory.mktemp("cases")
    for seed, (name, shape) in enumerate(SHAPES.items()):
        write_random(folder / name, seed, shape)
    return folder


@pytest.mark.one_in(6)
@pytest.mark.parametrize(("function", "reference", "measures", "label", "value", "differs"), METRICS)
def test_a_metric_with_one_other_convention_gets_that_label_alone(
    cases, function, reference, measures, label, value, differs
):
    """On every data set where the metric differs at all, its own convention is the only cause, proved where
    three queries differ."""
    backend = f"python:{metrics.__file__}:{function}"
    document = crosscheck.run(cases, measures=measures, backends=[backend], reference=reference or None)
    assert len(document.comparisons) == len(SHAPES) * len(measures)
    differing = [c for c in document.comparisons if c.outcome == "mismatch"]
    assert len(differing) >= differs
    assert {c.outcome for c in document.comparisons} <= {"match", "mismatch"}
    for found in differing:
        assert found.diagnosis is not None
        where = f"{found.case} {found.measure}: {found.diagnosis}"
        strength = earned(found.diagnosis, len(found.cells))
        assert (found.diagnosis.strength, found.diagnosis.causes) == (strength, [label]), where
        offered = [found.diagnosis.conventions, *(a.conventions for a in found.diagnosis.alternatives)]
        assert dict([value]) in offered, where
        assert found.diagnosis.reproduced == found.diagnosis.of == found.queries, where
        assert {cause for cell in found.cells for cause in cell.causes} <= {label}, where


def test_trec_eval_written_again_matches_everywhere(cases):
    """A metric that follows trec_eval in every convention differs nowhere."""
    document = crosscheck.run(cases, measures=SEVERAL, backends=[f"python:{metrics.__file__}:trec_eval"])
    assert [c for c in document.comparisons if c.outcome != "match"] == []


def test_two_conventions_at_once_are_both_named(tmp_path):
    """Other gains and another order of ties together are named as that pair."""
    write_random(tmp_path / "case", 11, SHAPES["middle"])
    backend = f"python:{metrics.__file__}:exponential_gain_in_file_order"
    document = crosscheck.run(tmp_path, measures=["nDCG@10", "nDCG"], backends=[backend])
    for found in document.comparisons:
        assert found.diagnosis is not None
        assert found.diagnosis.strength == earned(found.diagnosis, len(found.cells))
        assert sorted(found.diagnosis.causes) == ["gain", "tie-breaking"]
