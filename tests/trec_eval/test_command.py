"""The command as a whole: which topics are evaluated, how it fails, and what it says then."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

from crosscheck.conventions import conventions
from crosscheck.evaluation.rankings import Rankings
from crosscheck.evaluation.summarise import evaluate
from crosscheck.formats.trec import read_qrels, read_run
from crosscheck.names import expand_group, parse_measure, trec_eval_name
from crosscheck.trec_eval.command import trec_eval

QRELS = b"1 0 a 1\n1 0 b 0\n2 0 a 2\n3 0 c 1\n"
RUN = b"1 Q0 a 1 1 t\n1 Q0 b 2 3 t\n2 Q0 a 1 1 t\n4 Q0 a 1 1 t\n"


class Call:
    """One call of the command on two files."""

    def __init__(self, folder: Path, *options: str, qrels: bytes = QRELS, run: bytes = RUN) -> None:
        (folder / "qrels").write_bytes(qrels)
        (folder / "run").write_bytes(run)
        stdout, stderr = io.BytesIO(), io.StringIO()
        self.code = trec_eval([*options, str(folder / "qrels"), str(folder / "run")], stdout, stderr)
        self.stdout, self.stderr = stdout.getvalue().decode("utf-8", "backslashreplace"), stderr.getvalue()

    def lines(self) -> list[tuple[str, ...]]:
        return [tuple(line.split()) for line in self.stdout.splitlines()]


def test_9_takes_the_topics_that_both_files_have(tmp_path: Path) -> None:
    """Topics of only one file are left out without a word."""
    call = Call(tmp_path, "-q", "-m", "num_ret", "-m", "num_q")
    assert (call.code, call.stderr) == (0, "")
    assert call.lines() == [
        ("num_ret", "1", "2"),
        ("num_ret", "2", "1"),
        ("num_q", "all", "2"),
        ("num_ret", "all", "3"),
    ]


def test_10_fails_at_the_first_judged_topic_without_results(tmp_path: Path) -> None:
    """Earlier output remains; the message names the remedy."""
    call = Call(tmp_path, "--compat", "10.0", "-q", "-m", "num_ret")
    assert call.code == 4
    assert call.lines() == [("num_ret", "1", "2"), ("num_ret", "2", "1")]
    assert call.stderr.startswith("trec_eval: result qid '3' not found in qrels\n")
    assert "-c counts such topics as 0" in call.stderr


def test_c_averages_over_all_judged_topics(tmp_path: Path) -> None:
    """In both versions; only 10.0 prints lines for topics without results."""
    nine = Call(tmp_path, "-c", "-q", "-m", "map", "-m", "num_q", "-m", "num_ret")
    ten = Call(tmp_path, "--compat", "10.0", "-c", "-q", "-m", "map", "-m", "num_q", "-m", "num_ret")
    assert (
        nine.lines()[-3:]
        == ten.lines()[-3:]
        == [
            ("num_q", "all", "3"),
            ("num_ret", "all", "3"),
            ("map", "all", "0.5000"),
        ]
    )
    assert {line[1] for line in nine.lines()} == {"1", "2", "all"}
    assert ("map", "3", "0.0000") in ten.lines()
    assert ("num_ret", "3", "0") in ten.lines()


def test_no_common_topic_ends_with_7_or_4(tmp_path: Path) -> None:
    """7 in 9.0.8 even with -c; 4 in 10.0, and zeros with -c."""
    apart = b"9 Q0 a 1 1 t\n"
    assert Call(tmp_path, run=apart).code == 7
    assert "No queries with both results and relevance info" in Call(tmp_path, "-c", run=apart).stderr
    assert Call(tmp_path, "--compat", "10.0", run=apart).code == 4
    ten = Call(tmp_path, "--compat", "10.0", "-c", "-m", "map", run=apart)
    assert (ten.code, ten.lines()) == (0, [("map", "all", "0.0000")])


@pytest.mark.parametrize(("options", "code"), [([], 7), (["--compat", "10.0"], 4)])
def test_a_run_of_blank_lines_has_no_topics(tmp_path: Path, options: list[str], code: int) -> None:
    """As the C programs were seen to do, although they read uninitialised memory there."""
    assert Call(tmp_path, *options, run=b"\n \n").code == code


def test_d_evaluates_one_topic(tmp_path: Path) -> None:
    """-D level.topic leaves out all others; a topic that is not there ends with 7."""
    call = Call(tmp_path, "-D", "1.2", "-q", "-m", "num_ret")
    assert call.lines() == [("num_ret", "2", "1"), ("num_ret", "all", "1")]
    assert Call(tmp_path, "-D", "1.3").code == 7
    assert Call(tmp_path, "-D", "1.9", "--compat", "10.0").code == 7
    both = Call(tmp_path, "-D", "1.3", "--compat", "10.0", "-c", "-q", "-m", "map")
    assert both.lines() == [("map", "3", "0.0000"), ("map", "all", "0.0000")]


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (["-R", "foo"], "Illegal rel_format 'foo'"),
        (["-T", "foo"], "Illegal retrieval results format 'foo'"),
        (["-m", "P.0"], "Cannot initialize measure 'P'"),
    ],
)
def test_formats_and_parameters_that_do_not_exist_end_with_2(
    tmp_path: Path, options: list[str], problem: str
) -> None:
    """With trec_eval's words."""
    call = Call(tmp_path, *options)
    assert (call.code, call.stdout) == (2, "")
    assert f"trec_eval: {problem}\n" in call.stderr


