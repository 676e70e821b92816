"""``crosscheck run``: what is compared, where the result goes, and the exit code."""

import json
from xml.etree import ElementTree

import pytest

from tests.cli.command import EXPONENTIAL, FAST, crosscheck, three_cases
from tests.harness.data import write_case

NDCG = ("-m", "nDCG@10", *FAST)
GRADED = {"1": {"a": 1, "b": 3}}
SCORED = [("1", "a", 2.0), ("1", "b", 1.0)]


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


def test_measures_backends_and_reference_are_those_asked_for(tmp_path):
    """``-m`` repeats and takes a list, ``-b`` repeats; the document on stdout fits its schema."""
    three_cases(tmp_path)
    asked = ("-m", "P_5,ndcg_cut.10", "-m", "AP(rel=2)", "-b", "native", "-b", EXPONENTIAL)
    done = crosscheck(tmp_path, "cases", *asked, "--reference", "native:trec_eval-10", "--report", "json=-")
    document = done.document()
    assert (done.code, document["complete"], document["reference"]) == (1, True, "native:trec_eval-10")
    assert [b["id"] for b in document["backends"]] == ["native:trec_eval-10", "native", EXPONENTIAL]
    found = {(c["case"], c["measure"], c["candidate"]): c["outcome"] for c in document["comparisons"]}
    assert {key[1] for key in found} == {"P@5", "nDCG@10", "AP(rel=2)"}
    assert len(found) == 3 * 3 * 2
    differing = {key for key, outcome in found.items() if outcome == "mismatch"}
    assert differing == {(case, "nDCG@10", EXPONENTIAL) for case in ("declared", "surprising")}


def test_loose_files_are_compared_without_a_case_folder(tmp_path):
    """Several runs, of one name even; queries are chosen; a tolerance makes a small difference agree.
    Positional files are the same; swapped, the message says so."""
    folder = three_cases(tmp_path) / "surprising"
    other = write_case(tmp_path / "other", {"1": {"a": 1}}, [("1", "b", 2.0), ("1", "a", 1.0)])
    loose = ("--qrels", folder / "qrels", "--run", folder / "run", "--run", other / "run")
    done = crosscheck(tmp_path, *loose, *NDCG, "--query", 1, "--report", "json=-")
    document = done.document()
    assert done.code == 1
    assert [(c["case"], c["run"], c["queries"], c["outcome"]) for c in document["comparisons"]] == [
        ("qrels", str(folder / "run"), 1, "mismatch"),
        ("qrels", str(other / "run"), 1, "match"),
    ]
    assert [i["unjudged"] for i in document["inputs"]] == [0, 0]
    (cell,) = document["comparisons"][0]["cells"]
    for tolerance, code in ((cell["abs_diff"] * 1.01, 0), (cell["abs_diff"] / 2, 1)):
        assert crosscheck(tmp_path, *loose, *NDCG, "--tolerance", tolerance).code == code
    files = (folder / "qrels", folder / "run", other / "run")
    assert crosscheck(tmp_path, *files, *NDCG, "--query", 1, "--report", "json=-").out == done.out
    swapped = crosscheck(tmp_path, *reversed(files), *NDCG)
    assert (swapped.code, "were qrels and run swapped?" in swapped.err) == (2, True)


# Reports


def test_every_report_goes_where_it_is_sent(tmp_path):
    """Four formats in one call: folders are made, text stays on stdout, nothing else is written; JUnit says
    how long each comparison and all took."""
    three_cases(tmp_path)
    paths = {"json": "a/b/doc.json", "junit": "suite.xml", "markdown": "page.md"}
    asked = [option for name, path in paths.items() for option in ("--report", f"{name}={path}")]
    done = crosscheck(tmp_path, "cases", *NDCG, *asked, "--report", "text")
    assert (done.code, "a/b/doc.json" in done.out) == (1, True)
    document = json.loads((tmp_path / "a" / "b" / "doc.json").read_text("utf-8"))
    suite = ElementTree.parse(tmp_path / "suite.xml").getroot()
    times = [float(case.get("time") or 0) for case in suite.iter("testcase")]
    assert len(times) == len(document["comparisons"]) == 3
    assert (min(times) > 0, float(suite.get("time") or 0)) == (True, pytest.approx(sum(times), abs=1e-4))
    assert len(list(suite.iter("failure"))) == document["summary"]["unexpected"] == 1
    assert "surprising" in (tmp_path / "page.md").read_text("utf-8")
    assert not (tmp_path / "reports").exists()


def test_default_reports_that_cannot_be_written_are_a_warning(tmp_path):
    """A file in the way of ``reports/`` costs the reports and nothing else; asked for, it is an error."""
    three_cases(tmp_path)
    (tmp_path / "reports").write_text("in the way")
    done = crosscheck(tmp_path, "cases/agreeing", *NDCG)
    warned = "crosscheck: warning: cannot write the json report to 'reports/crosscheck.json'" in done.err
    assert (done.code, warned, "As expected" in done.out) == (0, True, True)
    asked_for = crosscheck(tmp_path, "cases/agreeing", *NDCG, "--report", "json=reports/x.json")
    assert (asked_for.code, "cannot write the json report to 'reports/x.json'" in asked_for.err) == (2, True)


# Accepting


