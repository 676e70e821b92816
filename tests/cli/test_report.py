"""Reports: of saved documents, again and put together; of groups and studies, with their pictures."""

import json
import shutil
from xml.etree import ElementTree

import pytest

from tests.cli.command import EXPONENTIAL, FAST, crosscheck, loose_files, three_cases
from tests.harness.data import write_case

ASKED = ("cases", "-m", "nDCG@10,P@5", *FAST)


@pytest.mark.parametrize("format", ["text", "markdown", "html", "json"])
def test_a_saved_run_gives_the_same_report(tmp_path, format):
    """Without the inputs, and with exit code 0 unless --fail-on says otherwise; no time is known any more."""
    three_cases(tmp_path)
    first = crosscheck(tmp_path, *ASKED, "--report", f"{format}=-", "--report", "json=saved.json")
    shutil.rmtree(tmp_path / "cases")
    again = crosscheck(tmp_path, "report", "saved.json", "--report", f"{format}=-")
    # The one says where the rest is, the other how to get it.
    here = {"text": "The full report is in saved.json, or use", "markdown": "Full report: `saved.json`\n\n"}
    there = {"text": "--report json writes all, or use"}
    assert again.out == first.out.replace(here.get(format, "\0"), there.get(format, ""))
    assert (first.code, again.code) == (1, 0)
    assert crosscheck(tmp_path, "report", "saved.json", "--fail-on", "unexpected").code == 1
    assert 'time="0"' in crosscheck(tmp_path, "report", "saved.json", "--report", "junit=-").out
    crosscheck(tmp_path, "report", "saved.json", "--report", format)
    assert format == "text" or [*(tmp_path / "reports").glob("crosscheck.*")]


def test_parts_of_a_run_make_the_whole(tmp_path):
    """Comparisons made in parts are told and counted as one run; the same comparison twice is refused."""
    three_cases(tmp_path)
    crosscheck(tmp_path, *ASKED, "--report", "json=whole.json")
    for part, names in (("a", ["agreeing", "declared"]), ("b", ["surprising"])):
        only = [argument for name in names for argument in ("--case", name)]
        crosscheck(tmp_path, *ASKED, *only, "--report", f"json={part}.json")
    joined = ("report", "a.json", "b.json", "--report", "json=-", "--fail-on", "unexpected")
    merged = crosscheck(tmp_path, *joined)
    whole = json.loads((tmp_path / "whole.json").read_text("utf-8"))
    assert whole["evidence"]
    assert (merged.code, json.loads(merged.out)) == (1, whole)
    twice = crosscheck(tmp_path, "report", "a.json", "a.json")
    assert (twice.code, "a comparison is also in 'a.json'" in twice.err) == (2, True)


def test_a_saved_study_is_shown_and_is_no_part_of_a_run(tmp_path):
    write_case(tmp_path / "c", {"1": {"a": 1}}, [("1", "a", 1.0)])
    crosscheck(tmp_path, "ties", "c/qrels", "c/run", "-m", "RR", "--report", "json=ties.json")
    assert crosscheck(tmp_path, "report", "ties.json").code == 0
    twice = crosscheck(tmp_path, "report", "ties.json", "ties.json")
    assert (twice.code, "is not a result of crosscheck run" in twice.err) == (2, True)


def test_a_case_folder_may_be_named_as_a_command(tmp_path):
    """Where nothing but folders is named; else the command is meant."""
    for name in ("pool", "ties"):
        write_case(tmp_path / name, {"1": {"a": 1}}, [("1", "a", 1.0)])
    for folders in (["pool"], ["ties", "pool"]):
        done = crosscheck(tmp_path, *folders, "-m", "RR", *FAST, "--report", "json=-")
        assert sorted(c["case"] for c in done.document()["comparisons"]) == sorted(folders)
    assert crosscheck(tmp_path, "ties", "ties/qrels", "ties/run", "-m", "RR").out.startswith("No ")
    assert "Usage: crosscheck pool" in crosscheck(tmp_path, "pool", "--help").out