@pytest.mark.parametrize(
    ("options", "files", "said", "ours"),
    [
        ([], {"qrels": b""}, "get_qrels: Cannot read qrels file", "the file is empty"),
        ([], {"run": b""}, "get_results: Cannot read results file", "the file is empty"),
        ([], {"qrels": b"1 0 a 1\n\n"}, "get_qrels: Malformed line 2", "qrels:2: a blank line"),
        ([], {"qrels": b"1 0 a\n"}, "get_qrels: Malformed line 1", "exactly 4 columns"),
        ([], {"run": b"\n\n1 Q0 a 1 1 t\n1 Q0 a\n"}, "get_results: Malformed line 2", "run:4: a run line"),
        ([], {"run": b"1 Q0 a 1 1 t\n1 Q0 b\0 1 1 t\n"}, "Malformed line 2", "a NUL byte"),
        ([], {"qrels": b"# x y z\n1 0 a\n"}, "Malformed line 2", "qrels:2"),
        (["--compat", "10.0"], {"qrels": b"# x y z\n1 0 a\n"}, "Malformed line 1", "qrels:2"),
        (["--compat", "10.0"], {"qrels": b"# x\n# y\n1 0 a 1\n"}, "Malformed line 1", "qrels:2"),
        (["--compat", "10.0"], {"qrels": b"# x\n"}, "Cannot read qrels file", "nothing but comments"),
        (["--compat", "10.0"], {"run": b"# x\n1 Q0\n"}, "get_results: Malformed line 1", "run:2"),
        (["-R", "prefs"], {"qrels": b"1 0 a 1\n"}, "get_prefs: Malformed line 1", "exactly 5 columns"),
        (["-R", "prefs"], {"qrels": b""}, "get_prefs: Cannot read prefs file", "the file is empty"),
        (["-R", "qrels_jg"], {"qrels": b""}, "get_qrels_jg: Cannot read qrels file", "the file is empty"),
        (["-R", "qrels_jg"], {"qrels": b"1 g a 1\n1 g a 0\n"}, "get_qrels: duplicate docs a", "qrels:2"),
    ],
)
def test_files_that_cannot_be_read_end_with_2(
    tmp_path: Path, options: list[str], files: dict[str, bytes], said: str, ours: str
) -> None:
    """trec_eval's words, with its way of counting lines; then the file, the line and what to do."""
    call = Call(tmp_path, *options, **files)
    assert (call.code, call.stdout) == (2, "")
    assert said in call.stderr
    assert "trec_eval: Quit in file" in call.stderr
    assert ours in call.stderr


