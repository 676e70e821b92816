"""Fresh inputs: a candidate that can be asked must meet the prediction there before anything is proved."""

import random
import re
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from crosscheck.axes.ids import Ids
from crosscheck.backends.native import native_values
from crosscheck.backends.python_callable import PythonCallable
from crosscheck.conventions import Conventions
from crosscheck.evaluation.rankings import Rankings
from crosscheck.evaluation.recomputer import Recomputer
from crosscheck.explain.fresh import FRESH, predicted, similar_inputs
from crosscheck.formats.dicts import qrels_from_dict, run_from_dict
from crosscheck.names import parse_measure
from crosscheck.results import Comparison, Diagnosis, FreshInputs
from tests.harness.data import run, write_case

#: Metrics that give the same on the case and not everywhere.
METRICS = '''
import os

from tests.harness import metrics

def exponential(qrels, run):
    with open(os.environ["CALLS"], "a") as file:
        file.write(f"{len(run)}\\n")
    return metrics.exponential_gain(qrels, run, 10)

def not_on_top(qrels, run):
    """In the case, no document of level 2 stands first."""
    levels = {q: qrels.get(q, {}).get(max(docs, key=docs.get)) for q, docs in run.items()}
    return {q: value * 0.9 if levels[q] == 2 else value for q, value in exponential(qrels, run).items()}

def binary_above_100(qrels, run):
    """Its gain depends on the run."""
    values = exponential(qrels, run)
    if min(score for docs in run.values() for score in docs.values()) < 100:
        return values
    return metrics.binary_gain(qrels, run, 10)

def refuses(qrels, run):
    values = exponential(qrels, run)
    if values and "01" not in open(os.environ["SEEN"]).read():
        open(os.environ["SEEN"], "w").write("01")
        return values
    raise ValueError("never again")

def stable(qrels, run):
    return metrics.file_order(qrels, run, 5, "P")

def by_docno(qrels, run):
    return metrics.ties_ascending(qrels, run, 5, "P")

def of_level(fits):
    def hits(qrels, run):
        best = {q: sorted(docs, key=docs.get)[-5:] for q, docs in run.items()}
        return {q: sum(fits(qrels[q].get(d, 0)) for d in docs) / 5 for q, docs in best.items()}
    return hits

from_three, three_alone = of_level(lambda level: level >= 3), of_level(lambda level: level == 3)

def of_returned(qrels, run):
    hits = of_level(lambda level: level > 0)(qrels, run)
    return {q: 5 * hits[q] / min(5, len(docs)) for q, docs in run.items()}

def of_a_set(qrels, run):
    return {q: sum(qrels[q].get(d, 0) > 0 for d in docs) / len(docs) for q, docs in run.items()}

def up_to_three(qrels, run):
    assert all(level <= 3 for judged in qrels.values() for level in judged.values())
    return from_three(qrels, run)

def without_one(qrels, run):
    """In the case, each query has a document of level 2."""
    return {q: v for q, v in exponential(qrels, run).items() if len(run[q]) == 12}
'''


