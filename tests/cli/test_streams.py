"""stdout, stderr and the terminal: what is written where, and what happens where nothing can be."""

from __future__ import annotations

import json
import os
import pty
import re
import subprocess
from pathlib import Path

import pytest

from tests.cli.command import EXPONENTIAL, FAST, FIXTURES, arguments, crosscheck, environment, three_cases


def test_timings_go_to_stderr_and_change_nothing_else(tmp_path: Path) -> None:
    """Seconds and memory per stage and backend; stdout is what it is without them."""
    three_cases(tmp_path)
    asked = ("cases/agreeing", "-m", "RR", "-b", "native", "--report", "text")
    plain, timed = crosscheck(tmp_path, *asked), crosscheck(tmp_path, *asked, "--timings")
    assert timed.out == plain.out
    assert timed.code == plain.code == 0
    for name in ("read", "native", "compare", "report", "backend pytrec_eval"):
        assert re.search(rf"^ *\d+\.\d+ .*\b{name}$", timed.err, re.MULTILINE), name


def test_quiet_leaves_stderr_empty_on_a_terminal(tmp_path: Path) -> None:
    """Progress is shown where stderr is a terminal, unless ``--quiet`` is given."""
    three_cases(tmp_path)
    asked = ("cases", "-m", "RR", *FAST, "--report", "json=x.json")
    assert b"agreeing: run" in on_terminal(tmp_path, *asked, stream="stderr")
    assert on_terminal(tmp_path, *asked, "--quiet", stream="stderr") == b""


def on_terminal(folder: Path, *given: object, stream: str, **variables: str) -> bytes:
    """The output of a call to stdout or stderr if that is a terminal."""
    ours, theirs = pty.openpty()
    streams = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL} | {stream: theirs}
    process = subprocess.Popen(
        arguments(*given), cwd=folder, env=environment(TERM="xterm", **variables), **streams
    )
    os.close(theirs)
    data = b""
    try:
        while chunk := os.read(ours, 65536):
            data += chunk
    except OSError:  # Linux says that the other end is closed in this way
        pass
    os.close(ours)
    process.wait(timeout=60)
    return data


def test_colours_are_for_terminals_that_want_them(tmp_path: Path) -> None:
    """Escape codes on a terminal; none with NO_COLOR, and none in a pipe."""
    three_cases(tmp_path)
    asked = ("cases", "-m", "nDCG@10", *FAST, "--report", "text")
    assert b"\x1b[" in on_terminal(tmp_path, *asked, stream="stdout")
    assert b"\x1b" not in on_terminal(tmp_path, *asked, stream="stdout", NO_COLOR="1")
    assert "\x1b" not in crosscheck(tmp_path, *asked).out


def test_lines_are_at_most_80_columns_wide(tmp_path: Path) -> None:
    """All cases of the repository, hostile names and all, in full: only a single long word may stick out."""
    done = crosscheck(
        tmp_path, FIXTURES, "-b", "native", "-b", EXPONENTIAL, "--report", "text", "--verbose",
        "--fail-on", "never",
    )  # fmt: skip
    assert done.code in (0, 3)
    assert len(done.out.splitlines()) > 200
    wide = [line for line in done.out.splitlines() if len(line) > 80 and len(line.split()) > 1]
    assert wide == []
    narrow = crosscheck(tmp_path, FIXTURES / "label-gain", *FAST, "--report", "text", env={"COLUMNS": "50"})
    assert max(map(len, narrow.out.splitlines())) <= 50


@pytest.mark.parametrize(
    ("command", "code"),
    [
        (["cases", "-m", "nDCG@10", *FAST, "--report", "text"], 1),
        (["explain"], 0),
        (["trec_eval", "-q", "-m", "all_trec", "cases/agreeing/qrels", "cases/agreeing/run"], 141),
    ],
)
def test_a_reader_that_has_seen_enough_is_no_failure(tmp_path: Path, command: list[str], code: int) -> None:
    """As in ``| head -1``: nothing on stderr, and the exit code is that of the result; a C program's in a
    shell for the command that is one."""
    three_cases(tmp_path)
    reading, writing = os.pipe()
    process = subprocess.Popen(
        arguments(*command), cwd=tmp_path, env=environment(), stdout=writing, stderr=subprocess.PIPE
    )
    os.close(writing)
    os.close(reading)  # before a single byte is read
    _, err = process.communicate(timeout=60)
    assert err == b""
    assert process.returncode == code


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full here")
def test_a_full_disk_is_an_error_with_a_sentence(tmp_path: Path) -> None:
    """A result that cannot be printed is not silently lost."""
    three_cases(tmp_path)
    for command in (["cases", *FAST, "--report", "text"], ["schema"], ["--help"]):
        with open("/dev/full", "wb") as full:
            done = subprocess.run(
                arguments(*command), cwd=tmp_path, env=environment(), stdout=full, stderr=subprocess.PIPE,
                check=False, timeout=60,
            )  # fmt: skip
        assert done.returncode == 2, command
        assert b"No space left on device" in done.stderr
        assert b"Traceback" not in done.stderr


@pytest.mark.parametrize("closed", [1, 2])
def test_a_closed_stream_changes_nothing(tmp_path: Path, closed: int) -> None:
    """Called with stdout or stderr closed, the exit code and the reports are the same."""
    three_cases(tmp_path)
    done = subprocess.run(
        ["sh", "-c", f'exec "$@" {closed}>&-', "sh", *arguments("cases/agreeing", "-b", "native")],
        cwd=tmp_path, env=environment(), capture_output=True, check=False, timeout=60,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    document = json.loads((tmp_path / "reports" / "crosscheck.json").read_text("utf-8"))
    assert document["summary"]["match"] == len(document["comparisons"]) > 0
