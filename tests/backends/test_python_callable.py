"""Claims about a user's own function as a backend."""

import math
from pathlib import Path

import pytest

from crosscheck.backends import make
from crosscheck.backends.guarded import Guarded
from crosscheck.backends.python_callable import PythonCallable
from crosscheck.errors import BackendError, UsageError
from crosscheck.model import Measure, MeasureValues
from crosscheck.names import said_by
from tests.backends.inputs import qrels_of, run_of

QRELS = qrels_of({"1": {"a": 1, "b": 0}, "2": {"a": 2}})
RUN = run_of({"1": {"a": 2.0, "b": 1.0}, "3": {"a": 1.0}})
P5, P10, AP = Measure("P", 5), Measure("P", 10), Measure("AP")
R5, R10 = Measure("R", 5), Measure("R", 10)

METRICS = """
import math
from fractions import Fraction

import numpy

from beside import RELEVANT


def precision(qrels, run, k):
    return {
        query: sum(qrels[query].get(d, 0) >= RELEVANT for d in docs) / k
        for query, docs in run.items() if query in qrels
    }


def named(qrels, run, *, measure="?", cutoff=3, other=1):
    return {"1": {"P@5": 5, "P@10": 10, "AP": 0}[measure] + (cutoff or -1) / 100}


def several(qrels, run, measures):
    return {"1": {name: 0.5 for name in measures}}


def distance(qrels, run, metric="cosine"):
    return {"1": {"cosine": 0.5}[metric]}


def destroys(qrels, run, k):
    value = len(qrels) + len(run["1"])
    qrels.clear()
    run["1"].clear()
    return {"1": value}


def kinds(qrels, run):
    return {"1": numpy.float32(0.5), "2": math.nan, "3": True}


class Metric:
    @staticmethod
    def compute(qrels, run):
        return {"2": Fraction(1, 4)}


answers = [None, [1], {"1": "0.5"}, {"1": None}, {1: 0.5}, {"9\\x1b": 0.5}, {"1": 1j}, {"1": numpy.ones(2)},
           {"1": 10 ** 400}, {"1": {"P@5": 0.5}}]


def odd(qrels, run, k):
    return answers[k]


constant = 3


def mean_ap(qrels, run):
    return {"1": 0.5}


def recallAt5(predictions, gold, cutoff=5):
    return {"1": cutoff / 10 if predictions["1"] == {"a": 2.0, "b": 1.0} else 0.0}


def compute_recall_at_5(run, judgments):
    return {"1": len(judgments["1"])}


def score(qrels, run):
    return {"1": 0.5}


def of_lists(ranked, relevant):
    return len(set(ranked[:5]) & set(relevant)) / 5
"""


@pytest.fixture
def file(tmp_path: Path) -> str:
    """A file of metrics, with a module beside it that it imports."""
    (tmp_path / "beside.py").write_text("RELEVANT = 1\n")
    (tmp_path / "my metrics.py").write_text(METRICS)
    return str(tmp_path / "my metrics.py")


def here(file: str, function: str, *measures: Measure) -> dict[Measure, MeasureValues]:
    """Called in this process, where exceptions can be seen."""
    return make(f"python:{file}:{function}").evaluate(QRELS, RUN, measures)


@pytest.mark.parametrize(
    ("function", "measures", "expected"),
    [
        # It gets dicts as pytrec_eval takes them, and can import what lies beside it.
        ("precision", (P5, P10), [{b"1": 0.2}, {b"1": 0.1}]),
        # A parameter called cutoff gets it, None where there is none; measure gets the canonical name.
        ("named", (P5, P10, AP), [{b"1": 5.05}, {b"1": 10.1}, {b"1": -0.01}]),
        # A dict of one measure for each query is read; what is no measure's name is left to its default.
        ("several", (P5,), [{b"1": 0.5}]),
        ("distance", (P5,), [{b"1": 0.5}]),
        # A function that empties its arguments does not spoil the next call.
        ("destroys", (P5, P10), [{b"1": 4.0}, {b"1": 4.0}]),
        # Numbers of numpy, fractions and bools are numbers; queries of the run or the qrels may have one.
        ("kinds", (P5,), [{b"1": 0.5, b"2": math.nan, b"3": 1.0}]),
        ("Metric.compute", (P5,), [{b"2": 0.25}]),
    ],
)
def test_a_function_of_a_file_gives_values(file, function, measures, expected):
    """As floats of Python, by measure and query, without a mean."""
    found = list(here(file, function, *measures).values())
    for one, values in zip(found, expected, strict=True):
        assert one.values == pytest.approx(values, nan_ok=True, abs=1e-15)
        assert {type(value) for value in one.values.values()} == {float}
        assert (one.mean, one.engine) == (None, f"python:{file}:{function}")


