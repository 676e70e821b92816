"""However a command ends, it ends in one message and a code that says which kind of end it was."""

import errno
import os
import sys
from concurrent.futures.process import BrokenProcessPool

import pytest

from crosscheck.cli import failure
from crosscheck.errors import BackendError, InputError, ResourceError, UsageError
from tests.programs.faults.limits import COMMANDS, files_are_old_or_new, fill, little_memory, two_writers
from tests.support.kept import REMEDY, Kept


def _caused(error: Exception, cause: BaseException) -> Exception:
    error.__cause__ = cause
    return error


NAMES = {one.__name__: one for one in (BackendError, InputError, ResourceError, UsageError, errno, failure)}
EXAMPLES = Kept(__file__, within=(NAMES,), caused=_caused)


def test_every_failure_has_a_code_and_a_message():
    assert EXAMPLES.anew() == EXAMPLES.read(), REMEDY


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
