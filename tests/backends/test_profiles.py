"""Real tools against their profiles: the conventions that a profile names give the tool's own numbers."""

import random
import re
import warnings
from collections.abc import Sequence
from functools import partial
from importlib.util import find_spec

import numpy as np
import pytest
from msgspec.structs import replace

import crosscheck
from crosscheck.backends import make
from crosscheck.backends.native import Native, native_values
from crosscheck.backends.sklearn_backend import lists_of
from crosscheck.compare import differ
from crosscheck.conventions import Conventions, conventions, profiles
from crosscheck.errors import InputError, UsageError
from crosscheck.evaluation.rankings import Rankings
from crosscheck.evaluation.recomputer import Recomputer
from crosscheck.explain.diagnose import diagnose
from crosscheck.formats.dicts import qrels_from_dict, run_from_dict
from crosscheck.measures import family
from crosscheck.model import FloatArray, IntArray, Measure, MeasureValues
from crosscheck.names import parse_measure
from crosscheck.studies.describe import describe
from tests.support.kept import Absent, examples
from tests.support.strength import earned

#: Tools whose profiles have their names, with a dash for the colon.
TOOLS = (
    *("sklearn", "trectools", "pytrec_eval", "hf-evaluate", "ir-measures"),
    *(f"ir-measures:{provider}" for provider in ("msmarco", "judged", "gdeval", "cwl_eval", "trectools")),
)
#: What the tools are asked for: each has some of these measures.
MEASURES = [
    *("P@5", "P@10", "R@5", "R@10", "AP", "AP@5", "RR", "RR@5", "nDCG", "nDCG@5", "nDCG@10", "DCG", "DCG@5"),
    *("Rprec", "bpref", "Success@5", "ERR@5", "Judged@5", "Judged@20", "nDCG(dcg='exp-log2')@5", "gm_map"),
    *("NumRet", "NumRel", "NumRelRet", "SetP", "infAP", "nDCG(judged_only=True)@5", "RBP"),
]


def inputs(seed: int, *, whole: bool = False, lowest: int = -1) -> Rankings:
    """Graded judgements, ties, unjudged and negatively judged documents, a query that finds nothing, one
    without judged nonrelevant documents.

    Args:
        whole: with a judged query without results, and one without relevant documents, as well.
        lowest: lower levels become this one.
    """
    rng = random.Random(seed)
    qrels: dict[str, dict[str, int]] = {"201": {"x": 1, "y": 0}, "202": {"a": 1, "b": 2}}
    run: dict[str, dict[str, float]] = {"201": {"y": 2.0, "z": 1.0}, "202": {"c": 3.0, "b": 2.0, "a": 1.0}}
    for number in range(12):
        docs = [f"d{i}" for i in range(45)]
        rng.shuffle(docs)
        topic = str(100 + number)
        qrels[topic] = {d: rng.choice([-1, 0, 0, 1, 2, 3]) for d in rng.sample(docs, 25)} | {
            docs[0]: 1,
            docs[1]: 0,
        }
        qrels[topic] = {docno: max(level, lowest) for docno, level in qrels[topic].items()}
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
    # What gdeval.pl itself prints as ndcg has another name in ir_measures.
    theirs = {m: m if tool.supports(m) else replace(m, params=(("dcg", "exp-log2"),)) for m in measures}
    assert all(map(tool.supports, theirs.values()))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # trectools uses what pandas 3 deprecates
        asked = list(dict.fromkeys(theirs.values()))
        found = tool.evaluate(rankings.pairing.qrels, rankings.pairing.run, asked)
    return {measure: found[their] for measure, their in theirs.items()}


@pytest.mark.parametrize("backend", TOOLS)
def test_a_profile_gives_the_numbers_of_its_tool_or_refuses(backend):
    """On random data with every oddity the tool allows, native measures under the profile are the tool's; a
    measure that none of its profiles describes has no value and no sentence, for a reason that names both."""
    profile = backend.replace(":", "-")
    rankings, native = inputs(3, whole=True), make(f"native:{profile}")
    assert isinstance(native, Native)
    described = [m for m in map(parse_measure, MEASURES) if native.supports(m)]
    found = ask(backend, rankings, described)
    # scikit-learn itself fails on negative levels, which the backend replaces by 0: no mean is predicted.
    whole = inputs(3, whole=True, lowest=0 if backend == "sklearn" else -1).pairing
    assert described
    for measure in described:
        ours = native.evaluate_rankings(rankings, [measure])[measure]
        differences = differ(ours, found[measure], aggregate=family(measure.family).aggregate)
        assert differences.match.all(), (measure, differences)
        about = {"measures": [str(measure)], "conventions": profile, "mean": True}
        mean = crosscheck.evaluate(whole.qrels, whole.run, **about)[str(measure)]
        theirs = found[measure].mean
        assert theirs is None or theirs == pytest.approx(mean, abs=1e-9, nan_ok=True)
    for name in MEASURES:
        if parse_measure(name) not in described:
            why = f"the profile {profile} has no conventions for {re.escape(name)}\n"
            why += r"  the measures of this profile are: \w"
            for call in (describe, partial(crosscheck.evaluate, {"1": {"a": 1}}, {"1": {"a": 1.0}})):
                with pytest.raises(UsageError, match=why):
                    call(measures=[name], conventions=profile)


