"""Real tools against their profiles: the conventions that a profile names give the tool's own numbers."""

from __future__ import annotations

import random
import warnings
from collections.abc import Sequence

import pytest

from crosscheck.backends import make
from crosscheck.backends.native import native_values
from crosscheck.backends.texts import as_texts
from crosscheck.compare import differ
from crosscheck.conventions import Conventions, conventions, profiles
from crosscheck.diagnosis.diagnose import diagnose
from crosscheck.evaluation.evaluate import evaluate
from crosscheck.evaluation.rankings import Rankings
from crosscheck.evaluation.recomputer import Recomputer
from crosscheck.formats.dicts import qrels_from_dict, run_from_dict
from crosscheck.measures import family
from crosscheck.model import Measure, MeasureValues
from crosscheck.names import parse_measure
from tests.strength import earned

#: Package, backend, profile and the measures that it describes.
TOOLS = [
    ("sklearn", "sklearn", "sklearn", ["nDCG", "nDCG@5", "DCG@5"]),
    ("sklearn", "sklearn", "sklearn-ap", ["AP"]),
    ("trectools", "trectools", "trectools", ["P@5"]),
    ("trectools", "trectools", "trectools-ap", ["AP", "AP@5", "R@5"]),
    ("trectools", "trectools", "trectools-dropping", ["RR", "bpref"]),
    ("trectools", "trectools", "trectools-ndcg", ["nDCG", "nDCG@5"]),
    ("ranx", "ranx", "ranx", ["AP", "P@5", "R@5", "RR", "nDCG", "nDCG@5", "Rprec", "bpref"]),
    ("ranx", "ranx", "ranx-burges", ["nDCG(dcg='exp-log2')@5"]),
    ("ir_measures", "ir-measures", "ir-measures", ["AP", "P@5", "RR", "nDCG@5", "Rprec", "bpref", "NumRel"]),
    ("ir_measures", "ir-measures:msmarco", "ir-measures-msmarco", ["RR", "RR@5"]),
    ("ir_measures", "ir-measures:judged", "ir-measures-judged", ["Judged@5", "Judged@20"]),
    ("ir_measures", "ir-measures:gdeval", "ir-measures-gdeval", ["nDCG(dcg='exp-log2')@5", "ERR@5"]),
    ("cwl", "ir-measures:cwl_eval", "ir-measures-cwl_eval", ["AP", "P@5", "RR"]),
    ("trectools", "ir-measures:trectools", "ir-measures-trectools", ["P@5", "RR", "bpref"]),
    ("trectools", "ir-measures:trectools", "ir-measures-trectools-ap", ["AP", "AP@5"]),
    ("trectools", "ir-measures:trectools", "ir-measures-trectools-ndcg", ["nDCG", "nDCG@5"]),
    ("pytrec_eval", "pytrec_eval", "pytrec_eval", ["AP", "P@5", "RR", "nDCG@5", "Rprec", "bpref", "gm_map"]),
    ("evaluate", "hf-evaluate", "hf-evaluate", ["AP", "P@5", "RR", "bpref", "NumRet"]),
    ("evaluate", "hf-evaluate", "hf-evaluate-ndcg", ["nDCG@5", "nDCG@10"]),
]


def test_the_defaults_are_trec_evals() -> None:
    """The profile that is known without reading the file of profiles says the same there."""
    assert profiles()["trec_eval-9.0.8"].conventions == Conventions() == conventions("trec_eval-9.0.8")


def inputs(seed: int, *, whole: bool = False) -> Rankings:
    """Graded judgements, ties, unjudged and negatively judged documents, a query that finds nothing, one
    without judged nonrelevant documents.

    Args:
        whole: with a judged query without results, and one without relevant documents, as well.
    """
    rng = random.Random(seed)
    qrels: dict[str, dict[str, int]] = {"201": {"x": 1, "y": 0}, "202": {"a": 1, "b": 2}}
    run: dict[str, dict[str, float]] = {
        "201": {"y": 2.0, "z": 1.0},
        "202": {"c": 3.0, "b": 2.0, "a": 1.0},
    }
    for number in range(12):
        docs = [f"d{i}" for i in range(45)]
        rng.shuffle(docs)
        topic = str(100 + number)
        qrels[topic] = {d: rng.choice([-1, 0, 0, 1, 2, 3]) for d in rng.sample(docs, 25)} | {
            docs[0]: 1,
            docs[1]: 0,
        }
        run[topic] = {d: float(rng.randint(1, 6)) for d in docs[: 14 + 2 * number]}
    if whole:
        qrels |= {"301": {"a": 1, "b": 0}, "302": {"a": 0, "b": 0}}
        run["302"] = {"a": 1.0, "c": 0.5}
    return Rankings(run_from_dict(run), qrels_from_dict(qrels))


