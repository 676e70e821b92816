"""crosscheck ties from the command line, and the interval in the report of a mismatch blamed on ties."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

CASE = Path(__file__).parents[2] / "fixtures" / "s2-tied-scores"


def crosscheck(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "crosscheck", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)


def test_ties_prints_the_interval_of_each_open_query() -> None:
    """Text names the query and its interval; JSON holds the same numbers."""
    files = [str(CASE / "qrels"), str(CASE / "run.txt")]
    done = crosscheck("ties", *files, "-m", "P@10")
    assert done.returncode == 0
    assert "1 of 50" in done.stdout
    assert ["14", "0.2000", "0.2000", "0.4000", "0.2800"] in [
        line.split() for line in done.stdout.splitlines()
    ]
    done = crosscheck("ties", *files, "-m", "P@10", "--report", "json=-")
    (measure,) = json.loads(done.stdout)["measures"]
    assert [(q["query"], q["worst"], q["best"]) for q in measure["tied"]] == [("14", 0.2, 0.4)]


def test_a_mismatch_blamed_on_ties_carries_its_interval(tmp_path: Path) -> None:
    """Cells labelled tie-breaking hold worst, best and expected value; the text says them."""
    report = tmp_path / "out.json"
    done = crosscheck(str(CASE), "-b", "native:ties=docid-asc", "-m", "P@10", "--report", f"json={report}")
    assert done.returncode == 1
    found = json.loads(report.read_text("utf-8"))["comparisons"]
    (cell,) = next(c for c in found if c["candidate"] == "native:ties=docid-asc")["cells"]
    assert cell["causes"] == ["tie-breaking"]
    assert cell["ties"] == pytest.approx({"worst": 0.2, "best": 0.4, "expected": 0.28})
    assert "any order of the tied documents gives 0.2000 to 0.4000, 0.2800 on average" in " ".join(
        done.stdout.split()
    )


def test_an_unknown_convention_is_a_usage_error() -> None:
    """Exit code 2 and one sentence."""
    done = crosscheck("ties", str(CASE / "qrels"), str(CASE / "run.txt"), "--conventions", "nonsense")
    assert done.returncode == 2
    assert "there is no profile" in done.stderr
