"""stdout, stderr and the terminal: what is written where; where nothing can be is in the kept sessions."""

import io
import os
import pty
import re
import subprocess
import termios
from pathlib import Path
from typing import Any

from crosscheck.cli.output import for_stream
from tests.cli.command import FAST, arguments, crosscheck, environment, three_cases
from tests.support.kept import REMEDY, Kept


class _Terminal(io.StringIO):
    """A terminal that cannot tell its size, as on some CI servers."""

    encoding = "utf-8"

    def isatty(self) -> bool:
        return True

    def fileno(self) -> int:
        raise OSError("no descriptor")


def on_terminal_with(**environ: str) -> str:
    """What a terminal of unknown size gets in this environment."""
    options = for_stream(_Terminal(), environ)
    return f"{options.width} columns{', colours' * options.color}"


EXAMPLES = Kept(__file__, on_terminal_with=on_terminal_with)


def test_a_terminal_gets_colour_and_lines_that_can_be_read():
    assert EXAMPLES.anew() == EXAMPLES.read(), REMEDY


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
    """Seconds and memory per stage and backend, if it has a process; stdout is what it is without them."""
    three_cases(tmp_path)
    asked = ("cases/agreeing", "-m", "RR", "-b", "native", "--report", "text")
    plain, timed = crosscheck(tmp_path, *asked), crosscheck(tmp_path, *asked, "--timings")
    assert (timed.code, timed.out) == (plain.code, plain.out) == (0, plain.out)
    for name in ("read", "native", "compare", "report", "backend pytrec_eval", "backend native"):
        memory = "-" if name == "backend native" else r"\d+"
        assert re.search(rf"^ *\d+\.\d+ +{memory} +{name}$", timed.err, re.MULTILINE), name


def on_terminal(folder: Path, *given: object, stream: str, **variables: str) -> bytes:
    """The output of a call to stdout or stderr if that is a terminal."""
    ours, theirs = pty.openpty()
    streams: dict[str, Any] = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL} | {stream: theirs}
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
    progress = on_terminal(tmp_path, *asked, stream="stderr")
    assert b"agreeing: run" in progress
    assert progress.endswith(b"\r\x1b[2K")  # its line disappears
    assert on_terminal(tmp_path, *asked, "--quiet", stream="stderr") == b""


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