def test_missing_files_and_directories_end_with_2(tmp_path: Path) -> None:
    """Both files, by name."""
    for words in (["no", str(tmp_path)], [str(tmp_path), "no"]):
        stderr = io.StringIO()
        assert trec_eval(words, io.BytesIO(), stderr) == 2
        assert "Cannot read qrels file" in stderr.getvalue()
    (tmp_path / "qrels").write_bytes(QRELS)
    stderr = io.StringIO()
    assert trec_eval([str(tmp_path / "qrels"), str(tmp_path / "no")], io.BytesIO(), stderr) == 2
    assert "Cannot read results file" in stderr.getvalue()
    assert "there is no such file" in stderr.getvalue()


def test_a_topic_that_cannot_be_evaluated_ends_with_4(tmp_path: Path) -> None:
    """Lines of topics before it stay printed; the document, topic and file are named."""
    run = b"1 Q0 a 1 1 t\n2 Q0 x 1 1 t\n2 Q0 x 1 2 t\n2 Q0 b 1 1 t\n2 Q0 b 1 1 t\n"
    call = Call(tmp_path, "-q", "-m", "num_q", "-m", "map", "-m", "P.1", run=run)
    assert call.code == 4
    assert call.lines() == [("map", "1", "1.0000"), ("P_1", "1", "1.0000")]
    assert call.stderr.startswith(
        "trec_eval.form_res_qrels: duplicate docs b\ntrec_eval: Can't calculate measure 'map'\ncrosscheck: "
    )
    assert "run: document 'b' occurs twice under topic '2'" in call.stderr


def test_duplicates_in_the_judgements_end_with_4_where_they_are_looked_at(tmp_path: Path) -> None:
    """Not under a topic that is not evaluated, nor if only topics are counted."""
    twice = QRELS + b"2 0 a 2\n"
    assert Call(tmp_path, qrels=twice).code == 4
    assert "form_res_rels: duplicate docs a" in Call(tmp_path, qrels=twice).stderr
    assert Call(tmp_path, "-m", "num_q", "-m", "runid", qrels=twice).code == 0
    assert Call(tmp_path, qrels=QRELS + b"3 0 c 1\n").code == 0
    assert Call(tmp_path, "-D", "0.1", qrels=twice).code == 0


def test_duplicates_below_m_do_not_count(tmp_path: Path) -> None:
    """-M cuts first; ties are ordered by docno before it does."""
    run = b"1 Q0 b 1 1 t\n1 Q0 a 1 1 t\n1 Q0 a 1 0.5 t\n"
    assert Call(tmp_path, "-M", "3", run=run).code == 4
    call = Call(tmp_path, "-q", "-M", "2", "-m", "num_ret", "-m", "recip_rank", run=run)
    assert (call.code, call.lines()[:2]) == (0, [("num_ret", "1", "2"), ("recip_rank", "1", "0.5000")])


def test_a_first_topic_of_negative_judgements_ends_with_4(tmp_path: Path) -> None:
    """As in the C program; as a later topic it has zeros."""
    qrels = b"1 0 a -1\n2 0 a 1\n"
    call = Call(tmp_path, "-q", "-m", "map", qrels=qrels)
    assert (call.code, call.stdout) == (4, "")
    assert "every judgement of topic '1' is negative" in call.stderr
    later = Call(tmp_path, "-q", "-m", "map", qrels=b"1 0 a 1\n2 0 a -1\n")
    assert later.lines()[1] == ("map", "2", "0.0000")


