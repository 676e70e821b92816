"""Claims about the pytest plugin, each in a project of its own."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path
from xml.etree import ElementTree

import pytest

pytest_plugins = ["pytester"]

ROOT = Path(__file__).parents[2]
#: Where this checkout is not installed, its plugin is named.
NAMED = [] if entry_points(group="pytest11", name="crosscheck") else ["-p", "crosscheck.testing.plugin"]
METRICS = """
from counted import count
def lenient(gains, k):
    count()
    return sum(gain > 0 for gain in gains[:k]) / min(k, max(1, len(gains)))
"""
#: What leaves a mark for each call.
COUNTED = """
def count():
    with open(__file__.replace("counted.py", "calls"), "a") as file:
        file.write("x")
"""
TESTS = """
import metrics
from crosscheck.testing import assert_agrees, assert_same

def test_lenient():
    assert_agrees(metrics.lenient, "P@5")

def test_values():
    assert_same({"1": {"a": 1}}, {"1": {"a": 1.0}}, {"1": 0.2}, "P@5")
"""


@pytest.fixture
def project(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    """A project that sees this checkout."""
    monkeypatch.setenv("PYTHONPATH", f"{ROOT}{os.pathsep}{pytester.path}")
    # pytest would compile all of this package again in each process.
    monkeypatch.delenv("PYTHONDONTWRITEBYTECODE", raising=False)
    return pytester


def called(project: pytest.Pytester, *arguments: str) -> tuple[dict[str, int], str]:
    """The outcomes of pytest in the project, and what it printed."""
    done = project.runpytest_subprocess(*NAMED, "-W", "error", *arguments)
    return done.parseoutcomes(), done.stdout.str()


def test_a_metric_goes_red_and_green(project):
    """One test fails with tables, values, cause and the line to paste; mended, it passes under --lf.

    Its counterexample is replayed: the second time nothing is audited, until its code is edited.
    """

    def calls() -> int:
        made = project.path / "calls"
        number = len(made.read_text())
        made.unlink()
        return number

    project.makepyfile(metrics=METRICS, counted=COUNTED, test_metrics=TESTS)
    outcomes, text = called(project)
    assert outcomes == {"failed": 1, "passed": 1}
    for line in (
        "lenient does not compute P@5 as trec_eval-9.0.8 does. Cause (proved): precision-denominator.",
        "docno  level  score  rank column",
        "trec_eval-9.0.8  0.2000",
        "assert_agrees(lenient, 'P@5', allow={'precision_denominator': 'min(k,retrieved)'})",
    ):
        assert line in text
    assert calls() > 100
    again = called(project, "--lf")
    assert (again[0]["failed"], "trec_eval-9.0.8  0.2000" in again[1], calls() < 10) == (1, True, True)
    project.makepyfile(counted=COUNTED + "# edited")
    assert (called(project, "--lf")[0]["failed"], calls() > 100) == (1, True)
    project.makepyfile(metrics=METRICS.replace(" / min(k, max(1, len(gains)))", " / k"))
    assert called(project, "--lf")[0]["passed"] == 1


def written(folder: Path, name: str, config: str, *, value: float | None = None) -> None:
    """A case with levels 1 and 2 in the wrong order on four queries."""
    case = folder / name
    case.mkdir(parents=True)
    qrels = {f"{q}": {"a": 1, "b": 2 + q % 2, "c": 0} for q in range(4)}
    (case / "qrels.json").write_text(json.dumps(qrels))
    (case / "run.json").write_text(json.dumps({q: {"a": 3.0, "c": 2.5, "b": 2.0} for q in qrels}))
    if config:
        (case / "case.toml").write_text(config)
    if value is not None:
        (case / "recorded.json").write_text(json.dumps({q: {"nDCG@3": value} for q in qrels}))


def expectation(candidate: str, measure: str = "nDCG@3", cause: str = "gain") -> str:
    named = f'candidate = "{candidate}"\nmeasure = "{measure}"\ncauses = ["{cause}"]'
    return f'\n[[expect]]\n{named}\nreason = "known"\n'


EXPONENTIAL = "native:gain=exponential"
MEASURES = 'measures = ["nDCG@3", "P@1"]\n'
BACKENDS = ["--crosscheck-backend", "native", "--crosscheck-backend", EXPONENTIAL]


def test_cases_are_tests(project):
    """A known mismatch is an xfail once its cause matched; stale, unused and undeclared ones fail.

    Node ids, -k, JUnit and xdist work on them, and a case without case.toml is one as well.
    """
    written(project.path / "cases", "known", MEASURES + expectation(EXPONENTIAL))
    written(project.path / "cases", "other", MEASURES + expectation(EXPONENTIAL, cause="tie-breaking"))
    written(project.path / "cases", "stale", MEASURES + expectation("native"))
    written(
        project.path / "cases", "unused", MEASURES + expectation(EXPONENTIAL, "AP") + expectation("natve")
    )
    written(project.path / "cases", "plain", "")
    options = ["--crosscheck", "cases", *BACKENDS, "-rA", "-k", "not AP and not bpref"]
    outcomes, text = called(project, *options, "--junitxml", "out.xml")
    results = {
        line.partition(" ")[2].partition(" - ")[0]: line.partition(" ")[0]
        for line in text.splitlines()
        if line.startswith(("PASSED", "FAILED", "XFAIL"))
    }
    node = "cases/{}/case.toml::run.json::{}::nDCG@3"
    assert results[node.format("known", EXPONENTIAL)] == "XFAIL"
    assert results[node.format("other", EXPONENTIAL)] == "FAILED"
    assert results[node.format("stale", "native")] == "FAILED"
    assert results[node.format("unused", EXPONENTIAL)] == "FAILED"
    assert results[node.format("unused", "native")] == "PASSED"
    assert results["cases/unused/case.toml::unused expectation 1"] == "FAILED"
    assert results["cases/unused/case.toml::unused expectation 2"] == "FAILED"
    assert results[f"cases/plain/qrels.json::run.json::{EXPONENTIAL}::nDCG"] == "FAILED"
    for line in (
        "case.toml declares the cause tie-breaking, but the cause found is gain",
        "of stale / run.json: case.toml declares a mismatch that no longer happens",
        "expects something of 'natve', nDCG@3, and that is not compared: delete it",
    ):
        assert line in " ".join(text.split())
    suite = ElementTree.parse(project.path / "out.xml").getroot()[0]
    assert int(suite.get("failures", "")) == outcomes["failed"]
    both, shared = called(project, *options, "-v", "-n", "2", "--dist", "loadfile")
    assert both == {result: n for result, n in outcomes.items() if result != "deselected"}
    # All tests of a case in one worker, so that its comparisons are made once.
    ran = set(re.findall(r"^\[gw(\d)\].*? cases/(\w+)/.*::.*::", shared, re.MULTILINE))
    assert sorted(case for _, case in ran) == ["known", "other", "plain", "stale", "unused"]
    one = node.format("known", EXPONENTIAL)
    assert called(project, one, "-o", "crosscheck_cases=cases", *BACKENDS)[0] == {"xfailed": 1}


def test_a_measure_that_a_backend_lacks_is_skipped_unless_something_is_expected(project):
    """An expectation that nothing can meet is no skip. A measure of which native is the reference, because
    pytrec_eval does not have it, is compared with the other backends only."""
    lacking = 'measures = ["P@1"]\n'
    written(project.path / "cases", "expected", lacking + expectation("sklearn", "P@1"))
    written(project.path / "cases", "plain", 'measures = ["P@1", "RR@2"]\n[published]\n"P@1" = 1.0\n')
    options = ["--crosscheck", "cases", *BACKENDS, "--crosscheck-backend", "sklearn", "-rA"]
    outcomes, text = called(project, *options)
    assert "FAILED cases/expected/case.toml::run.json::sklearn::P@1" in text
    assert f"PASSED cases/plain/case.toml::run.json::{EXPONENTIAL}::RR@2" in text
    assert "PASSED cases/plain/case.toml::run.json::published::P@1" in text
    assert "native::RR@2" not in text
    assert outcomes == {"failed": 1, "passed": 6}


def test_without_extras_a_default_backend_is_skipped_and_a_named_one_fails(project):
    """As after a plain installation: a package and pytest-xdist are missing, and no warning is given."""
    written(project.path / "cases", "plain", 'measures = ["P@5"]\n')
    (project.path / "sitecustomize.py").write_text("import sys\nsys.modules['trectools'] = None\n")
    # Those of cwl-eval, when it is compiled.
    quiet = ["-W", "ignore::DeprecationWarning", "-W", "ignore::SyntaxWarning"]
    options = ["-p", "no:xdist", *quiet, "--crosscheck", "cases", "-rA"]
    outcomes, text = called(project, *options)
    assert outcomes == {"passed": 2, "skipped": 1}, text
    assert "hf-evaluate is not available: not installed: trectools" in text
    outcomes, text = called(project, *options, "--crosscheck-backend", "hf-evaluate")
    assert outcomes == {"failed": 1}
    assert "hf-evaluate is not available: not installed: trectools" in text


def test_collection_asks_no_tool_and_the_ini_file_names_cases(project):
    """A backend that would leave a mark is not started; explicit paths leave the cases out."""
    written(project.path / "cases", "saved", MEASURES, value=0.5)
    project.makepyfile(
        marks="open('mark', 'w').close()\ndef f(gains, k):\n    return 0.5\n", test_one="def test(): pass"
    )
    project.makeini("[pytest]\ncrosscheck_cases = cases\ncrosscheck_backends =\n  native\n  python:marks:f\n")
    done = called(project, "--co", "-q")[1]
    assert "cases/saved/case.toml::run.json::python:marks:f::nDCG@3" in done
    assert "cases/saved/case.toml::run.json::recorded:recorded.json::nDCG@3" in done
    assert not (project.path / "mark").exists()
    assert called(project, "test_one.py")[0] == {"passed": 1}


def test_the_settings_of_the_project_hold_for_pytest(project):
    """As for the command line: backends, measures, the time limit, and what fails; options go before them."""
    written(project.path / "cases", "plain", "")
    written(project.path / "cases", "known", MEASURES + expectation(EXPONENTIAL))
    outcomes = {}
    for fail_on in ("unexpected", "mismatch", "never"):
        table = f'measures = ["nDCG@3"]\nbackends = ["{EXPONENTIAL}"]\nfail-on = "{fail_on}"\n'
        (project.path / "pyproject.toml").write_text(f"[tool.crosscheck]\n{table}")
        outcomes[fail_on], text = called(project, "--crosscheck", "cases", "-rA")
        assert "::native::" not in text
    assert outcomes == {
        "unexpected": {"failed": 1, "xfailed": 1, "passed": 1},
        "mismatch": {"failed": 2, "passed": 1},
        "never": {"xfailed": 2, "passed": 1},
    }
    assert called(project, "--crosscheck", "cases", "--crosscheck-backend", "native")[0] == {"passed": 3}
    (project.path / "pyproject.toml").write_text("[tool.crosscheck]\ntimeout = 0\n")
    assert "a number of seconds above 0" in called(project, "--crosscheck", "cases")[1]


def test_a_folder_without_cases_is_refused(project):
    """A misspelt folder, an empty one and a damaged case: no test is left out silently."""
    (project.path / "empty").mkdir()
    written(project.path / "broken", "case", "measures = 5")
    for folder in ("absent", "empty", "broken"):
        done = project.runpytest_subprocess(*NAMED, "--crosscheck", folder)
        assert (done.ret, "Traceback" in done.stderr.str()) == (pytest.ExitCode.USAGE_ERROR, False)


def test_the_plugin_costs_nothing_where_it_is_not_used():
    """Neither crosscheck's rooms nor numpy are imported."""
    before = "import sys, crosscheck; before = set(sys.modules)"
    told = "sorted(m for m in {*sys.modules} - before if m.startswith(('crosscheck', 'numpy', 'msgspec')))"
    program = f"{before}; import crosscheck.testing.plugin; print({told})"
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "['crosscheck.testing', 'crosscheck.testing.plugin']"
