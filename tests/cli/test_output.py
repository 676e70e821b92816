"""stdout, stderr and the terminal: what is written where, and what happens where nothing can be."""

import io
import json
import os
import pty
import re
import subprocess
import termios
from pathlib import Path
from typing import Any

import pytest

from crosscheck.cli.output import for_stream
from tests.cli.command import FAST, arguments, crosscheck, environment, three_cases


class _Terminal(io.StringIO):
    """A terminal that cannot tell its size, as on some CI servers."""

    encoding = "utf-8"

    def isatty(self) -> bool:
        return True

    def fileno(self) -> int:
        raise OSError("no descriptor")


@pytest.mark.parametrize(
    ("environ", "color", "width"),
    [
        ({}, True, 80),
        ({"NO_COLOR": "1"}, False, 80),
        ({"NO_COLOR": ""}, True, 80),
        ({"TERM": "dumb"}, False, 80),
        ({"COLUMNS": "60"}, True, 60),
        ({"COLUMNS": "300"}, True, 120),
        ({"COLUMNS": "0"}, True, 80),
        ({"COLUMNS": "wide"}, True, 80),
        ({"COLUMNS": ""}, True, 80),
    ],
)
def test_a_terminal_gets_colour_and_lines_that_can_be_read(environ, color, width):
    """NO_COLOR counts when it is not empty, as its convention says; COLUMNS is followed up to 120, and
    nonsense and unknown sizes give 80."""
    options = for_stream(_Terminal(), environ)
    assert (options.color, options.width) == (color, width)


def test_a_pipe_gets_plain_text_of_80_columns_and_a_terminal_of_its_size():
    """Redirected output does not depend on the terminal it was started from."""
    read, write = os.pipe()
    with os.fdopen(read), os.fdopen(write, "w", encoding="ascii") as stream:
        options = for_stream(stream, {}, verbose=True, written=("a.json",))
    assert (options.color, options.width, options.encoding) == (False, 80, "ascii")
    assert (options.verbose, options.written) == (True, ("a.json",))
    ours, theirs = pty.openpty()
    with os.fdopen(ours, "wb", 0), os.fdopen(theirs, "w") as stream:
        termios.tcsetwinsize(stream.fileno(), (40, 100))
        assert for_stream(stream, {}).width == 100


def test_timings_go_to_stderr_and_change_nothing_else(tmp_path):
    """Seconds and memory per stage and backend; stdout is what it is without them."""
    three_cases(tmp_path)
    asked = ("cases/agreeing", "-m", "RR", "-b", "native", "--report", "text")
    plain, timed = crosscheck(tmp_path, *asked), crosscheck(tmp_path, *asked, "--timings")
    assert (timed.code, timed.out) == (plain.code, plain.out) == (0, plain.out)
    for name in ("read", "native", "compare", "report", "backend pytrec_eval"):
        assert re.search(rf"^ *\d+\.\d+ .*\b{name}$", timed.err, re.MULTILINE), name


def started(folder: Path, *given: object, **streams: Any) -> subprocess.Popen[bytes]:
    return subprocess.Popen(arguments(*given), cwd=folder, env=environment(), **streams)


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


def test_a_terminal_gets_colours_and_progress_unless_it_wants_none(tmp_path):
    """Escape codes but for NO_COLOR, and none in a pipe; progress but for --quiet."""
    three_cases(tmp_path)
    asked = ("cases", "-m", "nDCG@10", *FAST, "--report", "text")
    assert b"\x1b[" in on_terminal(tmp_path, *asked, stream="stdout")
    assert b"\x1b" not in on_terminal(tmp_path, *asked, stream="stdout", NO_COLOR="1")
    assert "\x1b" not in crosscheck(tmp_path, *asked).out
    assert b"agreeing: run" in on_terminal(tmp_path, *asked, stream="stderr")
    assert on_terminal(tmp_path, *asked, "--quiet", stream="stderr") == b""


@pytest.mark.parametrize(
    ("command", "code"),
    [
        (["cases", "-m", "nDCG@10", *FAST, "--report", "text"], 1),
        (["explain"], 0),
        (["trec_eval", "-q", "-m", "all_trec", "cases/agreeing/qrels", "cases/agreeing/run"], 141),
    ],
)
def test_a_reader_that_has_seen_enough_is_no_failure(tmp_path, command, code):
    """As in ``| head -1``: nothing on stderr, and the exit code is that of the result; a C program's in a
    shell for the command that is one."""
    three_cases(tmp_path)
    reading, writing = os.pipe()
    process = started(tmp_path, *command, stdout=writing, stderr=subprocess.PIPE)
    os.close(writing)
    os.close(reading)  # before a single byte is read
    _, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (code, b"")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full here")
def test_a_full_disk_is_an_error_with_a_sentence(tmp_path):
    """A result that cannot be printed is not silently lost."""
    three_cases(tmp_path)
    for command in (["cases", *FAST, "--report", "text"], ["schema"], ["--help"]):
        with open("/dev/full", "wb") as full:
            process = started(tmp_path, *command, stdout=full, stderr=subprocess.PIPE)
        _, err = process.communicate(timeout=60)
        assert (process.returncode, b"No space left on device" in err) == (2, True), command
        assert b"Traceback" not in err


@pytest.mark.parametrize("closed", [1, 2])
def test_a_closed_stream_changes_nothing(tmp_path, closed):
    """Called with stdout or stderr closed, the exit code and the reports are the same."""
    three_cases(tmp_path)
    done = subprocess.run(
        ["sh", "-c", f'exec "$@" {closed}>&-', "sh", *arguments("cases/agreeing", "-b", "native")],
        cwd=tmp_path, env=environment(), capture_output=True, check=False, timeout=60,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    document = json.loads((tmp_path / "reports" / "crosscheck.json").read_text("utf-8"))
    assert document["summary"]["match"] == len(document["comparisons"]) > 0


def test_names_may_hold_any_bytes(tmp_path):
    """Folders, files, topics and documents that are no UTF-8 or hold escape codes are shown escaped."""
    folder = tmp_path / "c\udcff\x1b[31m"
    folder.mkdir()
    (folder / "qrels").write_bytes(b"\xfe\x1b[1m 0 a 1\n\xfe\x1b[1m 0 b\xff 3\n2 0 x 1\n")
    (folder / "run").write_bytes(b"\xfe\x1b[1m Q0 a 1 2.0 t\n\xfe\x1b[1m Q0 b\xff 2 1.0 t\n")
    topic = "\udcfe\x1b[1m"
    reports = {"x.json": "json", "x.xml": "junit", "x.md": "markdown"}
    asked = [word for path, form in reports.items() for word in ("--report", f"{form}={path}")]
    for extra in ((), ("--case", folder.name), ("--query", topic)):
        done = crosscheck(tmp_path, folder, *FAST, "-m", "nDCG@10", *extra, *asked)
        assert (done.code, "\\xfe\\x1b[1m" in done.out) == (1, True), done.err
        assert not any(b"\x1b" in (tmp_path / name).read_bytes() for name in reports)
    missing = crosscheck(tmp_path, folder, "-b", "native", "--query", "\udcfd")
    assert (missing.code, "query '\\\\xfd' is not judged" in missing.err) == (2, True)
