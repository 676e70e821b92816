"""However a command ends, it ends in one message and a code that says which kind of end it was."""

import errno
import os
import re
import subprocess
import sys
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path

import pytest

from crosscheck.cli import failure
from crosscheck.errors import BackendError, InputError, ResourceError, UsageError
from tests.cli.command import environment
from tests.programs.faults.limits import COMMANDS, files_are_old_or_new, fill, little_memory, two_writers


def _caused(error: Exception, cause: BaseException) -> Exception:
    error.__cause__ = cause
    return error


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        (KeyboardInterrupt(), 130, "interrupted"),
        (UsageError("no such thing", hint="try this"), 2, "error: no such thing\n  try this"),
        (InputError("empty", path="f"), 2, "error: f: empty"),
        (ResourceError("a worker was lost"), 3, "error: a worker was lost"),
        (MemoryError(), 3, "error: memory ran out\n"),
        (_caused(ValueError("x"), MemoryError()), 3, "error: memory ran out\n"),
        (_caused(BackendError("x"), MemoryError()), 3, "error: memory ran out\n"),
        (ImportError("x.so: failed to map segment from shared object"), 3, "error: memory ran out\n"),
        (RuntimeError("can't start new thread"), 3, "error: memory ran out\n"),
        (OSError(errno.ENOMEM, "Cannot allocate memory"), 3, "error: memory ran out\n"),
        (OSError(errno.ENOSPC, "No space left on device", "out"), 2, "error: out: No space left on device\n"),
        (OSError(errno.EMFILE, "Too many open files"), 3, "error: Too many open files\n"),
        (PermissionError(errno.EACCES, "Permission denied", "f\x1b"), 2, "error: f\\x1b: Permission denied"),
        (BrokenPipeError(errno.EPIPE, "Broken pipe"), 141, ""),
        (ModuleNotFoundError("No module named 'msgspec'", name="msgspec"), 3, "error: the package msgspec"),
    ],
)
def test_every_failure_has_a_code_and_a_message(error, code, said):
    """Input 2, resources 3, and never 1."""
    message, found = failure(error, [])
    assert (found, message[: len(said)]) == (code, said)
    assert bool(message) == bool(said)


@pytest.mark.parametrize("error", [KeyError("x"), BrokenProcessPool("lost"), SystemExit(1), RecursionError()])
def test_a_bug_says_how_to_report_it(error, tmp_path, monkeypatch):
    """Code 70, and a file with the versions, the call and the trace; without a disk, the place at least."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    try:
        raise error
    except BaseException as raised:
        message, code = failure(raised, ["run", "x"])
        monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "gone"))
        without, _ = failure(raised, ["run", "x"])
    assert code == 70
    assert "bug of crosscheck" in message
    (kept,) = tmp_path.iterdir()
    assert str(kept) in message
    text = kept.read_text("utf-8")
    assert "Traceback" in text
    assert "['run', 'x']" in text
    assert f"{__file__}:" in without


def _main(folder: Path, before: str, *given: str) -> subprocess.CompletedProcess[str]:
    """The command line in a Python where something was done before."""
    code = f"{before}\nfrom crosscheck.cli import main\nmain({list(given)!r})"
    return subprocess.run(
        [sys.executable, "-c", code], cwd=folder, env=environment(TMPDIR=str(folder)), capture_output=True,
        text=True, check=False, timeout=60,
    )  # fmt: skip


def test_a_command_ends_that_way(tmp_path):
    """Of the whole process: one message, no traceback, the code."""
    bug = _main(tmp_path, "import crosscheck.cli.commands as c\nc.run_command = lambda a: 1 / 0", "run")
    assert bug.returncode == 70
    assert re.fullmatch(r"crosscheck: this is a bug .*: ZeroDivisionError: .*\n  please .*\n", bug.stderr)
    ended = "import functools, pickle\nimport crosscheck.backends as b\n"
    early = _main(tmp_path, f"{ended}b.factories = functools.partial(pickle.loads, b'')", "backends")
    assert early.returncode == 70
    assert early.stderr.startswith("\ncrosscheck: this is a bug of crosscheck, not of your input: EOFError: ")
    (tmp_path / "q").write_text("1 0 a 1\n")
    (tmp_path / "r").write_text("1 Q0 a 1 1 t\n")
    old = _main(tmp_path, "import numpy\nnumpy.__version__ = '1.26.4'", "evaluate", "q", "r")
    assert old.returncode == 3
    assert old.stderr.startswith("crosscheck: error: numpy 1.26.4 is too old\n  pip install")


@pytest.mark.one_in(3)
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="limits of the address space")
@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.split()[0])
def test_too_little_memory_is_no_mismatch(tmp_path, command):
    """Under any limit from about where numpy can be imported: values, or one message and code 3."""
    fill(tmp_path)
    codes = [little_memory(tmp_path, command, megabytes) for megabytes in (130, 185, 400)]
    assert codes[-1] == 0


@pytest.mark.skipif(os.name != "posix", reason="limits of the file size")
def test_a_full_disk_harms_no_older_file(tmp_path):
    """Under limits of the file size from 0: reports and case.toml are old or new, and one is named."""
    ends = [files_are_old_or_new(tmp_path / str(blocks), blocks) for blocks in (0, 8, 1000)]
    assert ends[0]
    assert not ends[-1]


def test_two_runs_into_one_folder(tmp_path):
    """Whoever reads the report while two commands write it sees a complete document."""
    assert two_writers(tmp_path, 2) > 20
