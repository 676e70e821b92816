"""crosscheck record: values that are frozen come back to the last bit."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.command import crosscheck

METRIC = """
def f(qrels, run):
    return {query: float("nan") if query == "3" else 1 / 3 for query in run if query != "2"}
"""


@pytest.mark.parametrize("name", ["recorded.json", "recorded.txt"])
def test_recorded_values_are_those_of_the_backend(tmp_path: Path, name: str) -> None:
    """A case with them agrees with the backend itself to the last bit, NaN and missing values too."""
    case = tmp_path / "case"
    case.mkdir()
    (tmp_path / "m.py").write_text(METRIC)
    (case / "qrels").write_text("".join(f"{q} 0 a 1\n" for q in ("1", "2", "3", "q\u00e9")))
    (case / "run").write_text("".join(f"{q} Q0 a 1 1 t\n" for q in ("1", "2", "3", "q\u00e9")))
    files = ("case/qrels", "case/run", "-m", "P@1,nDCG@5")
    done = crosscheck(tmp_path, "record", "python:m.py:f", *files, "-o", f"case/{name}")
    assert (done.code, done.out) == (0, "")
    if name.endswith(".json"):
        held = json.loads((case / name).read_text("utf-8"))
        assert held["3"] == {"P@1": "NaN", "nDCG@5": "NaN"}
        assert held["q\u00e9"]["P@1"] == 1 / 3
        assert "2" not in held
    same = ("-b", "python:m.py:f", "--reference", "python:m.py:f", "--tolerance", "0", "-m", "P@1,nDCG@5")
    compared = crosscheck(tmp_path, "case", *same, "--report", "json=-")
    assert compared.code == 0
    found = json.loads(compared.out)["comparisons"]
    assert {c["outcome"] for c in found if c["candidate"].startswith("recorded")} == {"match"}


def test_what_cannot_be_recorded_writes_nothing(tmp_path: Path) -> None:
    """No value ends with 3."""
    (tmp_path / "qrels").write_text("1 0 a 1\n")
    (tmp_path / "run").write_text("1 Q0 a 1 1 t\n")
    (tmp_path / "m.py").write_text("def f(qrels, run):\n    raise ValueError('no')\n")
    done = crosscheck(tmp_path, "record", "python:m.py:f", "qrels", "run", "-m", "P@1")
    assert done.code == 3
    assert "no" in done.err
    assert sorted(path.name for path in tmp_path.glob("*recorded*")) == []
