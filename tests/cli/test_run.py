"""``crosscheck run``: what is compared, where the result goes, and the exit code."""

from __future__ import annotations

import json
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.cli.command import EXPONENTIAL, FAST, crosscheck, three_cases
from tests.harness.data import write_case


def test_run_is_the_default_command_and_its_output_does_not_change(tmp_path: Path) -> None:
    """With and without ``run``, with one job or four, every byte of every report is the same."""
    three_cases(tmp_path)
    asked = ("cases", "-m", "P@5,nDCG@10", "-m", "map", "-b", EXPONENTIAL, "-b", "native")
    calls = [
        crosscheck(tmp_path, "run", *asked, "--jobs", 1),
        crosscheck(tmp_path, *asked, "--jobs", 4),
        crosscheck(tmp_path, *asked),
    ]
    reports = tmp_path / "reports"
    assert {call.code for call in calls} == {1}
    assert {call.err for call in calls} == {""}
    assert len({call.out for call in calls}) == 1
    written = (reports / "crosscheck.json").read_bytes()
    assert (reports / "crosscheck.md").read_text("utf-8").startswith("#")
    crosscheck(tmp_path, *asked, "--report", "json=again.json", "--jobs", 2)
    assert (tmp_path / "again.json").read_bytes() == written


def test_measures_backends_and_reference_are_those_asked_for(tmp_path: Path) -> None:
    """``-m`` repeats and takes a list, ``-b`` repeats; the document on stdout fits its schema."""
    three_cases(tmp_path)
    done = crosscheck(
        tmp_path, "cases", "-m", "P_5,ndcg_cut.10", "-m", "AP(rel=2)", "-b", "native", "-b", EXPONENTIAL,
        "--reference", "native:trec_eval-10", "--report", "json=-",
    )  # fmt: skip
    document = done.document()
    assert done.code == 1
    assert document["complete"] is True
    assert document["reference"] == "native:trec_eval-10"
    assert [b["id"] for b in document["backends"]] == ["native:trec_eval-10", "native", EXPONENTIAL]
    found = {(c["case"], c["measure"], c["candidate"]): c["outcome"] for c in document["comparisons"]}
    assert {key[1] for key in found} == {"P@5", "nDCG@10", "AP(rel=2)"}
    assert len(found) == 3 * 3 * 2
    differing = {key for key, outcome in found.items() if outcome == "mismatch"}
    assert differing == {(case, "nDCG@10", EXPONENTIAL) for case in ("declared", "surprising")}


def test_the_text_report_tells_everything_that_counts(tmp_path: Path) -> None:
    """Who was compared, the cause, the known reason, the lost queries, the verdict, and where to read on."""
    three_cases(tmp_path)
    done = crosscheck(tmp_path, "cases", "-m", "nDCG@10", *FAST, "--verbose")
    text = " ".join(done.out.split())
    for said in (
        EXPONENTIAL,
        "gain",
        "this tool gains 2^level - 1",
        "surprising",
        "reports/crosscheck.json (.html, .md)",
        "crosscheck explain gain",
    ):
        assert said in text, said
    assert re.search(r"without judgements: 7\b", text)


@pytest.mark.parametrize(
    ("only", "fail_on", "code"),
    [
        ("agreeing", "mismatch", 0),
        ("declared", "unexpected", 0),
        ("declared", "mismatch", 1),
        ("surprising", "unexpected", 1),
        ("surprising", "never", 0),
    ],
)
def test_fail_on_decides_what_ends_with_1(tmp_path: Path, only: str, fail_on: str, code: int) -> None:
    """Declared and undeclared mismatches each count where they are asked to; ``--case`` chooses the case."""
    three_cases(tmp_path)
    done = crosscheck(
        tmp_path, "cases", "-m", "nDCG@10", *FAST, "--fail-on", fail_on, "--case", only, "--case", only,
        "--report", "json=-",
    )  # fmt: skip
    assert done.code == code
    assert [c["case"] for c in done.document()["comparisons"]] == [only]


def test_a_stale_expectation_ends_with_1(tmp_path: Path) -> None:
    """The declared mismatch no longer happens, and the text says which entry to delete."""
    three_cases(tmp_path)
    config = tmp_path / "cases" / "declared" / "case.toml"
    config.write_text(config.read_text().replace("nDCG@10", "P@5"))
    done = crosscheck(tmp_path, "cases/declared", "-m", "P@5", *FAST)
    assert done.code == 1
    assert "stale" in done.out.lower()


@pytest.mark.parametrize("how", ["--require", "-b"])
def test_a_required_backend_that_is_absent_ends_with_3(tmp_path: Path, how: str) -> None:
    """Finished comparisons are still reported, and stderr says how to install the missing backend."""
    three_cases(tmp_path)
    done = crosscheck(
        tmp_path, "cases/agreeing", "-b", "native", how, "trec_eval", "--trec-eval-bin", "./nowhere",
        "--report", "json=-",
    )  # fmt: skip
    assert done.code == 3
    assert "github.com/usnistgov/trec_eval" in done.err
    document = done.document()
    assert {c["outcome"] for c in document["comparisons"]} == {"match"}
    assert [b["available"] for b in document["backends"] if b["id"] == "trec_eval"] == [False]


