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


def test_a_chart_without_marks_is_no_picture(tmp_path, runs):
    """No answer gives the number, so that there is no chart of how rarely chance gives the answers."""
    done = crosscheck(tmp_path, "why", "qrels", runs[0], "AP=0.9876", "--report", "markdown=page.md")
    assert (done.code, list(tmp_path.glob("*.svg"))) == (0, []), done
    assert "a different run" in (tmp_path / "page.md").read_text()


def test_a_study_ends_with_its_code_and_prints_its_page(tmp_path, runs):
    """A pool is qrels itself; nothing in common is inconclusive; JSON to stdout is nothing but JSON."""
    for given, code, said in (
        (("compare", "qrels", *runs, "-m", "RR"), 0, "--report json writes all"),
        (("agreement", "qrels", "other"), 0, "Both assessors judged 3 documents"),
        (("pool", *runs, "--depth", "2", "--qrels", "qrels", "-o", "pool"), 0, "The pool is in pool."),
        (("agreement", "qrels", "pool"), 0, "Both assessors judged"),
        (("agreement", "qrels", "alone"), 3, "Nothing was compared"),
        (("gate", "qrels", runs[0], runs[0], "-m", "RR"), 0, "✓ PASS. RR: no value differs."),
        (("gate", "qrels", *runs, "-m", "RR", "--alpha", "0.2"), 1, "✗ FAIL. RR: falls from"),
        (("gate", "qrels", *runs, "-m", "RR"), 0, "✓ PASS. RR: falls from"),
        (("gate", "qrels", runs[0], "never"), 3, "the new run has no results for 6 of 6 judged queries"),
        (("ties", "qrels", runs[0], "-m", "RR"), 0, "No value depends on the order of documents"),
        (("ties", "elsewhere", runs[0], "-m", "RR"), 3, "the run has results for none of the judged queries"),
        (("gate", "qrels", runs[0], "absent"), 2, "absent: there is no such file"),
    ):
        done = crosscheck(tmp_path, *given)
        assert (done.code, said in " ".join(f"{done.out} {done.err}".split())) == (code, True), done
        assert max(map(len, done.out.splitlines()), default=0) <= 80
    machine = crosscheck(tmp_path, "compare", "qrels", *runs, "-m", "RR", "--report", "json=-")
    assert json.loads(machine.out)["measures"][0]["measure"] == "RR"


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
