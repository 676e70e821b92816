"""``crosscheck run`` and ``report``: the same whatever the way to it; more is among the kept sessions."""

import json
import shutil
from xml.etree import ElementTree

import pytest

from tests.cli.command import EXPONENTIAL, FAST, INPUTS, crosscheck, three_cases

ASKED = ("cases", "-m", "nDCG@10,P@5", *FAST)


def test_run_is_the_default_command_and_its_output_does_not_change(tmp_path):
    """With and without ``run``, with one job or four, every byte of every report is the same."""
    three_cases(tmp_path)
    asked = ("cases", "-m", "P@5,nDCG@10", "-m", "map", "-b", EXPONENTIAL, "-b", "native")
    calls = [crosscheck(tmp_path, *call) for call in (("run", *asked, "--jobs", 1), (*asked, "--jobs", 4))]
    assert {(call.code, call.err) for call in calls} == {(1, "")}
    assert len({call.out for call in calls}) == 1
    written = (tmp_path / "reports" / "crosscheck.json").read_bytes()
    assert (tmp_path / "reports" / "crosscheck.md").read_text("utf-8").startswith("#")
    crosscheck(tmp_path, *asked, "--report", "json=again.json", "--jobs", 2)
    assert (tmp_path / "again.json").read_bytes() == written


def test_every_report_goes_where_it_is_sent(tmp_path):
    """Four formats in one call: folders are made, text stays on stdout, nothing else is written; JUnit says
    how long each comparison and all took, if that is asked for."""
    three_cases(tmp_path)
    paths = {"json": "a/b/doc.json", "junit": "suite.xml", "markdown": "page.md"}
    asked = [option for name, path in paths.items() for option in ("--report", f"{name}={path}")]
    done = crosscheck(tmp_path, *ASKED, *asked, "--report", "text", "--timings")
    assert (done.code, "a/b/doc.json" in done.out) == (1, True)
    document = json.loads((tmp_path / "a" / "b" / "doc.json").read_text("utf-8"))
    suite = ElementTree.parse(tmp_path / "suite.xml").getroot()
    times = [float(case.get("time") or 0) for case in suite.iter("testcase")]
    assert len(times) == len(document["comparisons"]) == 6
    assert (min(times) > 0, float(suite.get("time") or 0)) == (True, pytest.approx(sum(times), abs=1e-4))
    assert len(list(suite.iter("failure"))) == document["summary"]["unexpected"] == 1
    assert "surprising" in (tmp_path / "page.md").read_text("utf-8")
    assert not (tmp_path / "reports").exists()


@pytest.mark.parametrize("format", ["text", "markdown", "html", "json"])
def test_a_saved_run_gives_the_same_report(tmp_path, format):
    """Without the inputs, and with exit code 0 unless --fail-on says otherwise; no time is known any more."""
    three_cases(tmp_path)
    first = crosscheck(tmp_path, *ASKED, "--report", f"{format}=-", "--report", "json=saved.json")
    suite = crosscheck(tmp_path, *ASKED, "--report", "junit=-").out
    shutil.rmtree(tmp_path / "cases")
    again = crosscheck(tmp_path, "report", "saved.json", "--report", f"{format}=-")
    # The one says where the rest is, the other how to get it.
    here = {"text": "The full report is in saved.json, or use", "markdown": "Full report: `saved.json`\n\n"}
    there = {"text": "--report json writes all, or use"}
    assert again.out == first.out.replace(here.get(format, "\0"), there.get(format, ""))
    assert (first.code, again.code) == (1, 0)
    assert crosscheck(tmp_path, "report", "saved.json", "--fail-on", "unexpected").code == 1
    # Nor is one given that nobody asked for: the same input gives the same bytes.
    assert crosscheck(tmp_path, "report", "saved.json", "--report", "junit=-").out == suite
    assert 'time="0"' in suite
    crosscheck(tmp_path, "report", "saved.json", "--report", format)
    assert format == "text" or [*(tmp_path / "reports").glob("crosscheck.*")]


def test_parts_of_a_run_make_the_whole(tmp_path):
    """Comparisons made in parts are told and counted as one run; the same comparison twice is refused."""
    three_cases(tmp_path)
    whole = crosscheck(tmp_path, *ASKED, "--report", "json=-").document()
    crosscheck(tmp_path, *ASKED, "--case", "agreeing", "--case", "declared", "--report", "json=a.json")
    crosscheck(tmp_path, *ASKED, "--case", "surprising", "--report", "json=b.json")
    joined = ("report", "a.json", "b.json", "--report", "json=-", "--fail-on", "unexpected")
    merged = crosscheck(tmp_path, *joined)
    assert whole["evidence"]
    assert (merged.code, merged.document()) == (1, whole)
    twice = crosscheck(tmp_path, "report", "a.json", "a.json")
    assert (twice.code, "a comparison is also in 'a.json'" in twice.err) == (2, True)


def test_the_cause_of_a_mismatch_with_pyndeval_is_named(tmp_path):
    """Its ties are ordered by docno ascending; with another order of ties it agrees."""
    pytest.importorskip("pyndeval")
    asked = (INPUTS / "sub", "-m", "alpha_nDCG@2,ERR-IA@2,StRecall@1,P@1", "-b", "ir-measures")
    done = crosscheck(tmp_path, *asked, "--report", "json=-", "--reference", "native")
    found = {c["measure"]: c for c in done.document()["comparisons"]}
    assert [name for name, c in found.items() if c["outcome"] == "match"] == ["P@1"]
    diagnosis = found["alpha_nDCG@2"]["diagnosis"]
    assert (diagnosis["causes"], diagnosis["strength"]) == (["tie-breaking"], "consistent")
    assert diagnosis["conventions"] == {"ties": "docid-asc"}
    # No order is known to be the best or the worst of all.
    assert all(cell.get("ties") is None for cell in found["alpha_nDCG@2"]["cells"])
    assert (
        crosscheck(tmp_path, *asked, "--report", "json=-", "--reference", "native:ties=docid-asc").code == 0
    )
