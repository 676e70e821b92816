"""Wrong names and unusable files: exit code 2, a sentence with a way out, and never a traceback."""

from __future__ import annotations

import pytest

from tests.cli.command import EXPONENTIAL, crosscheck, loose_files, three_cases
from tests.harness.data import write_case

LOOSE = ("--qrels", "qrels", "--run", "run", "-b", "native", "-m", "P@5", "--report", "text")
QRELS, RUN = b"1 0 a 1\n1 0 b 0\n2 0 c 2\n", b"1 Q0 a 1 2.0 t\n2 Q0 d 1 1.0 t\n2 Q0 c 2 0.5 t\n"


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (("cases", "-b", "natvie"), "no backend 'natvie'; did you mean native?"),
        (("cases", "--reference", "pytrec-eval"), "did you mean pytrec_eval?"),
        (("cases", "--require", "ir_measures"), "did you mean ir-measures?"),
        (("cases", "-m", "P@5,ndgc@10"), "unknown measure 'ndgc@10'; did you mean nDCG@10?"),
        (("cases", "-m", "P"), "needs a cutoff"),
        (("cases", "-m", "nDCG@0"), "must be at least 1"),
        (("cases", "-b", "native:gian=linear"), "gain"),
        (("cases", "-b", "native:gain=log"), "use one of: linear, exponential, binary"),
        (("cases", "-b", "native:trec_eval-11"), "did you mean trec_eval-10"),
        (("cases", "-b", "python:file.py"), "python:path/to/file.py:function"),
        (("cases", "--case", "surprisin"), "did you mean 'surprising'?"),
        (("cases", "--tolerance", "nan"), "not a finite number"),
        (("cases", "--tolerance", "-1"), "--tolerance"),
        (("cases", "--timeout", "0"), "--timeout"),
        (("cases", "--jobs", "0"), "--jobs"),
        (("cases", "--fail-on", "always"), "'unexpected', 'mismatch', 'never'"),
        (("cases", "--no-such-flag"), "--no-such-flag"),
        ((), "Usage"),
        (("run",), "nothing to compare"),
        (("--qrels", "q"), "only one of --qrels and --run was given"),
        (("--run", "r"), "only one of --qrels and --run was given"),
        (("cases", "--qrels", "q", "--run", "r"), "cannot be given together"),
        (("explain", "gian"), "did you mean gain?"),
        (("explain", "hits@10"), "no label or measure 'hits@10'; did you mean Success@10?"),
        (("explain", "sklearn"), "'sklearn' is a profile\n  call crosscheck profiles sklearn"),
        (("describe", "nDCG@10"), "call crosscheck describe -m nDCG@10"),
        (("evalute", "qrels", "run.fair"), "no command or folder 'evalute'; did you mean evaluate?"),
        (("cases", "-m", ""), "no measure was named"),
        (("evaluate", "qrels", "run.fair", "-m", " ,"), "no measure was named"),
        (("gate", "qrels", "run.fair", "run.best", "-m", ""), "no measure was named"),
        (("evaluate", "qrels", "run.fair", "-m", "P@5,10"), "write each measure in full: P@5,P@10"),
        (("why", "qrels", "run.fair", "AP", "=", "0.3"), 'write it without blanks: "AP=0.3482"'),
        (("convert", "run.fair", "absent/x.json"), "crosscheck: error: absent: there is no such folder"),
        (("profiles", "trec_eval-9"), "did you mean trec_eval-"),
        (("profiles", "a", "b", "c"), "at most two names"),
        (("backends", "natvie"), "did you mean native?"),
        (("diff", "a"), "Usage"),
        (("nowhere", "--report", "jsno"), "did you mean json?"),  # before anything is read
        (("nowhere", "--report", "json="), "the path is empty"),
        (("nowhere", "--report", "json=-", "--report", "text"), "cannot both go to stdout"),
        (("nowhere", "--report", "json=x", "--report", "markdown=x"), "cannot both go to 'x'"),
        (("cases", "--accept-unexplained"), "--accept-unexplained is only allowed with --accept"),
        (("cases", "--accept", " "), "--accept needs"),
        (("cases", "--accept", "why", "--query", "1"), "--accept needs"),
        (("--qrels", "qrels", "--run", "run.fair", "--accept", "why"), "--accept needs"),
        (("cases", "--prune", "--query", "1"), "--prune needs"),
        (("--topics", "t.csv", "--group-by", "x", "cases"), "--topics is only allowed with --qrels"),
        (("cases", "--group-by", "x"), "queries cannot be grouped by 'x'"),
        (("evaluate", "qrels", "run.fair", "-m", "nope"), "unknown measure"),
        (("evaluate", "qrels", "run.fair", "--executor", "cloud"), "no executor"),
        (("evaluate", "qrels", "run.fair", "--conventions", "nope"), "there is no profile"),
        (("evaluate", "qrels", "nowhere"), "no such file"),
        (("ties", "qrels", "run.fair", "--conventions", "nope"), "there is no profile"),
        (("impact", "qrels", "run.fair", "--candidate", "native:gain=binary"), "at least 2 runs, not 1"),
        (("impact", "qrels", "run.fair", "run.best"), "Missing option '--candidate'"),
        (("impact", "qrels", "run.fair", "run.bset", "--candidate", "native:gain=binary"), "did you mean"),
        (("compare", "qrels", "run.fair", "run.fair"), "was given twice"),
        (("compare", "qrels", "run.fair", "run.best", "--report", "pdf"), "no report format 'pdf'"),
        (("compare", "qrels", "run.fair", "run.best", "--alpha", "2"), "between 0 and 1"),
        (("agreement", "qrels", "qrels"), "two assessors"),
        (("pool", "run.fair", "--depth", "0"), "--depth"),
        (("pool", "run.fair", "--depth", "1", "-o", "run.fair"), "would overwrite"),
        (("record", "natve", "qrels", "run.fair"), "did you mean native?"),
        (("record", "native", "qrels", "run.fair", "-o", "absent/recorded.json"), "absent"),
        (("audit", "native"), "the name of the measure that the metric should compute is missing"),
        (("audit", "native", "--properties", "--save-fixture", "x"), "finds no counterexamples"),
        (("schema", "impcat"), "there is no study 'impcat'"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else None,
)
def test_a_name_that_does_not_exist_ends_with_2(tmp_path, given, said):
    """Nothing on stdout, nothing written; stderr says what is wrong and what would be right."""
    three_cases(tmp_path)
    loose_files(tmp_path)
    before = sorted(tmp_path.rglob("*"))
    done = crosscheck(tmp_path, *given)
    assert (done.code, done.out) == (2, "")
    assert said in done.err
    assert sorted(tmp_path.rglob("*")) == before


