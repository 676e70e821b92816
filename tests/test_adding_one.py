"""A new measure or backend is one file: nothing else has to know of it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import crosscheck

MEASURE = '''
"""Rank of the first relevant document."""

import numpy as np

from crosscheck.measures.base import Family, relevant


def first_rank(judged, conventions, measure):
    """1-based rank, 0.0 where nothing relevant was retrieved."""
    topic, rank = relevant(judged, conventions.relevance_level, measure.cutoff)
    result = np.zeros(judged.num_topics)
    result[topic[::-1]] = rank[::-1]
    return result


FAMILIES = (Family("FirstRank", first_rank, "rank of the first relevant document", cutoff="optional"),)
'''
BACKEND = '''
"""Everything is one half."""

from crosscheck.backends.base import Description, Kind
from crosscheck.model import MeasureValues


class Half:
    id = "half"
    isolated = False
    conventions = None

    def describe(self):
        return Description("half", "1", "one half", available=True)

    def supports(self, measure):
        return True

    def evaluate(self, qrels, run, measures):
        return {m: MeasureValues(dict.fromkeys(run.topics, 0.5), None, "one half") for m in measures}


KIND = Kind("half", lambda argument, options: Half(), "half", "one half, whatever is asked")
'''


def test_one_file_adds_a_measure_and_one_a_backend(tmp_path: Path) -> None:
    """In a copy of the package, two new files are found by names, harness and command line."""
    package = tmp_path / "crosscheck"
    shutil.copytree(Path(crosscheck.__file__).parent, package, ignore=shutil.ignore_patterns("__pycache__"))
    (package / "measures" / "first_rank.py").write_text(MEASURE, "utf-8")
    (package / "backends" / "half.py").write_text(BACKEND, "utf-8")
    case = tmp_path / "case"
    case.mkdir()
    (case / "qrels").write_text("1 0 a 1\n", "utf-8")
    (case / "run.txt").write_text("1 Q0 b 1 2.0 tag\n1 Q0 a 2 1.0 tag\n", "utf-8")
    done = subprocess.run(
        [
            *(sys.executable, "-m", "crosscheck", "case", "-m", "FirstRank,RR", "-b", "half"),
            *("--reference", "native", "--report", "text", "--quiet"),
        ],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1, done.stderr
    assert "FirstRank" in done.stdout
    row = next(line for line in done.stdout.splitlines() if line.split()[:1] == ["FirstRank"])
    assert row.split()[1:3] == ["2.0000", "0.5000"]
    # RR of rank 2 is one half: the new backend agrees there.
    assert "1 of 2 comparisons agree" in " ".join(done.stdout.split())