@pytest.mark.parametrize(
    ("function", "asked", "values", "said"),
    [
        ("mean_ap", (P5, AP), {AP: 0.5}, "does not have P@5: its name says AP, and it takes no name of a"),
        ("compute_recall_at_5", (R5, R10), {R5: 2.0}, "does not have R@10: its name says R@5"),
        # A parameter for the cutoff is any cutoff; a run that its parameters name first is passed first.
        ("recallAt5", (R5, R10, AP), {R5: 0.5, R10: 1.0}, "does not have AP: its name says R@5"),
        ("score", (AP,), {AP: 0.5}, ""),
        ("score", (P5, AP), {}, "2 measures are requested from score, which takes no"),
        ("score", (P5, P10), {}, "2 measures are requested from score, which takes no"),
        ("of_lists", (AP,), {}, "use crosscheck audit for a function of lists or frames"),
    ],
)
def test_a_function_that_is_not_told_the_measure_has_the_one_that_its_name_says(
    file, function, asked, values, said
):
    """It is not accused of computing something else; where the name says nothing, that is asked."""
    with Guarded(make(f"python:{file}:{function}")) as backend:
        had = [measure for measure in asked if backend.supports(measure)]
        answers = backend.evaluate(QRELS, RUN, had)
        messages = [backend.lacks(measure) for measure in asked if measure not in had]
    found = {m: one.values[b"1"] for m, one in answers.items() if isinstance(one, MeasureValues)}
    assert found == values
    messages += [str(one) for one in answers.values() if isinstance(one, BackendError)]
    assert said in "".join(messages)
    assert bool(messages) == bool(said)


def test_the_name_of_a_function_says_its_measure():
    """Whole words only: a single letter, or a word among others that say something else, says nothing."""
    say = {"Metrics.reciprocalRank": "RR", "calculate_mean_average_precision": "AP", "f1_score": "SetF"}
    say |= {"r_precision": "Rprec", "ndcg_at_k": "nDCG"}
    assert {name: said_by(name) for name in say} == {name: ((family,), None) for name, family in say.items()}
    assert {said_by(name) for name in ("p", "map_points", "compute", "scores_at_10")} == {((), None)}


@pytest.mark.parametrize(
    ("parameters", "name", "spelling"),
    [
        ("measure", "measure", "P@{k}"),
        ("measure='P@100'", "measure", "P_{k}"),
        ("*, metric_name=None", "metric_name", "precision@{k}"),
        ("k, metric", "metric + str(k)", "Precision"),
        ("metrics=('P.5',)", "metrics[0]", "P.{k}"),
    ],
)
@pytest.mark.parametrize("other", ["raise KeyError", "return {}", "return {q: 1.0 for q in run}"])
def test_the_name_of_the_measure_is_spelt_as_the_function_spells_it(
    tmp_path, parameters, name, spelling, other
):
    """Whatever it does with names that it does not know: only some names give another answer than no name."""
    known = {spelling.replace("{k}", str(k)) + str(k) * ("{k}" not in spelling): k for k in (5, 10)}
    (tmp_path / "m.py").write_text(
        f"def f(qrels, run, {parameters}):\n"
        f"    k = {known}.get({name})\n"
        f"    if k is None: {other}\n"
        "    hits = {q: [qrels[q].get(d, 0) > 0 for d in run[q]] for q in run if q in qrels}\n"
        "    return {q: sum(hits[q][:k]) / k for q in hits}\n"
    )
    found = here(str(tmp_path / "m.py"), "f", P5, P10)
    assert (found[P5].values, found[P10].values) == ({b"1": 0.2}, {b"1": 0.1})


@pytest.mark.parametrize(
    ("function", "cutoff", "message"),
    [
        *(("odd", i, f"odd returned {kind} instead of a dict") for i, kind in enumerate(("None", "a list"))),
        *(
            ("odd", i, f"odd returned {kind} for query '1', not a number\n  leave out ")
            for i, kind in {2: "a str", 3: "None", 6: "a complex", 7: "a ndarray", 9: "a dict"}.items()
        ),
        ("odd", 4, "odd returned an int as a query: 1"),
        ("odd", 5, r"odd returned a value for '9\\x1b', a query of neither run nor qrels"),
        ("odd", 8, "odd returned an int for query '1', too large for a float"),
        ("precison", 5, "did you mean precision"),
        ("constant", 5, "is not a function"),
        ("Metric.x", 5, "has no"),
    ],
)
def test_what_is_not_query_to_number_is_an_error(file, function, cutoff, message):
    """The message names the function, the query and what was found; or a similar name, if there is none."""
    with pytest.raises(BackendError, match=message):
        here(file, function, Measure("P", cutoff))


def test_a_module_is_found_in_the_working_directory(tmp_path, monkeypatch):
    """As python -m would find it, package or module. Describing does not run its code: one that raises when
    it is loaded is available, and asking it is the error."""
    (tmp_path / "ours_xyz").mkdir()
    (tmp_path / "ours_xyz" / "metrics.py").write_text("def one(qrels, run):\n    return {'1': 1}\n")
    (tmp_path / "bad_xyz.py").write_text("raise RuntimeError('loaded')\n")
    monkeypatch.chdir(tmp_path)
    said = []
    for id in ("python:ours_xyz.metrics:one", "python:bad_xyz:f"):
        with Guarded(make(id)) as backend:
            assert backend.describe().available
            said.append(backend.evaluate(QRELS, RUN, [P5])[P5])
    assert isinstance(said[0], MeasureValues)
    assert said[0].values == {b"1": 1.0}
    assert str(said[1]).startswith("RuntimeError: loaded (bad_xyz.py:1")


@pytest.mark.parametrize("id", ["python:module", "python:module:", "python::f"])
def test_a_backend_without_module_or_function_is_refused(id):
    """With what to write."""
    with pytest.raises(UsageError) as error:
        make(id)
    said = "backend python needs a module or file, and a function"
    assert str(error.value).startswith(said)
    assert error.value.hint == "write python:package.module:function or python:path/to/file.py:function"


def test_a_path_may_hold_colons():
    """Only the last colon separates the function, as on Windows C: must not."""
    backend = make(r"python:C:\metrics.py:f")
    assert isinstance(backend, PythonCallable)
    assert (backend.target, backend.function) == (r"C:\metrics.py", "f")
