"""Real tools get the fingerprints that running and reading them has proved before."""

from __future__ import annotations

from importlib import metadata

import pytest

from crosscheck.auditing import audit
from tests.support.sampling import one_in


def test_scikit_learn_ndcg() -> None:
    """ndcg_score averages over ties, compares doubles, knows only its list, and refuses single documents."""
    pytest.importorskip("sklearn")
    found = audit("sklearn.metrics:ndcg_score", "nDCG@10")
    assert found.call == "f([y_true], [y_score], k=k)"
    assert set(found.causes) == {"tie-breaking", "score-precision", "ideal-ranking", "refuses-input"}
    assert found.conventions == {"ties": "average", "score_precision": "float64", "ideal": "retrieved"}
    assert {example.cause for example in found.counterexamples} == set(found.causes)
    assert "ValueError" in found.behaviour["NaN score"]


def test_scikit_learn_as_a_backend() -> None:
    """It gives no value for a list of one document, which is ordinary input; that hides no convention."""
    pytest.importorskip("sklearn")
    found = audit("sklearn", "nDCG@10")
    assert found.conventions == {"ties": "average", "score_precision": "float64", "ideal": "retrieved"}
    assert set(found.causes) == {"tie-breaking", "score-precision", "ideal-ranking", "refuses-input"}
    (refused,) = [example for example in found.counterexamples if example.cause == "refuses-input"]
    assert [len(docs) for docs in refused.run.values()] == [1]


def test_ir_measures_reciprocal_rank_with_a_cutoff() -> None:
    """RR@10 comes from a provider with other ties and another precision than the rest of ir_measures."""
    expected = {"missing_queries": "zero", "ties": "docid-asc", "score_precision": "float64"}
    assert audit("ir-measures", "RR@10").conventions == expected


def test_pytrec_eval_agrees() -> None:
    """The reference's engine agrees with the reference."""
    assert audit("pytrec_eval", "bpref").verdict == "agrees"


_TRECTOOLS = {"missing-queries", "score-precision", "query-set"}


@pytest.mark.parametrize(
    ("measure", "labels"),
    [
        ("nDCG@10", _TRECTOOLS | {"tie-breaking"}),
        ("bpref", _TRECTOOLS | {"bpref-form"}),
        ("Rprec", _TRECTOOLS - {"query-set"} | {"cross-query-leak"}),
    ],
)
def test_trectools(measure: str, labels: set[str]) -> None:
    """Every part is explained: doubles, queries without hits left out of the table but not of the divisor.

    Means of Rprec hold what other queries leave behind, so they say nothing about the divisor.
    """
    pytest.importorskip("trectools")
    if measure == "Rprec" and int(metadata.version("pandas").partition(".")[0]) < 3:
        pytest.skip("the leak needs pandas 3")
    found = audit("trectools", measure)
    assert set(found.causes) == labels
    assert found.alternatives == []
    assert found.conventions["missing_queries"] == "dropped-without-hits"
    assert [accepted.values for accepted in found.accepts] == [["each"]]
    assert {example.cause for example in found.counterexamples} == labels


@pytest.mark.parametrize(
    ("measure", "changes", "leaks"),
    [
        ("nDCG@10", {}, False),
        ("bpref", {"negatives": "nonrelevant", "bpref_form": "nan-when-no-nonrelevant"}, True),
    ],
)
def test_ranx(measure: str, changes: dict[str, str], leaks: bool) -> None:
    """Doubles, ties in the order of numba's quicksort; bpref divides 0 by 0, counts negative levels as
    nonrelevant, and is 0 after a query without relevant documents."""
    pytest.importorskip("ranx")
    found = audit("ranx", measure)
    everywhere = {"ties": "quicksort", "score_precision": "float64", "missing_queries": "zero"}
    assert found.conventions == everywhere | changes
    assert not found.alternatives
    assert found.nearest_profile is not None
    assert (found.nearest_profile.name, found.nearest_profile.differs) == ("ranx", [])
    assert ("cross-query-leak" in found.causes) == leaks
    assert "unexplained" not in found.causes
    assert {example.cause for example in found.counterexamples} == set(found.causes)
    for example in found.counterexamples:
        assert sum(map(len, example.qrels.values())) <= 3, example


@pytest.mark.parametrize(
    ("measure", "labels"),
    one_in(
        2,
        [
            ("bpref", {"bpref-form", "negative-relevance", "judged-depth"}),
            ("Rprec", {"cross-query-leak"}),
        ],
    ),
)
def test_hf_evaluate(measure: str, labels: set[str]) -> None:
    """bpref divides 0 by 0, takes negative levels for relevant and reads 1,000 judged
    documents at most; Rprec leaks."""
    for package in ("evaluate", "trectools"):
        pytest.importorskip(package)
    if measure == "Rprec" and int(metadata.version("pandas").partition(".")[0]) < 3:
        pytest.skip("the leak needs pandas 3")
    found = audit("hf-evaluate", measure)
    assert set(found.causes) == labels
    assert {example.cause for example in found.counterexamples} == labels