def test_nothing_compared_ends_with_3(tmp_path: Path) -> None:
    """A reference without candidates is no result."""
    three_cases(tmp_path)
    done = crosscheck(tmp_path, "cases/agreeing", "-b", "native", "--reference", "native")
    assert done.code == 3
    assert "nothing was compared" in " ".join(done.out.split())


def test_loose_files_are_compared_without_a_case_folder(tmp_path: Path) -> None:
    """Several runs, of one name even; queries are chosen; a tolerance makes a small difference agree."""
    folder = three_cases(tmp_path) / "surprising"
    other = write_case(tmp_path / "other", {"1": {"a": 1}}, [("1", "b", 2.0), ("1", "a", 1.0)])
    loose = ("--qrels", folder / "qrels", "--run", folder / "run", "--run", other / "run")
    done = crosscheck(tmp_path, *loose, "-m", "nDCG@10", *FAST, "--query", 1, "--report", "json=-")
    document = done.document()
    assert done.code == 1
    assert [(c["case"], c["run"], c["queries"], c["outcome"]) for c in document["comparisons"]] == [
        ("qrels", str(folder / "run"), 1, "mismatch"),
        ("qrels", str(other / "run"), 1, "match"),
    ]
    assert [i["unjudged"] for i in document["inputs"]] == [0, 0]
    (cell,) = document["comparisons"][0]["cells"]
    wide = cell["abs_diff"] * 1.01
    assert crosscheck(tmp_path, *loose, "-m", "nDCG@10", *FAST, "--tolerance", wide).code == 0
    assert crosscheck(tmp_path, *loose, "-m", "nDCG@10", *FAST, "--tolerance", cell["abs_diff"] / 2).code == 1


# Reports


def test_every_report_goes_where_it_is_sent(tmp_path: Path) -> None:
    """Four formats in one call: folders are made, text stays on stdout, nothing else is written."""
    three_cases(tmp_path)
    done = crosscheck(
        tmp_path, "cases", "-m", "nDCG@10", *FAST, "--report", "json=a/b/doc.json",
        "--report", "junit=suite.xml", "--report", "markdown=page.md", "--report", "text",
    )  # fmt: skip
    assert done.code == 1
    document = json.loads((tmp_path / "a" / "b" / "doc.json").read_text("utf-8"))
    suite = ElementTree.parse(tmp_path / "suite.xml").getroot()
    assert len(list(suite.iter("testcase"))) == len(document["comparisons"]) == 3
    assert len(list(suite.iter("failure"))) == document["summary"]["unexpected"] == 1
    assert "surprising" in (tmp_path / "page.md").read_text("utf-8")
    assert "a/b/doc.json" in done.out
    assert not (tmp_path / "reports").exists()


@pytest.mark.parametrize("format", ["json", "junit", "text", "markdown"])
def test_a_report_on_stdout_is_alone_there(tmp_path: Path, format: str) -> None:
    """``FORMAT=-`` prints exactly what ``FORMAT=PATH`` writes, and the text goes nowhere else."""
    three_cases(tmp_path)
    asked = ("cases", "-m", "nDCG@10", *FAST)
    printed = crosscheck(tmp_path, *asked, "--report", f"{format}=-")
    crosscheck(tmp_path, *asked, "--report", f"{format}=file")
    times = re.compile(r'time="[\d.]+"')  # JUnit says how long it took
    assert ".svg" not in printed.out
    if format != "markdown":  # in a file it shows pictures that lie beside it
        assert times.sub("", printed.out) == times.sub("", (tmp_path / "file").read_text("utf-8"))
    assert not (tmp_path / "reports").exists()


def test_default_reports_that_cannot_be_written_are_a_warning(tmp_path: Path) -> None:
    """A file in the way of ``reports/`` costs the reports and nothing else; asked for, it is an error."""
    three_cases(tmp_path)
    (tmp_path / "reports").write_text("in the way")
    asked = ("cases/agreeing", "-m", "nDCG@10", *FAST)
    done = crosscheck(tmp_path, *asked)
    assert done.code == 0
    assert "crosscheck: warning: cannot write the json report to 'reports/crosscheck.json'" in done.err
    assert "agreeing" in done.out or "As expected" in done.out
    asked_for = crosscheck(tmp_path, *asked, "--report", "json=reports/x.json")
    assert asked_for.code == 2
    assert "cannot write the json report to 'reports/x.json'" in asked_for.err


# Accepting


