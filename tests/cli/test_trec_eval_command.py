"""``crosscheck trec_eval`` as a process: streams, bytes and exit codes."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.cli.command import arguments, environment

VECTORS = Path(__file__).parents[1] / "vectors"
BASIC = VECTORS / "01_basic_graded"


def trec_eval(*words: str, cwd: Path | None = None, stdin: bytes = b"") -> tuple[int, bytes, bytes]:
    """Exit code, stdout and stderr."""
    done = subprocess.run(
        arguments("trec_eval", *words), cwd=cwd, env=environment(), input=stdin, capture_output=True,
        check=False,
    )  # fmt: skip
    assert b"Traceback" not in done.stderr
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize(
    ("words", "code", "stdout", "stderr"),
    [
        ([], 1, b"", b"Usage: trec_eval"),
        (["--help"], 0, b"crosscheck trec_eval evaluates a run", b""),
        (["-v"], 0, b"", b"trec_eval version 9.0.8 (crosscheck "),
        (["--version", "--compat=10"], 0, b"", b"trec_eval version 10.0 (crosscheck "),
        (["--no-such-option"], 1, b"", b"trec_eval: unrecognized option '--no-such-option'"),
        (["no", "such"], 2, b"", b"trec_eval.get_qrels: Cannot read qrels file 'no'"),
        # Two minus signs end the options, so that files may begin with one.
        (["-m", "map", "--", "qrels", "run"], 0, b"map  ", b""),
        (["-m", "map", "--", "-q", "run"], 2, b"", b"trec_eval.get_qrels: Cannot read qrels file '-q'"),
    ],
)
def test_words_are_trec_eval_s_and_not_click_s(words, code, stdout, stderr):
    """Every option goes to trec_eval's own parser."""
    ended, out, err = trec_eval(*words, cwd=BASIC)
    assert (ended, out[: len(stdout)], err[: len(stderr)]) == (code, stdout, stderr)


def test_bytes_pass_through():
    """Docnos that are not UTF-8 are no problem, and neither is a line that is not text; version 10 reads a
    run called - from standard input."""
    words = ("-q", "-m", "relstring", "-m", "map", "qrels", "run")
    code, out, err = trec_eval(*words, cwd=VECTORS / "39_non_utf8_docnos")
    assert (code, out[:23], err) == (0, b"map                   \t", b"")
    words = ("--compat", "10.0", "-q", "-m", "map", "qrels")
    piped = trec_eval(*words, "-", cwd=BASIC, stdin=(BASIC / "run").read_bytes())
    assert (piped[0], piped) == (0, trec_eval(*words, "run", cwd=BASIC))
