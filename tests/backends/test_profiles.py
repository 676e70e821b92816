"""Real tools against their profiles: the conventions that a profile names give the tool's own numbers."""

from __future__ import annotations

import random

import pytest

from crosscheck.backends import make
from crosscheck.backends.native import native_values
from crosscheck.compare.differ import differ
from crosscheck.conventions import conventions, profiles
from crosscheck.diagnosis.base import Situation
from crosscheck.diagnosis.diagnose import diagnose
from crosscheck.formats.dicts import qrels_from_dict, run_from_dict
from crosscheck.names import parse_measure
from crosscheck.rankings.judged import Rankings

#: Package, backend, profile and the measures that it describes.
TOOLS = [
    ("sklearn", "sklearn", "sklearn", ["nDCG", "nDCG@5", "DCG@5"]),
    ("sklearn", "sklearn", "sklearn-ap", ["AP"]),
    ("trectools", "trectools", "trectools", ["AP", "AP@5", "P@5", "R@5"]),
    ("trectools", "trectools", "trectools-dropping", ["RR", "bpref"]),
    ("trectools", "trectools", "trectools-ndcg", ["nDCG", "nDCG@5"]),
    ("ranx", "ranx", "ranx", ["AP", "P@5", "R@5", "RR", "nDCG", "nDCG@5", "Rprec", "bpref"]),
    ("ranx", "ranx", "ranx-burges", ["nDCG(dcg='exp-log2')@5"]),
    ("ir_measures", "ir-measures", "ir-measures", ["AP", "P@5", "RR", "nDCG@5", "Rprec", "bpref"]),
    ("ir_measures", "ir-measures:msmarco", "ir-measures-msmarco", ["RR@5"]),
    ("pytrec_eval", "pytrec_eval", "pytrec_eval", ["AP", "P@5", "RR", "nDCG@5", "Rprec", "bpref"]),
]


def inputs(seed: int) -> Rankings:
    """Graded judgements, ties, unjudged and negatively judged documents, a query that finds nothing, one
    without judged nonrelevant documents."""
    rng = random.Random(seed)
    qrels: dict[str, dict[str, int]] = {"no-hit": {"x": 1, "y": 0}, "all-relevant": {"a": 1, "b": 2}}
    run: dict[str, dict[str, float]] = {
        "no-hit": {"y": 2.0, "z": 1.0},
        "all-relevant": {"c": 3.0, "b": 2.0, "a": 1.0},
    }
    for number in range(12):
        docs = [f"d{i}" for i in range(45)]
        rng.shuffle(docs)
        topic = f"q{number}"
        qrels[topic] = {d: rng.choice([-1, 0, 0, 1, 2, 3]) for d in rng.sample(docs, 25)} | {
            docs[0]: 1,
            docs[1]: 0,
        }
        run[topic] = {d: float(rng.randint(1, 6)) for d in docs[: 14 + 2 * number]}
    return Rankings(run_from_dict(run), qrels_from_dict(qrels))


@pytest.mark.parametrize(
    ("package", "backend", "profile", "names"), TOOLS, ids=[f"{b}-{p}" for _, b, p, _ in TOOLS]
)
def test_a_tool_follows_its_profile(package: str, backend: str, profile: str, names: list[str]) -> None:
    """On random data with every oddity the tool allows, native measures under the profile are the tool's."""
    pytest.importorskip(package)
    rankings, tool = inputs(3), make(backend)
    measures = [parse_measure(name) for name in names]
    assert all(tool.supports(measure) for measure in measures)
    found = tool.evaluate(rankings.pairing.qrels, rankings.pairing.run, measures)
    for measure in measures:
        ours = native_values(rankings, measure, conventions(profile), profile)
        differences = differ(ours, found[measure])
        assert differences.match.all(), (measure, differences)
        assert differences.mean_match or found[measure].mean is None, measure


@pytest.mark.parametrize(
    ("backend", "name", "causes"),
    [
        ("sklearn", "nDCG@5", ["tie-breaking", "ideal-ranking"]),
        ("sklearn", "AP", ["tie-breaking", "ap-denominator"]),
        ("trectools", "nDCG@5", ["tie-breaking", "missing-queries", "query-set"]),
        ("trectools", "Rprec", ["missing-queries", "cross-query-leak"]),
        ("ir-measures:msmarco", "RR@5", ["tie-breaking"]),
        ("ranx", "nDCG", ["tie-breaking"]),
        ("ranx", "bpref", ["tie-breaking", "negative-relevance", "bpref-form"]),
    ],
)
def test_a_tool_is_diagnosed_with_its_own_conventions(backend: str, name: str, causes: list[str]) -> None:
    """The causes that are proved are those of the profile, Rprec's leak included."""
    pytest.importorskip(backend.partition(":")[0].replace("-", "_"))
    rankings, measure = inputs(3), parse_measure(name)
    (values,) = make(backend).evaluate(rankings.pairing.qrels, rankings.pairing.run, [measure]).values()
    base = conventions("trec_eval-9.0.8")
    differences = differ(native_values(rankings, measure, base, "reference"), values)
    diagnosis = diagnose(Situation(rankings, measure, base), differences, values).diagnosis
    assert (diagnosis.strength, diagnosis.causes) == ("proved", causes)


def test_every_profile_says_where_it_comes_from() -> None:
    """Evidence is run or read, source and description are sentences, and values exist (loading checks)."""
    assert len(profiles()) >= 45
    for profile in profiles().values():
        assert profile.evidence in ("run", "read")
        assert profile.source
        assert profile.description


@pytest.mark.parametrize(
    ("name", "axes"),
    [
        ("trec_eval-10", {"score_precision": "float64", "recall_points": "round"}),
        ("sources.S3", {"discount": "ln-jarvelin", "ideal": "max-grade"}),
        ("lucene-quality", {"rr_cutoff": 5, "no_relevant": "skip", "rounding": 3}),
    ],
)
def test_a_profile_names_what_differs_from_trec_eval(name: str, axes: dict[str, object]) -> None:
    """Profiles are data: the axes they change, and no others."""
    assert profiles()[name].conventions.changes_from(conventions("trec_eval-9.0.8")) == axes