@pytest.fixture
def case(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a case of twenty-four queries; a document of level 3 always stands first."""
    rng, qrels, run = random.Random(1), {}, []
    for query in range(24):
        docnos = [f"d{i:02}" for i in rng.sample(range(60), 16)]
        qrels[f"q{query:02}"] = {d: rng.choice([0, 0, 1, 2, 3]) for d in docnos} | {docnos[0]: 3}
        run += [(f"q{query:02}", d, 30.0 - i) for i, d in enumerate([docnos[0], *docnos[4:], "x"][:12])]
    write_case(tmp_path / "case", qrels, run)
    (tmp_path / "metrics.py").write_text(METRICS)
    for name in ("calls", "seen"):
        monkeypatch.setenv(name.upper(), str(tmp_path / name))
        (tmp_path / name).write_text("")
    return tmp_path


def compared(
    folder: Path, candidate: str, measure: str = "nDCG@10", case: str = "case", **more: Any
) -> list[Comparison]:
    """A case in the folder, with a metric of its file or with another backend."""
    id = candidate if ":" in candidate else f"python:{folder / 'metrics.py'}:{candidate}"
    return run(folder / case, measure, **{"backends": (id,), "reference": "native"} | more).comparisons


class InAPackage(PythonCallable, frozen=True, dict=True):
    repeatable = True


def lines_of(case: Path) -> list[list[str]]:
    return [line.split() for line in (case / "case" / "run").read_text().splitlines()]


def told(folder: Path, candidate: str, measure: str = "nDCG@10", **more: Any) -> list[Diagnosis]:
    diagnoses = [c.diagnosis for c in compared(folder, candidate, measure, **more)]
    assert None not in diagnoses
    return diagnoses  # type: ignore[return-value]


def test_what_holds_is_confirmed_on_twenty_of_twenty(case):
    """It is proved; all measures were asked in one call each, beside those of the case. crosscheck's own
    measures are not asked, nor is a metric with one explanation that one query does not prove."""
    (found,) = told(case, "exponential")
    assert (found.strength, found.causes, found.fresh) == ("proved", ["gain"], FreshInputs(asked=20, met=20))
    assert found.explanation.endswith("; confirmed on 20 of 20 fresh inputs.")
    assert (case / "calls").read_text().split() == ["24", "20"]
    (found,) = told(case, "native:gain=exponential")
    assert (found.strength, found.fresh) == ("proved", None)
    (found,) = told(case, "exponential", queries=("q00",))
    assert (found.strength, found.alternatives) == ("consistent", [])
    assert (case / "calls").read_text().split() == ["24", "20", "1"]


def test_what_holds_of_one_run_says_nothing_of_other_conventions_on_another(case):
    """The metric is asked again, on inputs like those of the other run; for the same ones it is not."""
    for name, more in (("run2", 0), ("run3", 100)):
        rows = (f"{q} Q0 {d} {rank} {float(score) + more} t\n" for q, _, d, rank, score, _ in lines_of(case))
        (case / "case" / name).write_text("".join(rows))
    found = told(case, "binary_above_100")
    assert [one.conventions["gain"] for one in found] == ["exponential", "exponential", "binary"]
    assert [one.fresh for one in found] == [FreshInputs(asked=20, met=20)] * 3
    assert sorted((case / "calls").read_text().split()) == ["20", "20", "24", "24", "24"]


@pytest.mark.parametrize(("function", "ties"), [("stable", "input"), ("by_docno", "docid-asc")])
def test_rules_that_fit_the_case_alike_are_told_apart_by_asking(case, function, ties):
    """In the case, tied documents stand in the order of their docnos; on fresh inputs they do not. A package
    is not asked: its profile says which rule it follows."""
    tied = sorted((q, float(score) // 5, d) for q, _, d, _, score, _ in lines_of(case))
    text = "".join(f"{q} Q0 {d} {-i} {score} t\n" for i, (q, score, d) in enumerate(tied))
    (case / "case" / "run").write_text(text)
    (found,) = told(case, function, "P@5")
    assert (found.strength, found.conventions, found.alternatives) == ("proved", {"ties": ties}, [])
    package = InAPackage(str(case / "metrics.py"), function)
    (found,) = told(case, package.id, "P@5", given={package.id: package})
    assert (found.strength, len(found.alternatives)) == ("consistent", 1)


@pytest.mark.parametrize(("function", "strength"), [("of_returned", "proved"), ("of_a_set", "consistent")])
def test_a_formula_that_fits_the_case_is_told_apart_by_asking(case, function, strength):
    """In lists of four documents P@5 over those returned is the precision of the set: longer lists decide.
    Lists with ties do not, as nothing in the case says how a metric orders them."""
    rows = ((q, "x" if float(score) == 28 else d, score) for q, _, d, _, score, _ in lines_of(case))
    text = "".join(f"{q} Q0 {d} 0 {score} t\n" for q, d, score in rows if float(score) > 26)
    (case / "case" / "run").write_text(text)
    (found,) = told(case, function, "P@5")
    assert (found.strength, found.conventions) == (strength, {"precision_denominator": "min(k,retrieved)"})
    assert ("also predicts those on synthetic inputs" in found.explanation) is (strength == "consistent")


@pytest.mark.parametrize(
    ("function", "strength"),
    [("from_three", "proved"), ("three_alone", "consistent"), ("up_to_three", "proved")],
)
def test_what_is_so_up_to_the_highest_level_is_asked_above_it(case, function, strength):
    """In the case, 3 is the highest level: "from 3 on" is "3" as well. A metric that refuses other levels is
    asked about those of the case."""
    (found,) = told(case, function, "P@5")
    assert (found.strength, found.conventions) == (strength, {"relevance_level": 3})
    assert found.fresh is not None
    assert (found.fresh.met == found.fresh.asked) is (strength == "proved")


def test_what_fails_on_fresh_inputs_is_not_proved(case):
    """The values of the case follow exponential gain without exception, and others do not: with the input
    that shows it, on which the values are as said."""
    (found,) = told(case, "not_on_top")
    assert (found.strength, found.causes) == ("consistent", ["gain"])
    fresh = found.fresh
    assert fresh is not None
    assert 0 < fresh.met < fresh.asked == 20
    said = f"the conventions do not predict {20 - fresh.met} of 20 fresh inputs: query {fresh.query} has"
    assert said in found.explanation
    (case / "again").mkdir()
    (case / "again" / "qrels").write_text("\n".join([*fresh.qrels, ""]))
    (case / "again" / "run").write_text("\n".join([*fresh.run, ""]))
    for candidate, value in (("not_on_top", fresh.found), ("native:gain=exponential", fresh.expected)):
        (again,) = compared(case, candidate, case="again")
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
    (found,) = told(case, function)
    assert found.strength == "consistent"
    assert re.search(said, found.explanation)


def test_ids_that_a_candidate_reports_in_another_way():
    """It writes 1 for 2010-1, and all else as predicted: that is confirmed, and not ten missing queries."""
    rng = random.Random(0)
    run = {f"2010-{i}": {f"d{d}": rng.random() for d in range(6)} for i in range(1, 9)}
    qrels = {query: {"d1": 1, "d3": 2, "d4": 0, "d9": 3} for query in run}
    fresh = similar_inputs(run_from_dict(run), qrels_from_dict(qrels), (), ids=Ids.QUERY_SUFFIX)
    changed = Conventions(gain="exponential")
    view = Recomputer(Rankings(fresh.run, fresh.qrels), parse_measure("nDCG@10"), changed)
    answer = native_values(view.rankings, view.measure, changed, "tool")
    respelt = {topic.rpartition(b"-")[2]: value for topic, value in answer.values.items()}
    assert len(respelt) == FRESH
    for gain, met in (("exponential", FRESH), ("binary", 0)):
        predicting = replace(view, base=changed.with_changes(gain=gain, ids="query-suffix"))
        found = predicted(predicting, fresh.inputs, replace(answer, values=respelt))
        assert (found.asked, found.met) == (FRESH, met)
    another = predicted(view, fresh.inputs, replace(answer, mean=0.123))
    assert (another.met, another.failure) == (FRESH, "the mean over all inputs is different")
