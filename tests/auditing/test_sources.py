"""The functions of the source documents get exactly the fingerprints that the documents imply."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from crosscheck.auditing import audit
from crosscheck.auditing.finding import FunctionOfMeasures, finding_its_call
from crosscheck.auditing.targets import target_of
from crosscheck.names import parse_measure
from tests.targets import s1, s2

TARGETS = Path(__file__).parents[1] / "targets"


@pytest.mark.parametrize(("function", "measure"), [("precision_at_k", "P@3"), ("mrr", "RR")])
def test_s4_counts_a_document_each_time(function: str, measure: str) -> None:
    """A rule of S4 that trec_eval has no value for, since it refuses such a run: named, and no deviation."""
    found = audit(f"{TARGETS / 's4.py'}:MetricsCalculator.{function}", measure)
    (repeated,) = found.accepts
    assert (repeated.cause, repeated.values) == ("duplicates", ["each"])
    assert found.nearest_profile is not None
    assert found.nearest_profile.differs == []


#: Both frames with the columns of S2, as the errors of its function ask for them.
RENAMED = (
    "results_df(query='QUERY_KEY', docid='DOC_KEY', rank='RANK', score='SCORE'), "
    "qrels_df(query='QUERY_KEY', docid='DOC_KEY', rel='SCORE')"
)


def test_data_frame_function_of_s2() -> None:
    """Rank column, exponential gain, judged queries without results as zero, those without relevant
    documents left out, and nothing else."""
    pytest.importorskip("pandas")
    found = audit(f"{TARGETS / 's2.py'}:metricas", "nDCG@5")
    assert found.call == f"f({RENAMED}, k=[k])"
    assert found.conventions == {
        "order": "rank-column",
        "gain": "exponential",
        "missing_queries": "zero",
        "no_relevant": "skip",
    }
    assert set(found.causes) == {"rank-order", "gain", "missing-queries", "no-relevant"}
    assert found.alternatives == []
    assert found.nearest_profile is not None
    assert found.nearest_profile.name == "sources.S2"
    assert found.nearest_profile.differs == []


def test_data_frame_function_with_linear_gain() -> None:
    """A constant in the call is handed over: with linear gain the label is gone."""
    pytest.importorskip("pandas")
    call = f"f({RENAMED}, aproximacao_trec_eval=True)"
    found = audit(f"{TARGETS / 's2.py'}:metricas", "nDCG@5", call=call)
    assert set(found.causes) == {"rank-order", "missing-queries", "no-relevant"}


@pytest.mark.parametrize(("function", "measure"), [("dcg", "DCG@5"), ("idcg", "ideal_dcg@5")])
def test_list_functions_of_s2(function: str, measure: str) -> None:
    """Exponential gain, and that of a negative level is negative; nothing is left unexplained."""
    found = audit(f"{TARGETS / 's2.py'}:{function}", measure)
    assert found.call == "f(ranked_ids, relevance, k=k)"
    assert found.conventions == {"gain": "exponential", "negatives": "negative-gain"}
    assert set(found.causes) == {"gain", "negative-relevance"}
    (odd,) = (example for example in found.counterexamples if example.cause == "negative-relevance")
    assert min(level for levels in odd.qrels.values() for level in levels.values()) < 0


def _mean_over_arrays(queries_relevances: Any) -> float:
    """S1's mean average precision as other people write it: each list must be an array."""
    return float(np.mean([s1.average_precision(held.astype(int)) for held in queries_relevances]))


@pytest.mark.parametrize(
    ("function", "measure", "call"),
    [
        (s2.ndcg, "nDCG@5", "f(ranked_df, judged_df, 'docid', 'docid', 'rel', k=k)"),
        (s2.mrr, "RR@5", "f(series(ranked_ids), relevant_ids, k=k)"),
        (_mean_over_arrays, "AP", "f(each(array(binary)))"),
    ],
)
def test_columns_and_arrays_are_handed_over(function: Any, measure: str, call: str) -> None:
    """Frames of one query beside the names of their columns; a column; a list of arrays."""
    pytest.importorskip("pandas")
    made = finding_its_call(target_of(function, None))
    assert isinstance(made, FunctionOfMeasures)
    assert str(made.call_for(parse_measure(measure))) == call