#: Files (a folder if None), other arguments than ``LOOSE``, and words of the message.
UNUSABLE: list[tuple[dict[str, bytes | None], tuple[str, ...], list[str]]] = [
    ({"run": RUN}, LOOSE, ["qrels: there is no such file"]),
    ({"qrels": RUN, "run": QRELS}, LOOSE, ["qrels:1:", "were qrels and run swapped?"]),
    (
        {"qrels": QRELS, "run": RUN + b"1 Q0 x 3 nan t\n"},
        LOOSE,
        ["run:4: the score is NaN", "'1 Q0 x 3 nan t'"],
    ),
    (
        {"qrels": QRELS, "run": b"q1 Q0 a 1 2.0 t\n"},
        LOOSE,
        ["run has results for none of the judged queries"],
    ),
    ({"qrels": QRELS, "run": RUN + b"1 Q0 \x1b[31m\xff 3\n"}, LOOSE, ["run:4:", "\\x1b[31m\\xff"]),
    (
        {"qrels": QRELS, "run": b"1,a,1,3.5\n"},
        ("evaluate", "qrels", "run"),
        ["run:1: the run line has 1 column", "name the columns: --format run=qid,docid,_,score, or name"],
    ),
    *(
        ({"q.json": b'{"1": {"a": 1}}'}, given, ["q.json: the run is the qrels themselves"])
        for given in (
            ("evaluate", "q.json", "./q.json"),
            ("evaluate", "q.json", "q.json", "--workers", "2"),
            ("why", "q.json", "q.json", "AP=1"),
            ("--qrels", "q.json", "--run", "q.json", "-b", "native:gain=binary"),
        )
    ),
    ({}, ("nowhere",), ["nowhere: there is no such file or folder"]),
    ({"run": RUN}, ("nowhere", "run"), ["nowhere: there is no such file\n"]),
    (
        {"a": b"P_5 1 0.2\n", "b": b"P_5 1 0.4\n"},
        ("diff", "a", "b"),
        ["'a' and 'b' hold values of queries", "crosscheck diff a b --qrels QRELS --run RUN"],
    ),
    ({"a": b"P_5 1 0.2\n"}, ("diff", "a", "nowhere"), ["nowhere: there is no such file"]),
    *(
        (
            {"qrels": QRELS, "run": RUN, "a": saved, "b": saved},
            given,
            [f"'{name}' holds values of measures", f"crosscheck diff {name} B --qrels"],
        )
        for saved, given, name in (
            (b"map                   \t1\t0.5000\n", ("a", "b"), "a"),
            (b"map                   \t1\t0.5000\n", ("evaluate", "qrels", "b"), "b"),
            (b'{"1": {"nDCG@10": 0.5}}', ("evaluate", "qrels", "b"), "b"),
            (b'{"1": {"nDCG@10": 0.5}}', ("ties", "a", "run"), "a"),
        )
    ),
    *(
        (
            {"qrels": QRELS, "run": RUN, "a": saved, "b": b"P_5 1 0.2\n"},
            given,
            ["a: the file holds", "--output csv"],
        )
        for saved in (
            b"query     P@5      AP\n1      0.3883  0.1811\n",
            b"measure    mean\nAP       0.2421\n",
        )
        for given in (("evaluate", "qrels", "a"), ("diff", "a", "b", "--qrels", "qrels", "--run", "run"))
    ),
    (
        {"qrels": QRELS, "run": RUN, "a": b"run,metric,score\nrun,AP,0.5\n"},
        ("why", "qrels", "run", "--table", "a"),
        ["the table 'a' names run, metric, score", "needs the columns system, measure and value"],
    ),
    ({"empty/deeper": None}, ("empty",), ["empty: there is no case in this folder"]),
    ({"file": QRELS}, ("file",), ["compare files outside a case with run --qrels FILE --run FILE"]),
    *(
        ({"c/qrels": QRELS, "c/run": RUN, "c/case.toml": config}, ("c", "-b", "native"), ["case.toml", said])
        for config, said in (
            (b"measures = [", "case.toml:1: invalid TOML"),
            (b'\nmeasures = ["ndgc"]\n', "did you mean nDCG?"),
            (b'reference = "python:x.py:f"\n', "a case cannot choose this reference"),
            (b'[recorded]\n"recorded.x" = "trec_eval-9.0.8"\n', "no file 'recorded.x' in this folder"),
        )
    ),
]