def test_the_mean_of_each_group_is_in_the_text(tmp_path):
    """That of the reference, and those that differ from it."""
    scored = [("1", "a", 2.0), ("1", "b", 1.0), ("2", "c", 1.0)]
    case = write_case(tmp_path / "c", {"1": {"a": 1, "b": 3}, "2": {"c": 1}}, scored)
    (case / "topics.csv").write_text("query,difficulty\n1,hard\n2,easy\n")
    done = crosscheck(tmp_path, "c", "-m", "nDCG@10", *FAST, "--group-by", "difficulty", "--report", "text")
    lines = [" ".join(line.split()) for line in done.out.splitlines()]
    assert "nDCG@10 easy 1 1.0000" in lines
    assert any(line.startswith(f"nDCG@10 hard 1 0.7967 {EXPONENTIAL} 0.7098 (1 of 1") for line in lines)
    # A published mean has no values of queries, and so nothing to say of a group.
    (case / "case.toml").write_text("[published]\n'nDCG@10' = 0.8984\n")
    asked = ("-b", "native", "--group-by", "difficulty", "--report", "json=-")
    groups = crosscheck(tmp_path, "c", "-m", "nDCG@10", *asked).document()["groups"]
    assert {group["candidate"] for group in groups} <= {"native"}
    assert groups


def test_a_study_writes_its_reports(tmp_path):
    """JSON and Markdown where asked, pictures beside the Markdown and linked by it."""
    pytest.importorskip("scipy.stats", reason="scipy is not installed")
    asked = ("impact", "qrels", *loose_files(tmp_path), "--candidate", EXPONENTIAL, "-m", "nDCG@3")
    done = crosscheck(tmp_path, *asked, "--report", "json", "--report", "markdown=out/page.md")
    assert done.out.endswith("The full report is in reports/impact.json, out/page.md, or use --verbose.\n")
    assert json.loads((tmp_path / "reports" / "impact.json").read_text())["impacts"]
    page = (tmp_path / "out" / "page.md").read_text()
    drawn = sorted(path.name for path in (tmp_path / "out").glob("*.svg"))
    assert drawn == ["page.1-queries.svg", "page.1-ranking.svg"]
    for name in drawn:
        assert f"]({name})" in page
        ElementTree.parse(tmp_path / "out" / name)


def test_a_chart_without_marks_is_no_picture(tmp_path):
    """No answer gives the number, so that there is no chart of how rarely chance gives the answers."""
    run = loose_files(tmp_path)[0]
    done = crosscheck(tmp_path, "why", "qrels", run, "AP=0.9876", "--report", "markdown=page.md")
    assert (done.code, list(tmp_path.glob("*.svg"))) == (0, []), done
    assert "a different run" in (tmp_path / "page.md").read_text()


def test_run_groups_by_a_column(tmp_path):
    """--group-by shows each group, from the table that --topics names; pictures lie beside the Markdown. The
    table alone changes nothing."""
    named = [argument for run in loose_files(tmp_path) for argument in ("--run", run)]
    asked = ("-b", "native:gain=exponential", "--reference", "native", "-m", "nDCG@3")
    groups = ("--topics", "topics.csv", "--group-by", "difficulty", "--report", "markdown=page.md")
    for more, grouped in ((groups, True), ((*groups[:2], "--report", "text"), False)):
        done = crosscheck(tmp_path, "--qrels", "qrels", *named, *asked, *more)
        assert (done.code, "By difficulty" in done.out) == (1, grouped)
        assert "What it means for the systems" in done.out
        assert "'run.best' overtakes 'run.fair'" in " ".join(done.out.split())
    page = (tmp_path / "page.md").read_text()
    drawn = sorted(path.name for path in tmp_path.glob("*.svg"))
    assert {"page.1-dots.svg", "page.impact-1-ranking.svg"} <= set(drawn)
    assert all(f"]({name})" in page for name in drawn)
