"""Expected values over orders of tied documents, against the mean over every order written out."""

from __future__ import annotations

from itertools import pairwise, permutations

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from crosscheck.conventions import Conventions, conventions
from crosscheck.evaluation.evaluate import evaluate
from crosscheck.evaluation.rankings import Rankings
from crosscheck.formats.dicts import qrels_from_dict, run_from_dict
from crosscheck.names import parse_measure

MEASURES = [
    "P@1",
    "P@3",
    "R@2",
    "R@3",
    "Success@2",
    "RR",
    "RR@3",
    "AP",
    "AP@3",
    "nDCG",
    "nDCG@3",
    "DCG@2",
    "Rprec",
]


def value(qrels: dict[str, int], scores: dict[str, float], name: str, spec: str = "") -> float:
    rankings = Rankings(run_from_dict({"1": scores}), qrels_from_dict({"1": qrels}))
    used = conventions(spec) if spec else Conventions()
    return float(evaluate(rankings, parse_measure(name), used).values[0])


def mean_over_orders(qrels: dict[str, int], scores: dict[str, float], name: str, spec: str = "") -> float:
    """Every order that leaves the scores descending, written as a run without ties."""
    orders = [o for o in permutations(scores) if all(scores[a] >= scores[b] for a, b in pairwise(o))]
    values = [value(qrels, {doc: -float(i) for i, doc in enumerate(order)}, name, spec) for order in orders]
    return sum(values) / len(values)


DOCS = "abcdef"
SPECS = ["", "depth=2", "unjudged=removed", "relevance_level=2", "gain=exponential"]
#: Further settings of single measures.
MORE = {
    "RR": ["rr_of=every", "rr_of=every-retrieved", "rr_of=highest-level", "rr_of=every,depth=2"],
    "RR@3": [
        "rr_of=every",
        "rr_of=every-retrieved",
        "rr_of=highest-level",
        "rr_cutoff=2,rr_of=every-retrieved",
    ],
    "P@3": ["precision_denominator=min(k,R)"],
    "R@3": ["recall_denominator=k"],
    "AP@3": ["ap_denominator=k", "ap_denominator=min(R,retrieved)"],
    "nDCG@3": ["gain=2^level", "gain=level^2", "discount=jarvelin-3"],
    "DCG@2": ["gain=2^level", "discount=log10(i+1)"],
}


@pytest.mark.parametrize("name", MEASURES)
@settings(max_examples=25)
@given(
    levels=st.lists(st.sampled_from([0, 0, 1, 2, 3, None]), min_size=6, max_size=6),
    scores=st.lists(st.sampled_from([1.0, 1.0, 2.0, 3.0]), min_size=2, max_size=6),
    chosen=st.data(),
)
def test_average_is_the_mean_over_every_order(
    name: str, levels: list[int | None], scores: list[float], chosen: st.DataObject
) -> None:
    """The closed forms of McSherry and Najork give what enumeration gives."""
    spec = chosen.draw(st.sampled_from([*SPECS, *MORE.get(name, [])]))
    qrels = {doc: level for doc, level in zip(DOCS, levels, strict=True) if level is not None}
    assume(qrels)
    run = dict(zip(DOCS, scores, strict=False))
    expected = mean_over_orders(qrels, run, name, spec)
    spec = ",".join(filter(None, [spec, "ties=average"]))
    assert value(qrels, run, name, spec) == pytest.approx(expected, abs=1e-12)


@given(levels=st.lists(st.integers(0, 1), min_size=4, max_size=8), scores=st.data())
def test_group_end_is_scikit_learns_average_precision(levels: list[int], scores: st.DataObject) -> None:
    """Precision behind each group of tied documents is sklearn's average_precision_score."""
    metrics = pytest.importorskip("sklearn.metrics")
    assume(any(levels))
    given_scores = [scores.draw(st.sampled_from([1.0, 2.0, 3.0])) for _ in levels]
    docs = [f"d{i}" for i in range(len(levels))]
    ours = value(
        dict(zip(docs, levels, strict=True)),
        dict(zip(docs, given_scores, strict=True)),
        "AP",
        "ties=group-end",
    )
    assert ours == pytest.approx(float(metrics.average_precision_score(levels, given_scores)), abs=1e-12)


@given(levels=st.lists(st.integers(0, 3), min_size=2, max_size=8), scores=st.data())
def test_average_is_scikit_learns_ndcg(levels: list[int], scores: st.DataObject) -> None:
    """nDCG averaged over ties, against the retrieved list, is sklearn's ndcg_score."""
    metrics = pytest.importorskip("sklearn.metrics")
    given_scores = [scores.draw(st.sampled_from([1.0, 2.0, 3.0])) for _ in levels]
    docs = [f"d{i}" for i in range(len(levels))]
    ours = value(
        dict(zip(docs, levels, strict=True)),
        dict(zip(docs, given_scores, strict=True)),
        "nDCG@3",
        "ties=average,ideal=retrieved",
    )
    assert ours == pytest.approx(float(metrics.ndcg_score([levels], [given_scores], k=3)), abs=1e-12)


def test_a_measure_without_an_expected_value_keeps_input_order() -> None:
    """bpref has no closed form here; the rule falls back to the order of the file."""
    qrels, run = {"a": 0, "b": 1}, {"a": 1.0, "b": 1.0}
    assert value(qrels, run, "bpref", "ties=average") == value(qrels, run, "bpref", "ties=input") == 0.0
