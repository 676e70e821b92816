"""``crosscheck trec_eval`` as a process: streams, bytes and exit codes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

VECTORS = Path(__file__).parents[1] / "vectors"
#: The package is found wherever the command is called.
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}


def crosscheck(
    *words: str, cwd: Path | None = None, stdin: bytes = b""
) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", "crosscheck", "trec_eval", *words],
        input=stdin,
        capture_output=True,
        check=False,
        cwd=cwd,
        env=ENVIRONMENT,
    )


def test_bytes_pass_through() -> None:
    """Docnos that are not UTF-8 are no problem, and neither is a line that is not text."""
    done = crosscheck(
        "-q", "-m", "relstring", "-m", "map", "qrels", "run", cwd=VECTORS / "39_non_utf8_docnos"
    )
    assert done.returncode == 0
    assert done.stderr == b""
    assert done.stdout.startswith(b"map                   \t")


@pytest.mark.parametrize(
    ("words", "code", "stdout", "stderr"),
    [
        ([], 1, b"", b"Usage: trec_eval"),
        (["-h"], 0, b"crosscheck trec_eval evaluates a run", b""),
        (["--help"], 0, b"crosscheck trec_eval evaluates a run", b""),
        (["-v"], 0, b"", b"trec_eval version 9.0.8 (crosscheck "),
        (["--version", "--compat=10"], 0, b"", b"trec_eval version 10.0 (crosscheck "),
        (["--no-such-option"], 1, b"", b"trec_eval: unrecognized option '--no-such-option'"),
        (["no", "such"], 2, b"", b"trec_eval.get_qrels: Cannot read qrels file 'no'"),
    ],
)
def test_words_are_trec_eval_s_and_not_click_s(
    words: list[str], code: int, stdout: bytes, stderr: bytes
) -> None:
    """Every option goes to trec_eval's own parser."""
    done = crosscheck(*words)
    assert done.returncode == code
    assert done.stdout.startswith(stdout)
    assert done.stderr.startswith(stderr)
    assert b"Traceback" not in done.stderr


def test_two_minus_signs_end_the_options() -> None:
    """They reach the parser, so that files may begin with a minus sign."""
    folder = VECTORS / "01_basic_graded"
    assert crosscheck("-m", "map", "--", "qrels", "run", cwd=folder).returncode == 0
    done = crosscheck("-m", "map", "--", "-q", "run", cwd=folder)
    assert done.stderr.startswith(b"trec_eval.get_qrels: Cannot read qrels file '-q'")


def test_10_reads_standard_input() -> None:
    """A run called - is what is piped in."""
    folder = VECTORS / "01_basic_graded"
    words = ["--compat", "10.0", "-q", "-m", "map", "qrels"]
    piped = crosscheck(*words, "-", cwd=folder, stdin=(folder / "run").read_bytes())
    assert piped.returncode == 0
    assert piped.stdout == crosscheck(*words, "run", cwd=folder).stdout