@pytest.mark.parametrize(("files", "given", "said"), UNUSABLE, ids=[said[-1] for _, _, said in UNUSABLE])
def test_a_file_that_cannot_be_used_ends_with_2(tmp_path, files, given, said):
    """The message names file and line, quotes the line safely, and says what was expected."""
    for name, content in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        if content is None:
            (tmp_path / name).mkdir()
        else:
            (tmp_path / name).write_bytes(content)
    done = crosscheck(tmp_path, *given)
    assert (done.code, done.out, "\x1b" in done.err) == (2, "", False)
    assert [words for words in said if words not in done.err] == [], done.err


def test_names_may_hold_any_bytes(tmp_path):
    """Folders, files, topics and documents that are no UTF-8 or hold escape codes are shown escaped."""
    folder = tmp_path / "c\udcff\x1b[31m"
    write_case(folder, {"1": {"a": 1}}, [("1", "a", 1.0)])
    (folder / "qrels").write_bytes(b"\xfe\x1b[1m 0 a 1\n\xfe\x1b[1m 0 b\xff 3\n2 0 x 1\n")
    (folder / "run").write_bytes(b"\xfe\x1b[1m Q0 a 1 2.0 t\n\xfe\x1b[1m Q0 b\xff 2 1.0 t\n")
    topic = "\udcfe\x1b[1m"
    for extra in ((), ("--case", folder.name), ("--query", topic)):
        done = crosscheck(
            tmp_path, folder, "-b", EXPONENTIAL, "-m", "nDCG@10", *extra, "--report", "json=x.json",
            "--report", "junit=x.xml", "--report", "markdown=x.md",
        )  # fmt: skip
        assert done.code == 1, done.err
        assert "\\xfe\\x1b[1m" in done.out
        for path in (tmp_path / "x.json", tmp_path / "x.xml", tmp_path / "x.md"):
            assert b"\x1b" not in path.read_bytes()
    missing = crosscheck(tmp_path, folder, "-b", "native", "--query", "\udcfd")
    assert missing.code == 2
    assert "query '\\\\xfd' is not judged" in missing.err
