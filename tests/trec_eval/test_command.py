"""The command as a whole: which topics are evaluated, how it fails, and what it says then."""

import bz2
import io
import lzma
import sys
from pathlib import Path

import pytest

from crosscheck.conventions import conventions
from crosscheck.evaluation.rankings import Rankings
from crosscheck.evaluation.summarise import evaluate
from crosscheck.formats.trec import read_qrels, read_run
from crosscheck.names import expand_group, parse_measure, trec_eval_name
from crosscheck.trec_eval.command import trec_eval
from tests.support.kept import Kept, shown

QRELS = b"1 0 a 1\n1 0 b 0\n2 0 a 2\n3 0 c 1\n"
RUN = b"1 Q0 a 1 1 t\n1 Q0 b 2 3 t\n2 Q0 a 1 1 t\n4 Q0 a 1 1 t\n"


class Call:
    """One call of the command on two files."""

    def __init__(self, folder: Path, *options: str, qrels: bytes = QRELS, run: bytes = RUN) -> None:
        (folder / "qrels").write_bytes(qrels)
        (folder / "run").write_bytes(run)
        stdout, stderr = io.BytesIO(), io.StringIO()
        self.code = trec_eval([*options, str(folder / "qrels"), str(folder / "run")], stdout, stderr)
        self.printed, self.stderr = stdout.getvalue(), stderr.getvalue()
        self.stdout = self.printed.decode("utf-8", "backslashreplace")

    def lines(self) -> list[tuple[str, ...]]:
        return [tuple(line.split()) for line in self.stdout.splitlines()]


BZ2, LZMA = bz2.compress(RUN), lzma.compress(RUN)
TWICE = QRELS + b"2 0 a 2\n"
CIRCLE = b"1 g s1 a 2\n1 g s1 b 1\n1 g s2 b 2\n1 g s2 a 1\n"
SPLIT = b"1 g s a 2\n1 g s b 1\n1 g t a 0\n1 g t b 1\n"


def said(folder: Path, options: str = "", z: bytes = b"", **files: bytes) -> str:
    """The exit code of a call, what it prints, and what it complains of; ``z`` is the file of ``-Z``."""
    (folder / "z").write_bytes(z)
    call = Call(folder, *options.replace("FOLDER", str(folder)).split(), **files)
    assert "\x1b" not in call.stderr
    return f"exit code {call.code}\n{call.stdout}{call.stderr}"


KEPT = Kept(__file__, TypeError, ValueError, within=(globals(),), show=shown)


@KEPT.each()
def test_failures(given):
    """trec_eval's words, with its way of counting lines; then the file, the line and what to do. No control
    character reaches the terminal."""
    KEPT.holds(given)


def test_a_folder_is_no_file(tmp_path):
    stderr = io.StringIO()
    assert trec_eval([str(tmp_path), "no"], io.BytesIO(), stderr) == 2
    assert "Cannot read qrels file" in stderr.getvalue()


def test_10_reads_the_run_from_standard_input(tmp_path, monkeypatch):
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
    assert "standard input: the file is empty" in stderr.getvalue()
    assert trec_eval(words, io.BytesIO(), io.StringIO()) == 2


@pytest.mark.parametrize(("version", "profile"), [("9.0.8", "trec_eval-9.0.8-c"), ("10.0", "trec_eval-10-c")])
@pytest.mark.parametrize("level", [1, 2])
def test_c_gives_the_summaries_of_its_profile(tmp_path, version, profile, level):
    """Every summary under -c, sums and geometric means included, is the native one; no query is alike by
    chance, one has no results and one no judgements. num_rel is that of level 1 under -l2 too."""
    call = Call(tmp_path, "--compat", version, "-c", f"-l{level}", "-m", "all_trec")
    found = {name: float(value) for name, _, value in call.lines() if name not in ("runid", "relstring")}
    rankings = Rankings(read_run(str(tmp_path / "run")), read_qrels(str(tmp_path / "qrels")))
    for measure in expand_group("all_trec", version):
        mean = evaluate(rankings, measure, conventions(f"{profile},relevance_level={level}")).mean
        assert mean == pytest.approx(found[str(trec_eval_name(measure))], abs=5.1e-5), measure


@pytest.mark.parametrize("level", [1, 2])
def test_c_of_10_prints_the_judgements_of_topics_without_results(tmp_path, level):
    """Per topic num_rel is R and num_q 1 where a topic has no results, in its profile as in the command."""
    qrels, run = b"1 0 a 1\n1 0 b 2\n2 0 c 1\n2 0 d 2\n2 0 e 3\n3 0 a -1\n", b"1 Q0 a 1 2 t\n3 Q0 a 1 1 t\n"
    call = Call(tmp_path, "--compat", "10.0", "-q", "-c", f"-l{level}", "-m", "num_rel", qrels=qrels, run=run)
    printed = {topic: float(value) for name, topic, value in call.lines() if name == "num_rel"}
    rankings = Rankings(read_run(str(tmp_path / "run")), read_qrels(str(tmp_path / "qrels")))
    held = conventions(f"trec_eval-10-c,relevance_level={level}")
    counted, queries = (evaluate(rankings, parse_measure(name), held) for name in ("num_rel", "num_q"))
    assert [*counted.values.tolist(), counted.mean] == [printed[topic] for topic in ("1", "2", "3", "all")]
    assert (queries.values.tolist(), queries.mean) == ([1.0, 1.0, 1.0], 3.0)
