"""Fresh inputs: a candidate that can be asked must meet the prediction there before anything is proved."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest
from msgspec.structs import replace

from crosscheck.axes.ids import Ids
from crosscheck.backends.native import native_values
from crosscheck.conventions import Conventions
from crosscheck.evaluation.rankings import Rankings
from crosscheck.explain.fresh import FRESH, predicted, similar_inputs
from crosscheck.formats.cases import find_cases
from crosscheck.formats.dicts import qrels_from_dict, run_from_dict
from crosscheck.harness import Settings, run_with
from crosscheck.names import parse_measure
from crosscheck.results import Comparison, FreshInputs
from tests.harness.data import write_case

#: Metrics that give the same on the case and not everywhere.
METRICS = '''
import os
from math import log2

def _ndcg(qrels, run, gain):
    found = {}
    for query, docs in run.items():
        if query in qrels:
            ranked = sorted(docs, key=lambda doc: (docs[doc], doc), reverse=True)
            levels = [max(qrels[query].get(doc, 0), 0) for doc in ranked]
            best = sorted((max(level, 0) for level in qrels[query].values()), reverse=True)
            dcg, ideal = (_dcg(of[:10], gain) for of in (levels, best))
            found[query] = dcg / ideal if ideal else 0.0
    return found

def _dcg(levels, gain):
    return sum(gain(level, rank) / log2(rank + 1) for rank, level in enumerate(levels, 1))

def exponential(qrels, run):
    with open(os.environ["CALLS"], "a") as file:
        file.write(f"{len(run)}\\n")
    return _ndcg(qrels, run, lambda level, rank: 2.0**level - 1)

def not_on_top(qrels, run):
    """In the case, no document of level 2 stands first, neither in a run nor in an ideal ranking."""
    return _ndcg(qrels, run, lambda level, rank: 2.5 if (level, rank) == (2, 1) else 2.0**level - 1)

def binary_above_100(qrels, run):
    """Its gain depends on the run."""
    values = exponential(qrels, run)
    if min(score for docs in run.values() for score in docs.values()) < 100:
        return values
    return _ndcg(qrels, run, lambda level, rank: level > 0)

def refuses(qrels, run):
    values = exponential(qrels, run)
    if values and "01" not in open(os.environ["SEEN"]).read():
        open(os.environ["SEEN"], "w").write("01")
        return values
    raise ValueError("never again")

def _p5(qrels, run, key):
    tops = {query: sorted(docs, key=lambda doc: key(docs, doc))[:5] for query, docs in run.items()}
    return {query: sum(qrels[query].get(doc, 0) > 0 for doc in top) / 5 for query, top in tops.items()}

def stable(qrels, run):
    return _p5(qrels, run, lambda docs, doc: -docs[doc])

def by_docno(qrels, run):
    return _p5(qrels, run, lambda docs, doc: (-docs[doc], doc))

def without_one(qrels, run):
    """In the case, each query has a document of level 2."""
    return {q: v for q, v in exponential(qrels, run).items() if len(run[q]) == 12}
'''


def write(folder: Path) -> Path:
    """Twenty-four queries; a document of level 3 always stands first."""
    rng, qrels, run = random.Random(1), {}, []
    for query in range(24):
        docnos = [f"d{i:02}" for i in rng.sample(range(60), 16)]
        qrels[f"q{query:02}"] = {d: rng.choice([0, 0, 1, 2, 3]) for d in docnos} | {docnos[0]: 3}
        run += [(f"q{query:02}", d, 30.0 - i) for i, d in enumerate([docnos[0], *docnos[4:], "x"][:12])]
    write_case(folder / "case", qrels, run)
    (folder / "metrics.py").write_text(METRICS)
    return folder


@pytest.fixture
def case(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CALLS", str(tmp_path / "calls"))
    monkeypatch.setenv("SEEN", str(tmp_path / "seen"))
    (tmp_path / "seen").write_text("")
    return write(tmp_path)


def told(folder: Path, function: str, *measures: str) -> list[Comparison]:
    settings = Settings(
        measures=measures, backends=(f"python:{folder / 'metrics.py'}:{function}",), reference="native"
    )
    return list(run_with(find_cases([str(folder / "case")]), settings).comparisons)


def test_what_holds_is_confirmed_on_twenty_of_twenty(case):
    """It is proved; all measures were asked in one call each, beside those of the case."""
    (found,) = told(case, "exponential", "nDCG@10")
    assert found.diagnosis is not None
    assert (found.diagnosis.strength, found.diagnosis.causes) == ("proved", ["gain"])
    assert found.diagnosis.fresh == FreshInputs(asked=20, met=20)
    assert found.diagnosis.explanation.endswith("; confirmed on 20 of 20 fresh inputs.")
    assert (case / "calls").read_text().split() == ["24", "20"]


def test_what_holds_of_one_run_says_nothing_of_other_conventions_on_another(case):
    """The metric is asked again, on inputs like those of the other run; for the same ones it is not."""
    (run,) = (case / "case").glob("run*")
    lines = [line.split() for line in run.read_text().splitlines()]
    for name, more in (("run2", 0), ("run3", 100)):
        text = "".join(f"{q} Q0 {d} {rank} {float(score) + more} t\n" for q, _, d, rank, score, _ in lines)
        (case / "case" / name).write_text(text)
    found = told(case, "binary_above_100", "nDCG@10")
    assert [one.diagnosis.conventions for one in found if one.diagnosis] == [
        {"gain": "exponential"},
        {"gain": "exponential"},
        {"gain": "binary"},
    ]
    assert [one.diagnosis.fresh for one in found if one.diagnosis] == [FreshInputs(asked=20, met=20)] * 3
    assert sorted((case / "calls").read_text().split()) == ["20", "20", "24", "24", "24"]


@pytest.mark.parametrize(("function", "ties"), [("stable", "input"), ("by_docno", "docid-asc")])
def test_rules_that_fit_the_case_alike_are_told_apart_by_asking(case, function, ties):
    """In the case, tied documents stand in the order of their docnos; on fresh inputs they do not."""
    (run,) = (case / "case").glob("run*")
    lines = [line.split() for line in run.read_text().splitlines()]
    tied = sorted((q, float(score) // 5, d) for q, _, d, _, score, _ in lines)
    run.write_text("".join(f"{q} Q0 {d} {-i} {score} t\n" for i, (q, score, d) in enumerate(tied)))
    (found,) = told(case, function, "P@5")
    assert found.diagnosis is not None
    assert (found.diagnosis.strength, found.diagnosis.conventions) == ("proved", {"ties": ties})
    assert found.diagnosis.alternatives == []


def test_what_fails_on_fresh_inputs_is_not_proved(case):
    """The values of the case follow exponential gain without exception, and others do not: with the input
    that shows it, on which the values are as said."""
    (found,) = told(case, "not_on_top", "nDCG@10")
    assert found.diagnosis is not None
    assert (found.diagnosis.strength, found.diagnosis.causes) == ("consistent", ["gain"])
    fresh = found.diagnosis.fresh
    assert fresh is not None
    assert 0 < fresh.met < fresh.asked == 20
    said = f"the conventions do not predict {20 - fresh.met} of 20 fresh inputs: query {fresh.query} has"
    assert said in found.diagnosis.explanation
    (case / "again").mkdir()
    (case / "again" / "qrels").write_text("\n".join([*fresh.qrels, ""]))
    (case / "again" / "run").write_text("\n".join([*fresh.run, ""]))
    for candidate, value in (
        (f"python:{case / 'metrics.py'}:not_on_top", fresh.found),
        ("native:gain=exponential", fresh.expected),
    ):
        settings = Settings(measures=("nDCG@10",), backends=(candidate,), reference="native")
        (again,) = run_with(find_cases([str(case / "again")]), settings).comparisons
        assert again.mean.candidate_value == pytest.approx(value, abs=1e-12)


@pytest.mark.parametrize(
    ("function", "said"),
    [
        ("refuses", "the candidate failed on the fresh inputs: .*never again"),
        ("without_one", "fresh inputs: query .* has no value where they predict 0"),
    ],
)
def test_a_candidate_that_fails_or_has_no_value(case, function, said):
    """That is a finding as well."""
    (found,) = told(case, function, "nDCG@10")
    assert found.diagnosis is not None
    assert found.diagnosis.strength == "consistent"
    assert re.search(said, found.diagnosis.explanation)


def test_saved_and_native_values_are_not_asked(case):
    """Nothing changes for what cannot be asked."""
    settings = Settings(measures=("nDCG@10",), backends=("native:gain=exponential",), reference="native")
    (found,) = run_with(find_cases([str(case / "case")]), settings).comparisons
    assert found.diagnosis is not None
    assert (found.diagnosis.strength, found.diagnosis.fresh) == ("proved", None)


def test_ids_that_a_candidate_reports_in_another_way():
    """It writes 1 for 2010-1, and all else as predicted: that is confirmed, and not ten missing queries."""
    rng = random.Random(0)
    run = {f"2010-{i}": {f"d{d}": rng.random() for d in range(6)} for i in range(1, 9)}
    qrels = {query: {"d1": 1, "d3": 2, "d4": 0, "d9": 3} for query in run}
    fresh = similar_inputs(run_from_dict(run), qrels_from_dict(qrels), (), ids=Ids.QUERY_SUFFIX)
    rankings, measure = Rankings(fresh.run, fresh.qrels), parse_measure("nDCG@10")
    changed = Conventions(gain="exponential")
    answer = native_values(rankings, measure, changed, "tool")
    respelt = {topic.rpartition(b"-")[2]: value for topic, value in answer.values.items()}
    assert len(respelt) == FRESH
    for gain, met in (("exponential", FRESH), ("binary", 0)):
        predicting = changed.with_changes(gain=gain, ids="query-suffix")
        found = predicted(rankings, fresh.inputs, measure, predicting, replace(answer, values=respelt))
        assert (found.asked, found.met) == (FRESH, met)
    another = predicted(rankings, fresh.inputs, measure, changed, replace(answer, mean=0.123))
    assert (another.met, another.failure) == (FRESH, "the mean over all inputs is different")
