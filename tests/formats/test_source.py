"""Files as sources: endless and growing inputs are one message, and a file that is written is old or new."""

import errno
import gzip
import os
import resource
import stat
import subprocess
import sys
import threading
from contextlib import suppress
from functools import partial
from pathlib import Path

import pytest

from crosscheck.errors import InputError
from crosscheck.formats.source import open_input, remove_whole, write_whole
from crosscheck.formats.trec import read_run
from tests.cli.command import arguments, environment
from tests.support.kept import Kept

OLD, NEW = b"old " * 5000, b"new " * 7000


def _bomb(path, block, megabytes=64):
    with gzip.open(path, "wb", compresslevel=6) as file:
        for _ in range(megabytes):
            file.write(block * ((1 << 20) // len(block)))
    return str(path)


@pytest.mark.parametrize("block", [b"\n", b" ", b"1 Q0 a 1 1 t\n"])
def test_a_gzip_file_grows_to_a_hundred_times_its_size(tmp_path, block):
    """Beyond 16 MB: blank lines, one endless line and the same result again and again; in a pipe as well."""
    bomb, pipe = _bomb(tmp_path / "bomb.gz", block), str(tmp_path / "pipe")
    os.mkfifo(pipe)
    writer = ["timeout", "60", "sh", "-c", f"exec cat '{bomb}' > '{pipe}'"]  # where nobody reads
    with subprocess.Popen(writer, stderr=subprocess.DEVNULL):
        for path in (bomb, pipe):
            with pytest.raises(InputError, match=r"grows to more than 1\d MB"):
                read_run(path)
    with open_input(_bomb(tmp_path / "little.gz", block, 12), "a run") as stream:
        assert len(stream.read()) > 11 << 20


def read(reader, content, limit=None):
    """What a file with this content is read as."""
    Path("file").write_bytes(content)
    with pytest.MonkeyPatch.context() as patch:
        if limit is not None:
            patch.setenv("CROSSCHECK_UNPACKED_LIMIT", limit)
        return reader("file")


def became(before, change):
    """What becomes of a file that is changed, and of what stands beside it."""
    if before is not None:
        Path("file").write_bytes(before)
    said, opened = "done", len(os.listdir("/proc/self/fd"))
    try:
        change("file")
    except OSError as error:
        said = f"{type(error).__name__}: {error}"
    assert len(os.listdir("/proc/self/fd")) <= opened
    kinds = ((path, ", a link" * path.is_symlink()) for path in sorted(Path().iterdir()))
    return "\n".join([said, *(f"{path}{kind}: {path.read_bytes()!r}" for path, kind in kinds)])


EXAMPLES = Kept(
    __file__, OSError, read=read, became=became, write_whole=write_whole, remove_whole=remove_whole
)
test_examples = EXAMPLES.test()


@pytest.mark.one_in(3)
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="RLIMIT_DATA counts on Linux")
@pytest.mark.parametrize(
    "command",
    ["evaluate q {} -m AP", "trec_eval q {}", "run --qrels {} --run r", "trec_eval --compat 10.0 {} r"],
)
@pytest.mark.parametrize("bomb", ["/dev/zero", "bomb.gz", "line", "binary"])
def test_bombs_are_one_message_in_little_memory(tmp_path, bomb, command):
    """Exit code 2 within seconds and 300 MB, and the message names the file."""
    (tmp_path / "q").write_text("1 0 a 1\n")
    (tmp_path / "r").write_text("1 Q0 a 1 1 t\n")
    if bomb == "bomb.gz":
        _bomb(tmp_path / bomb, b"\0", 100)
    elif bomb == "line":
        with (tmp_path / bomb).open("wb") as file:
            file.truncate(1 << 30)  # without a byte on the disk
            file.seek(0)
            file.write(b"x" * (20 << 20))
    elif bomb == "binary":
        (tmp_path / bomb).write_bytes(b"\xff" * 20_000_000)
    done = subprocess.run(
        arguments(*command.format(bomb).split()), cwd=tmp_path, env=environment(), capture_output=True,
        timeout=10, check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_DATA, (300 << 20, 300 << 20)),
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (2, b"")
    assert b"Traceback" not in done.stderr
    assert bomb.encode() in done.stderr
    assert len(done.stderr) < 2000


@pytest.fixture
def file(tmp_path):
    """A file with content; nothing may be left beside it, nor open."""
    path = tmp_path / "folder" / "file"
    path.parent.mkdir()
    path.write_bytes(OLD)
    held = len(os.listdir("/proc/self/fd"))
    yield path
    assert os.listdir(path.parent) == ["file"]
    assert len(os.listdir("/proc/self/fd")) <= held


@pytest.mark.parametrize("stays", [True, False], ids=["from there on", "once"])
def test_every_failure_leaves_the_old_file(file, monkeypatch, stays):
    """The n-th call to the system fails, for every n until the file is written: it is old or new."""
    real = {name: getattr(os, name) for name in ("open", "fsync", "replace", "chmod", "stat")}
    outcomes = []

    def called(name, *arguments, **keywords):
        calls.append(name)
        if len(calls) == n or (stays and len(calls) > n):
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        return real[name](*arguments, **keywords)

    for n in range(1, 30):
        calls: list[str] = []
        file.write_bytes(OLD)
        with monkeypatch.context() as patch:
            for name in real:
                patch.setattr(os, name, partial(called, name))
            failed = True
            with suppress(OSError):
                write_whole(str(file), NEW)
                failed = False
        assert file.read_bytes() == (OLD if failed else NEW)
        assert os.listdir(file.parent) == ["file"]
        outcomes.append(failed)
        if len(calls) < n:
            break
    assert outcomes[0]
    assert not outcomes[-1]
    assert calls == ["stat", "open", "chmod", "fsync", "replace", "open", "fsync"]  # file and folder


def test_what_is_no_file_is_written_to_as_it_stands(tmp_path, file):
    """A pipe stays a pipe, a device a device, and /dev/stdout goes where stdout goes, file or not."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read: list[bytes] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()))
    reader.start()
    write_whole(str(pipe), NEW)
    reader.join(10)
    assert read == [NEW]
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    write_whole(os.devnull, NEW)
    assert stat.S_ISCHR(os.stat(os.devnull).st_mode)
    code = "from crosscheck.formats.source import write_whole\nwrite_whole('/dev/stdout', b'said')"
    inode = file.stat().st_ino
    with file.open("wb") as out:
        subprocess.run([sys.executable, "-c", code], stdout=out, check=True, timeout=60)
    assert (file.read_bytes(), file.stat().st_ino) == (b"said", inode)