def ask(backend: str, rankings: Rankings, measures: Sequence[Measure]) -> dict[Measure, MeasureValues]:
    """The values of a tool; the test is skipped if it is not installed."""
    tool = make(backend)
    if not tool.describe().available:
        pytest.skip(str(tool.describe().reason))
    assert all(tool.supports(measure) for measure in measures)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # trectools uses what pandas 3 deprecates
        return dict(tool.evaluate(rankings.pairing.qrels, rankings.pairing.run, measures))


@pytest.mark.parametrize(
    ("package", "backend", "profile", "names"), TOOLS, ids=[f"{b}-{p}" for _, b, p, _ in TOOLS]
)
def test_a_tool_follows_its_profile(package: str, backend: str, profile: str, names: list[str]) -> None:
    """On random data with every oddity the tool allows, native measures under the profile are the tool's."""
    pytest.importorskip(package)
    rankings, measures = inputs(3, whole=package != "ranx"), [parse_measure(name) for name in names]
    found = ask(backend, rankings, measures)
    for measure in measures:
        ours = native_values(rankings, measure, conventions(profile), profile)
        differences = differ(ours, found[measure], aggregate=family(measure.family).aggregate)
        assert differences.match.all(), (measure, differences)
        evaluated = evaluate(rankings, measure, conventions(profile))
        means = [mean for mean in (evaluated.mean, evaluated.mean_of_rounded) if mean is not None]
        theirs = found[measure].mean
        assert theirs is None or theirs in [pytest.approx(mean, abs=1e-9, nan_ok=True) for mean in means]


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
        ("ir-measures:gdeval", "nDCG(dcg='exp-log2')@5", ["rounding"]),
        ("ir-measures:cwl_eval", "AP", ["tie-breaking", "ap-denominator"]),
        ("ir-measures:trectools", "AP", ["tie-breaking", "missing-queries", "no-relevant"]),
        ("ir-measures:trectools", "nDCG@5", ["tie-breaking", "missing-queries"]),
    ],
)
def test_a_tool_is_diagnosed_with_its_own_conventions(backend: str, name: str, causes: list[str]) -> None:
    """The causes are those of the profile, and proved; with Rprec's leak in the mean they are consistent."""
    # Only the provider trectools gives queries without results and without relevant documents away.
    rankings, measure = inputs(3, whole=backend == "ir-measures:trectools"), parse_measure(name)
    (values,) = ask(backend, rankings, [measure]).values()
    base = conventions("trec_eval-9.0.8")
    differences = differ(native_values(rankings, measure, base, "reference"), values)
    diagnosis = diagnose(Recomputer(rankings, measure, base), differences, values).diagnosis
    assert (diagnosis.strength, diagnosis.causes) == (earned(diagnosis, 3), causes)


def test_pyndeval_follows_its_profile() -> None:
    """On a single subtopic its measures are native precision, average precision and binary nDCG."""
    pytest.importorskip("pyndeval")
    ir_measures = pytest.importorskip("ir_measures")
    rankings = inputs(3)
    texts = as_texts(rankings.pairing.qrels, rankings.pairing.run)
    same = {
        "P@5": ir_measures.P_IA @ 5,
        "AP": ir_measures.AP_IA,
        "Success@5": ir_measures.StRecall @ 5,
        "nDCG@5": ir_measures.alpha_nDCG(alpha=0.0) @ 5,
    }
    for name, theirs in same.items():
        found = {
            m.query_id: m.value for m in ir_measures.pyndeval.iter_calc([theirs], texts.qrels, texts.run)
        }
        profile = conventions("ir-measures-pyndeval")
        ours = native_values(rankings, parse_measure(name), profile, "native").values
        assert found == pytest.approx({topic.decode(): value for topic, value in ours.items()}, abs=1e-9)


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
