"""``crosscheck audit`` as a user calls it: streams, exit codes, reports, and cases that are saved."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from crosscheck.auditing.words import CONVERSIONS, WORDS
from crosscheck.report.json_report import schema

TARGETS = Path(__file__).parents[1] / "targets"


def crosscheck(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return python("-m", "crosscheck", *arguments, cwd=cwd)


def python(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    # The working directory is another one: a relative PYTHONPATH would not find the package.
    env = {**os.environ, "PYTHONPATH": str(TARGETS.parents[1])}
    command = [sys.executable, *arguments]
    return subprocess.run(command, capture_output=True, text=True, cwd=cwd, env=env, check=False, timeout=120)


def audit_of(source: str, *arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """The audit of the function ``f`` in this source text."""
    (cwd / "m.py").write_text(source, "utf-8")
    return crosscheck("audit", "m.py:f", *arguments, cwd=cwd)


@pytest.mark.one_in(7)
@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("def f(gains): raise RuntimeError('no luck')", "RuntimeError: no luck"),
        ("def f(foo): return 0.5", "compute P@5: the function gave 0.5 for every ranking that was tried."),
        ("def f(qrels, run): return {q: 1.0 for q in run}", "gave 1.0 for every ranking that was tried"),
        ("def f(gains, k): return float('nan')", "the function gave nan for every ranking that was tried."),
        ("def f(qrels, run): return {q: 0 / (len(run) > 1) for q in run}",
         "no call gives numbers that depend on the input, and most inputs fail (ZeroDivisionError: "),
        ("def f(k): return 0.5", "do not show how to call it"),
        ("def f(gains): return 'high'", "returned a str instead of a number"),
        ("def f(gains): import os; os._exit(9)", "exited with code 9 without an answer"),
        ("def f(gains): return None", "the function gave None for every ranking that was tried."),
        ("def f(gains): raise ValueError('\\x1b[31mred')", "[31mred"),
        ("c = []\ndef f(qrels, run): c.append(1); return {q: 0 / (len(c) < 2) for q in run}",
         "ZeroDivisionError"),
        ("1 +", "SyntaxError"),
        ("g = 1", "has no 'f'"),
    ],
)  # fmt: skip
def test_a_metric_that_cannot_be_called(tmp_path, source, said):
    """Exit code 3 with the reason, without control characters; a crash of the metric is not one of ours."""
    done = audit_of(source, "-m", "P@5", "--report", "json=a.json", cwd=tmp_path)
    assert done.returncode == 3
    assert said in " ".join(done.stdout.split())
    assert "Traceback" not in done.stderr
    assert "\x1b" not in done.stdout + done.stderr
    assert json.loads((tmp_path / "a.json").read_text("utf-8"))["audit"]["verdict"] == "uncallable"


def test_the_same_seed_writes_the_same_document(tmp_path):
    """Two audits with one seed are the same bytes, whatever the hash seed of the interpreter, and whether the
    measure stands after -m or alone."""
    asked = ("audit", f"{TARGETS / 's1.py'}:ndcg_at_k", "--seed", "0", "--report", "json=-")
    measures = ("-m", "nDCG@6"), ("nDCG@6",)
    one, other = (crosscheck(*asked, *measure, cwd=tmp_path) for measure in measures)
    assert one.stdout == other.stdout
    document = json.loads(one.stdout)
    Draft202012Validator(json.loads(schema("audit"))).validate(document)
    assert set(document["audit"]["behaviour"]) >= {"empty run", "k = 0", "k past the end"}


def test_a_metric_that_is_killed_once(tmp_path):
    """By the system, as when memory runs out: it is asked again, and nothing of it is held against it."""
    (tmp_path / "m.py").write_text(
        "import os, pathlib, signal\n"
        "def num_ret(qrels, run):\n"
        "    if len(run) > 1 and not pathlib.Path('died').exists():\n"
        "        pathlib.Path('died').touch()\n"
        "        os.kill(os.getpid(), signal.SIGKILL)\n"
        "    return {query: float(len(run[query])) for query in run if query in qrels}\n"
    )
    done = crosscheck("audit", "python:m.py:num_ret", "-m", "NumRet", "--report", "json=-", cwd=tmp_path)
    assert done.returncode == 0
    assert (tmp_path / "died").exists()
    assert json.loads(done.stdout)["audit"]["notes"] == []


def test_a_metric_that_hangs(tmp_path):
    """It is ended when the time is over, and counts as one that cannot be called."""
    done = audit_of("def f(gains):\n    while True: pass\n", "-m", "P@5", "--timeout", "3", cwd=tmp_path)
    assert done.returncode == 3
    assert "did not answer within 3 s" in done.stdout


@pytest.mark.whole
def test_saved_cases_are_tried_the_next_time(tmp_path):
    """A case in the folder of saved ones shows a deviation that an audit by itself does not meet."""
    source = "def f(ranked_ids, relevant_ids):\n    if 'odd-one' in ranked_ids: return 0.5\n"
    source += "    return next((1 / i for i, d in enumerate(ranked_ids, 1) if d in relevant_ids), 0.0)\n"
    audited = ("-m", "RR", "--save-fixture", "made")
    assert audit_of(source, *audited, cwd=tmp_path).returncode == 0
    case = tmp_path / "made" / "odd"
    case.mkdir(parents=True)
    (case / "qrels").write_text("1 0 odd-one 1\n", "utf-8")
    (case / "run.txt").write_text("1 Q0 odd-one 1 1.0 t\n", "utf-8")
    again = audit_of(source, *audited, cwd=tmp_path)
    assert again.returncode == 1
    assert "all values on 0 of 1 runs of the cases; not on odd/run.txt\n" in again.stdout


@pytest.mark.whole
def test_saved_cases_of_ids_with_blanks_are_cases(tmp_path):
    """Lines have no place for a blank inside an id: such a case is saved as JSON, and compares the same."""
    done = crosscheck("audit", "native:ids=strip", "-m", "P@5", "--save-fixture", "made", cwd=tmp_path)
    assert done.returncode == 1
    names = {path.name for path in (tmp_path / "made" / "id-normalisation").iterdir()}
    assert names == {"qrels.json", "run.json", "case.toml", "example.py", "recorded.audited.json"}
    assert crosscheck("run", "made", "-b", "native", cwd=tmp_path).returncode == 0


def test_the_help_names_every_word_of_a_call(tmp_path):
    """Words and conversions alike."""
    said = crosscheck("audit", "--help", cwd=tmp_path).stdout
    assert {*WORDS, *CONVERSIONS} <= {*re.findall(r"\w+", said)}
