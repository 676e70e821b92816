"""compare, impact, agreement, pool and --group-by from the command line: exit codes, streams and files."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.harness.test_groups_and_impacts import TOPICS, written
from tests.studies.examples import Qrels, Runs, gain_flips_two_systems, ties_make_significance_vanish

pytest.importorskip("scipy.stats", reason="scipy is not installed")

ROOT = Path(__file__).parents[2]


def crosscheck(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """The command line in a folder; nothing ever ends in a traceback or a warning."""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-m", "crosscheck", *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "80"},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert "Traceback" not in done.stderr
    assert "Warning" not in done.stderr
    if not done.stdout.startswith("{"):
        assert max(map(len, done.stdout.splitlines()), default=0) <= 80
    return done


def prepared(folder: Path, example: tuple[Qrels, Runs], topics: str | None = None) -> list[str]:
    """File names of the runs of an example, beside its qrels."""
    return [Path(run).name for run in written(folder, *example, topics).runs]


def test_impact_tells_the_flip_and_writes_its_reports(tmp_path: Path) -> None:
    """Text on stdout, JSON and Markdown where asked, pictures beside the Markdown and linked by it."""
    runs = prepared(tmp_path, gain_flips_two_systems())
    done = crosscheck(
        tmp_path, "impact", "qrels", *runs, "--candidate", "native:gain=exponential", "-m", "nDCG@3",
        "--report", "json", "--report", "markdown=out/page.md",
    )  # fmt: skip
    assert done.returncode == 0
    assert "'run.best' overtakes 'run.fair'" in " ".join(done.stdout.split())
    assert done.stdout.rstrip().endswith(
        "The full report is in reports/impact.json, out/page.md, or use --verbose."
    )
    document = json.loads((tmp_path / "reports" / "impact.json").read_text())
    assert document["impacts"][0]["affected"] is True
    page = (tmp_path / "out" / "page.md").read_text()
    drawn = sorted(path.name for path in (tmp_path / "out").glob("*.svg"))
    assert drawn == ["page.1-queries.svg", "page.1-ranking.svg"]
    for name in drawn:
        assert f"]({name})" in page
        ElementTree.parse(tmp_path / "out" / name)


def test_impact_tells_the_vanished_significance(tmp_path: Path) -> None:
    """The other designed example: the difference is significant no longer."""
    runs = prepared(tmp_path, ties_make_significance_vanish())
    done = crosscheck(tmp_path, "impact", "qrels", *runs, "--candidate", "native:ties=docid-asc", "-m", "RR")
    assert done.returncode == 0
    assert "Significant differences change: 1 vanished" in " ".join(done.stdout.split())


def test_compare_prints_a_table_with_letters(tmp_path: Path) -> None:
    """The better run carries the letter of the other; JSON to stdout is nothing but JSON."""
    runs = prepared(tmp_path, ties_make_significance_vanish())
    done = crosscheck(tmp_path, "compare", "qrels", *runs, "-m", "RR")
    assert done.returncode == 0
    assert "b  run.tied   1.0000 a" in done.stdout
    assert "--report json writes all" in done.stdout
    machine = crosscheck(tmp_path, "compare", "qrels", *runs, "-m", "RR", "--report", "json=-")
    (measure,) = json.loads(machine.stdout)["measures"]
    assert measure["systems"][1]["better_than"] == ["run.plain"]


def test_agreement_and_pool_print_what_they_found(tmp_path: Path) -> None:
    """Two assessors, and a pool that is written and is qrels itself."""
    runs = prepared(tmp_path, gain_flips_two_systems())
    (tmp_path / "other").write_text("1 0 high 3\n1 0 low1 0\n2 0 high 2\n9 0 x 1\n")
    agreed = crosscheck(tmp_path, "agreement", "qrels", "other")
    assert agreed.returncode == 0
    assert "3 documents that both assessors judged" in " ".join(agreed.stdout.split())
    pooled = crosscheck(tmp_path, "pool", *runs, "--depth", "2", "--qrels", "qrels", "-o", "pool")
    assert pooled.returncode == 0
    assert "The pool is in pool." in pooled.stdout
    assert crosscheck(tmp_path, "agreement", "qrels", "pool").returncode == 0


def test_run_groups_by_a_column(tmp_path: Path) -> None:
    """--group-by shows each group, from the table that --topics names; pictures lie beside the Markdown."""
    runs = prepared(tmp_path, gain_flips_two_systems(), TOPICS)
    named = [argument for run in runs for argument in ("--run", run)]
    done = crosscheck(
        tmp_path, "--qrels", "qrels", *named, "--topics", "topics.csv", "--group-by", "difficulty",
        "-b", "native:gain=exponential", "--reference", "native", "-m", "nDCG@3",
        "--report", "markdown=page.md",
    )  # fmt: skip
    assert done.returncode == 1
    assert "By difficulty" in done.stdout
    assert "What it means for the systems" in done.stdout
    page = (tmp_path / "page.md").read_text()
    drawn = sorted(path.name for path in tmp_path.glob("*.svg"))
    assert {"page.1-dots.svg", "page.impact-1-ranking.svg"} <= set(drawn)
    assert all(f"]({name})" in page for name in drawn)


def test_nothing_in_common_is_inconclusive(tmp_path: Path) -> None:
    """Two assessors without a common document: exit code 3."""
    (tmp_path / "a").write_text("1 0 d 1\n")
    (tmp_path / "b").write_text("1 0 e 1\n")
    done = crosscheck(tmp_path, "agreement", "a", "b")
    assert done.returncode == 3
    assert "Nothing was compared" in done.stdout
