"""Studies and groups from the command line: exit codes, streams and files."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.cli.command import crosscheck, loose_files

pytest.importorskip("scipy.stats", reason="scipy is not installed")


@pytest.fixture
def runs(tmp_path: Path) -> list[str]:
    """File names of the runs of an example, beside its qrels and those of another assessor."""
    (tmp_path / "other").write_text("1 0 high 3\n1 0 low1 0\n2 0 high 2\n9 0 x 1\n")
    (tmp_path / "alone").write_text("1 0 nowhere 1\n")
    (tmp_path / "elsewhere").write_text("x 0 a 1\n")
    (tmp_path / "never").write_text("")
    return loose_files(tmp_path)


def test_impact_tells_the_flip_and_writes_its_reports(tmp_path, runs):
    """Text on stdout, JSON and Markdown where asked, pictures beside the Markdown and linked by it."""
    asked = ("--candidate", "native:gain=exponential", "-m", "nDCG@3")
    reports = ("--report", "json", "--report", "markdown=out/page.md")
    done = crosscheck(tmp_path, "impact", "qrels", *runs, *asked, *reports)
    assert (done.code, "'run.best' overtakes 'run.fair'" in " ".join(done.out.split())) == (0, True)
    assert done.out.endswith("The full report is in reports/impact.json, out/page.md, or use --verbose.\n")
    document = json.loads((tmp_path / "reports" / "impact.json").read_text())
    assert document["impacts"][0]["affected"] is True
    page = (tmp_path / "out" / "page.md").read_text()
    drawn = sorted(path.name for path in (tmp_path / "out").glob("*.svg"))
    assert drawn == ["page.1-queries.svg", "page.1-ranking.svg"]
    for name in drawn:
        assert f"]({name})" in page
        ElementTree.parse(tmp_path / "out" / name)


def test_run_groups_by_a_column(tmp_path, runs):
    """--group-by shows each group, from the table that --topics names; pictures lie beside the Markdown."""
    named = [argument for run in runs for argument in ("--run", run)]
    asked = ("-b", "native:gain=exponential", "--reference", "native", "-m", "nDCG@3")
    groups = ("--topics", "topics.csv", "--group-by", "difficulty", "--report", "markdown=page.md")
    done = crosscheck(tmp_path, "--qrels", "qrels", *named, *asked, *groups)
    assert done.code == 1
    assert "By difficulty" in done.out
    assert "What it means for the systems" in done.out
    page = (tmp_path / "page.md").read_text()
    drawn = sorted(path.name for path in tmp_path.glob("*.svg"))
    assert {"page.1-dots.svg", "page.impact-1-ranking.svg"} <= set(drawn)
    assert all(f"]({name})" in page for name in drawn)