@pytest.mark.parametrize("measure", ["nDCG", "nDCG@1", "DCG", "AP"])
def test_scikit_learn_fails_on_negative_levels_of_ndcg_alone(measure, tmp_path):
    """Its profile gives a mean where scikit-learn does, and names the query of a retrieved document with a
    negative level where it raises; one that is not retrieved is not passed to it."""
    sklearn = pytest.importorskip("sklearn.metrics")
    run = {"1": {"a": 2.0, "b": 1.0}}
    mean = partial(crosscheck.evaluate, measures=[measure], conventions="sklearn", mean=True)
    apart = {"1": {"a": 1, "b": 0, "c": -1}}
    assert mean(apart, run)[measure] == pytest.approx(1.0)
    negative = {"1": {"a": 1, "b": -1}}
    if measure.startswith("nDCG"):
        with pytest.raises(ValueError, match="negative"):
            sklearn.ndcg_score([[1, -1]], [[2.0, 1.0]])
        (tmp_path / "run").write_text("1 Q0 a 1 2 t\n1 Q0 b 2 1 t\n")
        for given in (run, run_from_dict(run), str(tmp_path / "run")):  # rows of the others are not kept
            with pytest.raises(InputError, match=r"retrieved documents with negative levels\n.*'1 of 1: 1'"):
                mean(negative, given)
    else:
        mean(negative, run)


def diagnosed(backend: str, name: str) -> str:
    """The causes of a tool's difference from trec_eval, whose strength is the one that is earned."""
    if not make(backend).describe().available:
        raise Absent
    rankings, measure = inputs(3, whole=backend == "ir-measures:trectools"), parse_measure(name)
    (values,) = ask(backend, rankings, [measure]).values()
    base = conventions("trec_eval-9.0.8")
    differences = differ(native_values(rankings, measure, base, "reference"), values)
    diagnosis = diagnose(Recomputer(rankings, measure, base), differences, values).diagnosis
    assert diagnosis.strength == earned(diagnosis, 3)
    return f"{diagnosis.strength}: {', '.join(diagnosis.causes)} {diagnosis.conventions}"


def test_every_profile_says_where_it_comes_from():
    """Evidence is run or read, source and description are sentences, and values exist (loading checks). The
    profile that is known without reading the file of profiles says the same there."""
    assert profiles()["trec_eval-9.0.8"].conventions == Conventions() == conventions("trec_eval-9.0.8")
    assert len(profiles()) >= 45
    for profile in profiles().values():
        assert profile.evidence in ("run", "read")
        assert profile.source
        assert profile.description
        assert not profile.tool or profile.measures.keys() <= profiles()[profile.tool].measures.keys()


# ---- libraries of learning to rank --------------------------------------------------------------------


def xgboost_value(metric: str, labels: IntArray, scores: FloatArray) -> float:
    import xgboost

    data = xgboost.DMatrix(np.zeros((len(labels), 1)), label=labels)
    data.set_group([len(labels)])
    data.set_base_margin(scores.astype(np.float32))
    objective = "rank:ndcg" if metric.startswith("ndcg") else "rank:map"
    booster = xgboost.Booster({"objective": objective, "eval_metric": metric, "base_score": 0.0}, [data])
    return float(booster.eval(data).rpartition(":")[2])


def lightgbm_value(metric: str, labels: IntArray, scores: FloatArray) -> float:
    import lightgbm

    name, _, cutoff = metric.partition("@")
    training = lightgbm.Dataset(np.arange(40.0).reshape(-1, 1), label=np.zeros(40), group=[40])
    rows, group = np.zeros((len(labels), 1)), [len(labels)]
    tested = training.create_valid(rows, label=labels, group=group, init_score=scores)
    asked = {"objective": "lambdarank", "metric": name, "eval_at": [int(cutoff)], "verbose": -1}
    booster = lightgbm.Booster(asked, training)
    booster.add_valid(tested, "tested")
    return float(booster.eval_valid()[0][2])


def catboost_value(metric: str, labels: IntArray, scores: FloatArray) -> float:
    from catboost.utils import eval_metric

    return float(eval_metric(labels.tolist(), scores.tolist(), metric, group_id=[0] * len(labels))[0])


LIBRARIES = {"xgboost": xgboost_value, "lightgbm": lightgbm_value, "catboost": catboost_value}


def follows(package: str, metric: str, profile: str, name: str) -> str:
    """The measure under a profile for each query, which is the library's value of a metric; all but nDCG are
    defined on relevant or not."""
    if not find_spec(package):
        raise Absent
    rankings = inputs(3, whole=True)
    ours = native_values(rankings, parse_measure(name), conventions(profile), profile).values
    for topic, (levels, scores) in lists_of(rankings.pairing.qrels, rankings.pairing.run):
        labels = levels if metric.lower().startswith("ndcg") else (levels > 0).astype(np.int64)
        assert LIBRARIES[package](metric, labels, scores) == pytest.approx(ours[topic], abs=1e-6), topic
    return " ".join(f"{value:.6f}" for value in ours.values())


#: The causes are those of the profile, and libraries give the values of theirs.
test_a_profile_is_what_its_tool_does = examples(globals(), str)