def test_accept_declares_the_surprise_and_touches_nothing_else(tmp_path: Path) -> None:
    """The second run is as expected; comments stay; what was not run, or not stale any more, stays."""
    cases = three_cases(tmp_path)
    known = (cases / "declared" / "case.toml").read_bytes()
    asked = ("cases", "-m", "nDCG@10", *FAST, "--report", "json=-")
    first = crosscheck(tmp_path, *asked, "--accept", "the tool gains 2^level - 1")
    assert first.code == 0
    *change, last = first.err.splitlines()
    assert last == "crosscheck: declared 1 mismatch in case.toml"
    assert change[:2] == ["--- /dev/null", "+++ cases/surprising/case.toml"]
    assert '+reason = "the tool gains 2^level - 1"' in change
    assert (cases / "declared" / "case.toml").read_bytes() == known
    assert not (cases / "agreeing" / "case.toml").exists()
    assert "the tool gains 2^level - 1" in (cases / "surprising" / "case.toml").read_text("utf-8")
    second = crosscheck(tmp_path, *asked)
    assert (second.code, second.out) == (0, first.out)
    partial = crosscheck(tmp_path, *asked[:1], "-m", "P@5", *FAST, "--accept", "x", "--case", "surprising")
    assert partial.code == 0
    assert "declared 0 mismatches" in partial.err
    assert crosscheck(tmp_path, *asked).out == first.out


def test_prune_removes_what_is_stale_and_nothing_else(tmp_path: Path) -> None:
    """Shown as a diff, and then gone; the rest stays byte for byte, and the next run is as expected."""
    scored = [("1", "a", 2.0), ("1", "b", 1.0)]
    case = write_case(tmp_path / "cases" / "c", {"1": {"a": 1, "b": 3}}, scored)

    def entry(measure: str) -> str:
        who = f'candidate = "native:gain=exponential"\nmeasure = "{measure}"\n'
        return f'[[expect]]\n{who}causes = ["gain"]\nreason = "known"\n'

    kept = f"# first\nmeasures = ['P_1', 'nDCG@10']\n\n{entry('ndcg_cut_10')}\n# of the next\n"
    (case / "case.toml").write_text(kept + entry("P_1") + "# last\n")
    asked = ("cases", "--reference", "native", "-b", "native:gain=exponential", "--report", "text=-")
    assert crosscheck(tmp_path, *asked).code == 1
    done = crosscheck(tmp_path, *asked, "--prune")
    assert done.code == 0, done.err
    assert (case / "case.toml").read_text("utf-8") == kept + "# last\n"
    assert done.err.endswith("removed 1 stale expectation from case.toml\n")
    assert '-measure = "P_1"' in done.err.splitlines()
    again = crosscheck(tmp_path, *asked, "--prune")
    assert (again.code, "removed 0 stale expectations" in again.err) == (0, True)
    # An expectation for every run stays while it holds for one of them.
    for name, scores in (("run.same", (1.0, 2.0)), ("run.other", (2.0, 1.0))):
        lines = [f"1 Q0 {docno} 1 {score} t\n" for docno, score in zip("ab", scores, strict=True)]
        (case / name).write_text("".join(lines))
    partly = crosscheck(tmp_path, *asked, "--prune")
    assert (partly.code, "removed 0 stale expectations" in partly.err) == (1, True)
    assert (case / "case.toml").read_text("utf-8") == kept + "# last\n"


def test_prune_removes_a_file_that_holds_nothing_more(tmp_path: Path) -> None:
    """A mismatch is accepted in a new case.toml, then mended; the case is read as before. An empty file,
    which other tools may leave, sets nothing."""
    case = write_case(tmp_path / "cases" / "c", {"1": {"a": 1, "b": 3}}, [("1", "a", 2.0), ("1", "b", 1.0)])
    asked = ("cases", "-m", "nDCG@10", "--report", "text=-")
    assert crosscheck(tmp_path, *asked, "-b", "native:gain=exponential", "--accept", "known").code == 0
    config = case / "case.toml"
    config.write_text(config.read_text("utf-8").replace("native:gain=exponential", "native"))
    done = crosscheck(tmp_path, *asked, "-b", "native", "--prune")
    assert (done.code, config.exists()) == (0, False)
    assert "+++ /dev/null" in done.err.splitlines()
    config.write_text("")
    assert crosscheck(tmp_path, *asked, "-b", "native").code == 0


def test_accept_refuses_what_is_unexplained(tmp_path: Path) -> None:
    """It says how many and what to do, and ends with 1; --accept-unexplained declares them."""
    case = write_case(tmp_path / "cases" / "c", {"1": {"a": 1, "b": 3}}, [("1", "a", 2.0), ("1", "b", 1.0)])
    (case / "recorded.json").write_text('{"1": {"nDCG@10": 0.123, "AP": 0.321}}')
    asked = ("cases", "-m", "nDCG@10,AP", *FAST, "--report", "text=-", "--accept", "why")
    done = crosscheck(tmp_path, *asked)
    assert done.code == 1
    assert "not declared: 2 mismatches without an explanation" in done.err
    assert "--accept-unexplained" in done.err
    assert "declared 1 mismatch in case.toml" in done.err
    assert "unexplained" not in (case / "case.toml").read_text("utf-8")
    done = crosscheck(tmp_path, *asked, "--accept-unexplained")
    assert (done.code, "not declared" in done.err) == (0, False)
    assert (case / "case.toml").read_text("utf-8").count('causes = ["unexplained"]') == 2
