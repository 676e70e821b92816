"""``crosscheck evaluate`` as a command."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from crosscheck.engine.runs import evaluate_runs


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    """Qrels and two runs; the id of one query must not break a line."""
    (tmp_path / "qrels").write_text("1 0 a 1\n1 0 b 0\n\x1b[2J 0 c 2\n")
    for i in range(2):
        (tmp_path / f"run{i}").write_text(f"1 Q0 a 1 {i} t\n1 Q0 b 2 0.5 t\n\x1b[2J Q0 c 1 1 t\n")
    return [str(tmp_path / name) for name in ("qrels", "run0", "run1")]


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "crosscheck", "evaluate", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_means_of_all_runs_are_printed(files: list[str]) -> None:
    """Run, measure, `all` and the value with every digit, in the order that was asked for."""
    done = run(*files, "-m", "AP", "-m", "ndcg_cut_5", "--workers", "2")
    assert done.returncode == 0
    expected = [
        f"{result.run}\t{measure}\tall\t{mean!r}"
        for result in evaluate_runs(files[0], files[1:], ["AP", "ndcg_cut_5"])
        for measure, mean in result.means().items()
    ]
    assert done.stdout.splitlines() == expected


def test_values_per_query_come_before_the_mean(files: list[str]) -> None:
    """With ids escaped, so that a query cannot steer the terminal."""
    done = run(*files[:2], "-m", "P@1", "-q")
    queries = [line.split("\t")[2] for line in done.stdout.splitlines()]
    assert queries == ["\\x1b[2J", "1", "all"]
