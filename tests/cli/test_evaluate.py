"""Values of runs: ``crosscheck evaluate`` prints them, ``crosscheck record`` keeps them, to the last bit."""

import json
from pathlib import Path

import pytest

from tests.cli.command import crosscheck
from tests.cli.test_calls import SUBTOPICS, TIED


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Qrels and runs, of which some cannot be used; the id of one query must not break a line."""
    (tmp_path / "qrels").write_text("1 0 a 1\n1 0 b 0\n\x1b[2J 0 c 2\n")
    for i in range(2):
        (tmp_path / f"run{i}").write_text(f"1 Q0 a 1 {i} t\n1 Q0 b 2 0.5 t\n\x1b[2J Q0 c 1 1 t\n")
    (tmp_path / "bad").write_text("1 Q0 a 1 one t\n")
    (tmp_path / "other").write_text("9 Q0 a 1 1 t\n")
    return tmp_path


def test_a_query_cannot_steer_the_terminal(folder):
    done = crosscheck(folder, *["evaluate", "qrels", "run0", "-m", "P@1", "-q", "--output", "tsv"])
    assert [line.split("\t")[2] for line in done.out.splitlines()] == ["\\x1b[2J", "1", "all"]


@pytest.mark.parametrize("workers", ["1", "2"])
def test_bad_runs_are_named_and_good_ones_printed(folder, workers):
    """Exit code 2; a run that shares no query with the judgements is a bad one, as in the C program."""
    runs = ("run1", "bad", "gone", "other", "run1")
    done = crosscheck(folder, "evaluate", "qrels", *runs, "-m", "AP", "--workers", workers)
    assert (done.code, done.out) == (2, "measure    mean\nAP       1.0000\nAP       1.0000\n")
    named = [line.split(":")[2].strip() for line in done.err.splitlines() if "error:" in line]
    assert named == ["bad", "gone", "other"]


#: Options of ``evaluate`` -> the first and the last line that it prints of two runs.
FORMS = {
    "": ("run       AP  num_ret", "run1  1.0000        3"),
    "-q": ("run   query      AP  num_ret", "run1  all    1.0000        3"),
    "--all-digits": ("run                   AP  num_ret", "run1                 1.0      3.0"),
    "--output trec_eval": ("runid                 \tall\trun2", "num_ret               \tall\t3"),
    "--output csv": ("run,measure,query,value", "run1,num_ret,all,3.0"),
    "--output tsv": ("run2\tAP\tall\t0.8333333333333334", "run1\tnum_ret\tall\t3.0"),
    "--output json": ("[", "]"),
    "narrow": ("run   measure    mean", "run1  num_ret       3"),
}


@pytest.mark.parametrize("form", FORMS)
def test_forms_of_the_output(folder, form):
    """Four places in a table, or every digit; counts are whole; a line per number where it is too wide."""
    (folder / "qrels").write_text("1 0 a 1\n2 0 c 2\n2 0 d 0\n3 0 e 1\n")
    rows = ["1 Q0 a 1 1 t\n", "2 Q0 c 1 {} t\n", "3 Q0 e 1 1 t\n"]
    (folder / "run1").write_text("".join(rows).format(1))
    (folder / "run2").write_text("".join(rows).format(1) + "2 Q0 d 2 2 t\n")
    options = [] if form == "narrow" else form.split()
    environment = {"COLUMNS": "20"} if form == "narrow" else {}
    files = ("qrels", "run2", "run1", "-m", "AP,num_ret")
    done = crosscheck(folder, "evaluate", *files, *options, env=environment)
    lines = done.out.splitlines()
    assert (done.code, (lines[0], lines[-1])) == (0, FORMS[form])


METRIC = """
def f(qrels, run, measure):
    return {query: float("nan") if query == "3" else 1 / 3 for query in run if query != "2"}

def fails(qrels, run, measure):
    raise ValueError("no")
"""


@pytest.mark.parametrize("name", ["recorded.json", "recorded.txt"])
def test_recorded_values_are_those_of_the_backend(tmp_path, name):
    """A case with them agrees with the backend itself to the last bit, NaN and missing values too; where
    there is no value, nothing is written. --check is that in one command, and fails for another function."""
    case = tmp_path / "case"
    case.mkdir()
    (tmp_path / "m.py").write_text(METRIC)
    (case / "qrels").write_text("".join(f"{q} 0 a 1\n" for q in ("1", "2", "3", "q\u00e9")))
    (case / "run").write_text("".join(f"{q} Q0 a 1 1 t\n" for q in ("1", "2", "3", "q\u00e9")))
    files = ("case/qrels", "case/run", "-m", "P@1,nDCG@5", "-o", f"case/{name}")
    failed = crosscheck(tmp_path, "record", "python:m.py:fails", *files)
    assert (failed.code, "no" in failed.err, (case / name).exists()) == (3, True, False)
    done = crosscheck(tmp_path, "record", "python:m.py:f", *files)
    assert (done.code, done.out) == (0, "")
    if name.endswith(".json"):
        held = json.loads((case / name).read_text("utf-8"))
        assert held["3"] == {"P@1": "NaN", "nDCG@5": "NaN"}
        assert (held["q\u00e9"]["P@1"], "2" in held) == (1 / 3, False)
    same = ("-b", "python:m.py:f", "--reference", "python:m.py:f", "--tolerance", "0", "-m", "P@1,nDCG@5")
    compared = crosscheck(tmp_path, "case", *same, "--report", "json=-")
    found = json.loads(compared.out)["comparisons"]
    assert compared.code == 0
    assert {c["outcome"] for c in found if c["candidate"].startswith("recorded")} == {"match"}
    (tmp_path / "m.py").write_text(METRIC + METRIC.replace("def f(", "def g(").replace("1 / 3", "0.5"))
    before = (case / name).read_bytes()
    for function, code, agreeing in (("f", 0, 2), ("g", 1, 0)):
        done = crosscheck(tmp_path, "record", f"python:m.py:{function}", *files, "--check")
        said = f"{agreeing} of 2 comparisons agree."
        assert (done.code, said in " ".join(done.out.split())) == (code, True), done
    assert (case / name).read_bytes() == before
    done = crosscheck(tmp_path, "record", "python:m.py:f", *files)
    assert f"recorded 2 measures in 'case/{name}', in place of what it held" in done.err


def test_the_cause_of_a_mismatch_with_pyndeval_is_named(tmp_path):
    """Its ties are ordered by docno ascending; with another order of ties it agrees."""
    pytest.importorskip("pyndeval")
    (tmp_path / "case").mkdir()
    (tmp_path / "case" / "qrels").write_bytes(SUBTOPICS)
    (tmp_path / "case" / "run").write_bytes(TIED)
    asked = ("case", "-m", "alpha_nDCG@2,ERR-IA@2,StRecall@1,P@1", "-b", "ir-measures", "--report", "json=-")
    done = crosscheck(tmp_path, *asked, "--reference", "native")
    found = {c["measure"]: c for c in done.document()["comparisons"]}
    assert [name for name, c in found.items() if c["outcome"] == "match"] == ["P@1"]
    diagnosis = found["alpha_nDCG@2"]["diagnosis"]
    assert (diagnosis["causes"], diagnosis["strength"]) == (["tie-breaking"], "consistent")
    assert diagnosis["conventions"] == {"ties": "docid-asc"}
    # No order is known to be the best or the worst of all.
    assert all(cell.get("ties") is None for cell in found["alpha_nDCG@2"]["cells"])
    assert crosscheck(tmp_path, *asked, "--reference", "native:ties=docid-asc").code == 0