def test_accept_declares_the_surprise_and_touches_nothing_else(tmp_path):
    """The second run is as expected; comments stay; what was not run, or not stale any more, stays."""
    cases = three_cases(tmp_path)
    known = (cases / "declared" / "case.toml").read_bytes()
    asked = ("cases", *NDCG, "--report", "json=-")
    first = crosscheck(tmp_path, *asked, "--accept", "the tool gains 2^level - 1")
    *change, last = first.err.splitlines()
    assert (first.code, last) == (0, "crosscheck: declared 1 mismatch in case.toml")
    assert change[:2] == ["--- /dev/null", "+++ cases/surprising/case.toml"]
    assert '+reason = "the tool gains 2^level - 1"' in change
    assert (cases / "declared" / "case.toml").read_bytes() == known
    assert not (cases / "agreeing" / "case.toml").exists()
    assert "the tool gains 2^level - 1" in (cases / "surprising" / "case.toml").read_text("utf-8")
    second = crosscheck(tmp_path, *asked)
    assert (second.code, second.out) == (0, first.out)
    partial = crosscheck(tmp_path, "cases", "-m", "P@5", *FAST, "--accept", "x", "--case", "surprising")
    assert (partial.code, "declared 0 mismatches" in partial.err) == (0, True)
    assert crosscheck(tmp_path, *asked).out == first.out


def test_prune_removes_what_is_stale_and_nothing_else(tmp_path):
    """Shown as a diff, and then gone; the rest stays byte for byte, and the next run is as expected."""
    case = write_case(tmp_path / "cases" / "c", GRADED, SCORED)

    def entry(measure: str) -> str:
        who = f'candidate = "native:gain=exponential"\nmeasure = "{measure}"\n'
        return f'[[expect]]\n{who}causes = ["gain"]\nreason = "known"\n'

    kept = f"# first\nmeasures = ['P_1', 'nDCG@10']\n\n{entry('ndcg_cut_10')}\n# of the next\n"
    (case / "case.toml").write_text(kept + entry("P_1") + "# last\n")
    asked = ("cases", "--reference", "native", "-b", "native:gain=exponential", "--report", "text=-")
    assert crosscheck(tmp_path, *asked).code == 1
    done = crosscheck(tmp_path, *asked, "--prune")
    assert done.code == 0, done.err
    assert done.err.endswith("removed 1 stale expectation from case.toml\n")
    assert '-measure = "P_1"' in done.err.splitlines()
    # An expectation for every run stays while it holds for one of them.
    for code, runs in ((0, {}), (1, {"run.same": (1.0, 2.0), "run.other": (2.0, 1.0)})):
        for name, scores in runs.items():
            lines = [f"1 Q0 {docno} 1 {score} t\n" for docno, score in zip("ab", scores, strict=True)]
            (case / name).write_text("".join(lines))
        again = crosscheck(tmp_path, *asked, "--prune")
        assert (again.code, "removed 0 stale expectations" in again.err) == (code, True)
        assert (case / "case.toml").read_text("utf-8") == kept + "# last\n"


def test_prune_removes_a_file_that_holds_nothing_more(tmp_path):
    """A mismatch is accepted in a new case.toml, then mended; the case is read as before. An empty file,
    which other tools may leave, sets nothing."""
    config = write_case(tmp_path / "cases" / "c", GRADED, SCORED) / "case.toml"
    asked = ("cases", "-m", "nDCG@10", "--report", "text=-")
    assert crosscheck(tmp_path, *asked, "-b", "native:gain=exponential", "--accept", "known").code == 0
    config.write_text(config.read_text("utf-8").replace("native:gain=exponential", "native"))
    done = crosscheck(tmp_path, *asked, "-b", "native", "--prune")
    assert (done.code, config.exists(), "+++ /dev/null" in done.err.splitlines()) == (0, False, True)
    config.write_text("")
    assert crosscheck(tmp_path, *asked, "-b", "native").code == 0


def test_accept_refuses_what_is_unexplained(tmp_path):
    """It says how many and what to do, and ends with 1; --accept-unexplained declares them."""
    case = write_case(tmp_path / "cases" / "c", GRADED, SCORED)
    (case / "recorded.json").write_text('{"1": {"nDCG@10": 0.123, "AP": 0.321}}')
    asked = ("cases", "-m", "nDCG@10,AP", *FAST, "--report", "text=-", "--accept", "why")
    done = crosscheck(tmp_path, *asked)
    assert done.code == 1
    for said in ("not declared: 2 mismatches without an", "--accept-unexplained", "declared 1 mismatch in"):
        assert said in done.err
    assert "unexplained" not in (case / "case.toml").read_text("utf-8")
    done = crosscheck(tmp_path, *asked, "--accept-unexplained")
    assert (done.code, "not declared" in done.err) == (0, False)
    assert (case / "case.toml").read_text("utf-8").count('causes = ["unexplained"]') == 2


def test_an_expectation_about_no_comparison_is_said(tmp_path):
    """A candidate that is misspelt, with the one that may be meant; and a measure that is not compared."""
    case = write_case(tmp_path / "c", GRADED, SCORED)
    for candidate, measure, more in (("natve", "AP", "; did you mean native?"), ("native", "P@7", "")):
        who = f'candidate = "{candidate}"\nmeasure = "{measure}"\ncauses = ["gain"]\nreason = "known"\n'
        (case / "case.toml").write_text(f"measures = ['AP']\n[[expect]]\n{who}")
        done = crosscheck(tmp_path, "c", "-b", "native")
        said = f"an [[expect]] is about no comparison: candidate '{candidate}', measure '{measure}'{more}\n"
        assert (done.code, done.err) == (0, f"crosscheck: c: {said}")