@pytest.mark.parametrize(
    ("options", "qrels", "said", "measure"),
    [
        (
            ["-R", "prefs", "-m", "num_q", "-m", "map"],
            b"1 g s a 1\n",
            "form_res_qrels: rel_info format",
            "map",
        ),
        (["-m", "map", "-m", "prefs_simp"], QRELS, "form_prefs_info: prefs_info format", "prefs_simp"),
        (["-m", "P_avgjg"], QRELS, "rel_info format not qrels_jg", "P_avgjg"),
        (["-m", "utility.1", "-m", "map"], QRELS, "calc_utility: improper number", "utility"),
    ],
)
def test_measures_of_another_format_end_with_4(
    tmp_path: Path, options: list[str], qrels: bytes, said: str, measure: str
) -> None:
    """At the first topic, and the measure is named."""
    call = Call(tmp_path, "-q", *options, qrels=qrels)
    assert (call.code, call.stdout) == (4, "")
    assert said in call.stderr
    assert f"Can't calculate measure '{measure}'" in call.stderr


def test_preferences_that_contradict_each_other_end_with_4(tmp_path: Path) -> None:
    """The C program aborts on some of them."""
    qrels = b"1 g s1 a 2\n1 g s1 b 1\n1 g s2 b 2\n1 g s2 a 1\n"
    call = Call(tmp_path, "-R", "prefs", "-m", "prefs", qrels=qrels)
    assert call.code == 4
    assert "is preferred to itself" in call.stderr
    assert "Can't calculate measure 'prefs_num_prefs_poss'" in call.stderr


def test_10_gives_topics_without_results_a_placeholder_for_preferences_too(tmp_path: Path) -> None:
    """Possible preferences of missing topics count in 10.0 under -c, and not in 9.0.8."""
    qrels = b"1 g s a 2\n1 g s b 1\n3 g s a 2\n3 g s b 1\n"
    options = ["-R", "prefs", "-c", "-m", "prefs_num_prefs_poss"]
    assert Call(tmp_path, *options, qrels=qrels).lines() == [("prefs_num_prefs_poss", "all", "1")]
    ten = Call(tmp_path, "--compat", "10.0", *options, qrels=qrels)
    assert ten.lines() == [("prefs_num_prefs_poss", "all", "2")]


def test_10_reads_the_run_from_standard_input(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a name that begins with a minus sign; in 9.0.8 that is a file's name."""

    class Stdin:
        buffer = io.BytesIO(RUN)

    (tmp_path / "qrels").write_bytes(QRELS)
    monkeypatch.setattr(sys, "stdin", Stdin())
    stdout = io.BytesIO()
    words = ["-c", "-m", "num_ret", str(tmp_path / "qrels"), "-"]
    assert trec_eval(["--compat", "10.0", *words], stdout, io.StringIO()) == 0
    assert stdout.getvalue().split() == [b"num_ret", b"all", b"3"]
    stderr = io.StringIO()
    assert trec_eval(["--compat", "10.0", *words], io.BytesIO(), stderr) == 2
    assert "standard input: there is nothing in it" in stderr.getvalue()
    assert trec_eval(words, io.BytesIO(), io.StringIO()) == 2


def test_what_looks_like_json_is_text(tmp_path: Path) -> None:
    """A topic id may begin with a brace."""
    call = Call(tmp_path, "-q", "-m", "num_ret", qrels=b"{1} 0 a 1\n", run=b"{1} Q0 a 1 1 t\n")
    assert call.lines()[0] == ("num_ret", "{1}", "1")


def test_topics_may_come_back(tmp_path: Path) -> None:
    """Lines are grouped by topic, however they are mixed."""
    mixed = b"2 Q0 a 1 1 t\n1 Q0 b 2 3 t\n4 Q0 a 1 1 t\n1 Q0 a 1 1 u\n"
    options = ["-q", "-m", "all_trec"]
    assert Call(tmp_path, *options, run=mixed).lines() == [
        (*line[:2], "u") if line[0] == "runid" else line for line in Call(tmp_path, *options).lines()
    ]


def test_gm_map_under_c_adds_the_floor_of_missing_topics(tmp_path: Path) -> None:
    """exp of the mean of ln(map), each missing topic having ln(0.00001)."""
    call = Call(tmp_path, "-c", "-m", "gm_map")
    assert call.lines() == [("gm_map", "all", "0.0171")]  # cube root of 0.5 * 1 * 0.00001


def test_an_unusable_file_of_z_ends_with_255(tmp_path: Path) -> None:
    """Missing or malformed; the words differ between versions as they do in C."""
    missing = str(tmp_path / "no")
    nine, ten = Call(tmp_path, "-Z", missing), Call(tmp_path, "--compat", "10.0", "-Z", missing)
    assert (nine.code, ten.code) == (255, 255)
    assert "trec_eval.get_prefs: Cannot read zscores file" in nine.stderr
    assert "trec_eval.get_zscores: Cannot read zscores file" in ten.stderr
    (tmp_path / "z").write_bytes(b"1 map 0 1\n1 map 0\n")
    call = Call(tmp_path, "-Z", str(tmp_path / "z"))
    assert call.code == 255
    assert "trec_eval.get_zscores: Malformed line 2" in call.stderr
    assert "z:2: a line with 3 columns" in call.stderr


def test_control_characters_in_ids_do_not_reach_the_terminal(tmp_path: Path) -> None:
    """stderr is for people: what it quotes is escaped, while stdout keeps every byte."""
    call = Call(tmp_path, "-q", "-m", "map", qrels=b"\x1b[31m 0 a 1\n", run=b"\x1b[31m Q0 a 1 1 t\n" * 2)
    assert call.code == 4
    assert "\x1b" not in call.stderr
    fine = Call(tmp_path, "-q", "-m", "map", qrels=b"\x1b[31m 0 a 1\n", run=b"\x1b[31m Q0 a 1 1 t\n")
    assert "\x1b[31m" in fine.stdout


@pytest.mark.parametrize(("version", "profile"), [("9.0.8", "trec_eval-9.0.8-c"), ("10.0", "trec_eval-10-c")])
@pytest.mark.parametrize("level", [1, 2])
def test_c_gives_the_summaries_of_its_profile(tmp_path: Path, version: str, profile: str, level: int) -> None:
    """Every summary under -c, sums and geometric means included, is the native one; no query is alike by
    chance, one has no results and one no judgements. num_rel is that of level 1 under -l2 too."""
    call = Call(tmp_path, "--compat", version, "-c", f"-l{level}", "-m", "all_trec")
    found = {name: float(value) for name, _, value in call.lines() if name not in ("runid", "relstring")}
    rankings = Rankings(read_run(str(tmp_path / "run")), read_qrels(str(tmp_path / "qrels")))
    for measure in expand_group("all_trec", version):
        mean = evaluate(rankings, measure, conventions(f"{profile},relevance_level={level}")).mean
        assert mean == pytest.approx(found[str(trec_eval_name(measure))], abs=5.1e-5), measure


@pytest.mark.parametrize("level", [1, 2])
def test_c_of_10_prints_the_judgements_of_topics_without_results(tmp_path: Path, level: int) -> None:
    """Per topic num_rel is R and num_q 1 where a topic has no results, in its profile as in the command."""
    qrels, run = b"1 0 a 1\n1 0 b 2\n2 0 c 1\n2 0 d 2\n2 0 e 3\n3 0 a -1\n", b"1 Q0 a 1 2 t\n3 Q0 a 1 1 t\n"
    call = Call(tmp_path, "--compat", "10.0", "-q", "-c", f"-l{level}", "-m", "num_rel", qrels=qrels, run=run)
    printed = {topic: float(value) for name, topic, value in call.lines() if name == "num_rel"}
    rankings = Rankings(read_run(str(tmp_path / "run")), read_qrels(str(tmp_path / "qrels")))
    held = conventions(f"trec_eval-10-c,relevance_level={level}")
    counted, queries = (evaluate(rankings, parse_measure(name), held) for name in ("num_rel", "num_q"))
    assert [*counted.values.tolist(), counted.mean] == [printed[topic] for topic in ("1", "2", "3", "all")]
    assert (queries.values.tolist(), queries.mean) == ([1.0, 1.0, 1.0], 3.0)
